import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { log } from '../../functions/lib/log.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import { runKey } from '../../functions/lib/store/items.ts';
import { runAudit } from '../../functions/run-audit.ts';
import type { Assertions } from '../../shared/assertions/assertions.ts';
import { AssertedReport, budgetAudits } from '../../shared/assertions/values.ts';
import type { CheckView } from '../../shared/check.ts';
import type { CheckComparison } from '../../shared/comparison/schemas.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { pick } from '../../shared/pick.ts';
import { runError } from '../../shared/problems.ts';
import type { CheckSummary } from '../../shared/summaries.ts';
import { anInteraction } from '../support/an-interaction.ts';
import { type Api, startApi } from '../support/api.ts';
import { assertionCases, type Row, readOutcomes, reportOfCases, rowOfResult } from '../support/assertion-cases.ts';
import { fetchDocumented } from '../support/documented.ts';
import { environment } from '../support/environment.ts';
import { problemOf } from '../support/problem.ts';
import type { World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi();
  world = api.world;
});
afterAll(() => api.stop());

const post = (sent: object, headers: Record<string, string> = {}) =>
  fetchDocumented(`${api.url}/v1/checks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ url: 'https://example.com/', auditVersion: '13', regions: ['us-west1'], ...sent }),
  });
const create = async (sent: object): Promise<string> => ((await (await post(sent)).json()) as { id: string }).id;
const get = async <T>(path: string): Promise<T> => (await (await fetchDocumented(`${api.url}${path}`)).json()) as T;
const checkOf = (id: string) => get<CheckView>(`/v1/checks/${id}`);
const resultsOf = async (id: string) => (await checkOf(id)).runs[0]?.assertions ?? [];

type Report = AssertedReport | string;
const succeeded = (report: Report): AuditResult => {
  const json = typeof report === 'string' ? report : JSON.stringify(report);
  const stored = { gzip: gzipSync(json, { level: 1 }), bytes: json.length };
  return { ...emptyResult, state: 'succeeded', metrics: noMetrics, report: stored };
};
const failed = (code: 'dns-failure' | 'browser-crashed'): AuditResult => ({
  ...emptyResult,
  state: 'failed',
  error: runError(code),
});

/** Runs the job of a region of a check, whose audits have these results. */
const work = async (checkId: string, results: readonly AuditResult[], i = 0, more: object = {}): Promise<void> => {
  const left = [...results];
  const auditors = { audit: async () => left.shift() as AuditResult };
  const run = await world.runOf(checkId, i);
  await runAudit({ ...world, auditors, retryDelaysMs: [0], ...more })(jobOf(run), () => 600_000);
};

/** A recorded report with the audits that the tests assert. */
const recorded = AssertedReport.parse(reportOfCases('13.5.0'));
const report = { ...recorded, audits: pick(recorded.audits, ['image-alt', 'resource-summary']) } as AssertedReport;
const withScore = (score: number): AssertedReport => ({ ...report, categories: { performance: { score } } });
const gate = (level: 'warn' | 'error' = 'error'): Assertions => ({
  'categories:performance': [level, { minScore: 0.9 }],
});

/** Lighthouse CI judges an audit that needs a budget. The service sets no budget, so the assertion fails. */
const isComparable = ([key]: Row) => !budgetAudits.includes(key);

/** Cases that fit in the bounds of a create. */
const judgedCases = ['every audit, default score', 'every resource, with colons', 'categories', 'user timings'];

test.each(['13.5.0', '12.8.2', '9.6.8'] as const)(
  'the service judges a report of %s as Lighthouse CI does',
  async (auditVersion) => {
    const judged = reportOfCases(auditVersion);
    const result = succeeded(AssertedReport.parse(judged)); // without images, which take time to compress
    const outcomes = readOutcomes();
    const cases = assertionCases(judged).filter(({ name }) => judgedCases.includes(name));
    expect(cases).toHaveLength(judgedCases.length);
    for (const { name, ...each } of cases) {
      const { assertions } = (each as { options: { assertions: Assertions } }).options;
      const id = await create({ auditVersion, assertions });
      await work(id, [result]);
      const rows = (await resultsOf(id)).map(rowOfResult).filter(isComparable);
      expect(rows, name).toEqual(outcomes[`${auditVersion} ${name}`]?.filter(isComparable));
    }
  },
);

test('a check shows its assertions, their results, and whether they passed when all runs are finished', async () => {
  const assertions = {
    ...gate(),
    'resource-summary:total:size': ['warn', { maxNumericValue: 1024 }],
    'no-such': 'off',
  };
  const answer = await post({ assertions, regions: ['us-west1', 'us-east4'] });
  const { id, ...created } = (await answer.json()) as { id: string; assertions: object };
  expect(created.assertions).toEqual(assertions);
  await work(id, [succeeded(report)]);
  expect(await checkOf(id)).toMatchObject({ state: 'running', assertions, assertionsPassed: null });
  expect(await resultsOf(id)).toEqual([
    {
      key: 'categories:performance',
      name: 'minScore',
      level: 'error',
      passed: true,
      operator: '>=',
      expected: 0.9,
      actual: 1,
      message: 'Performance: score 1, expected at least 0.9',
    },
    {
      key: 'resource-summary:total:size',
      name: 'maxNumericValue',
      level: 'warn',
      passed: false,
      operator: '<=',
      expected: 1024,
      actual: 1533,
      message: 'Total size: 1,533 bytes, expected at most 1,024 bytes',
    },
  ]);
  await work(id, [succeeded(report)], 1);
  expect(await checkOf(id)).toMatchObject({ state: 'succeeded', assertionsPassed: true });
});

test.each<[string, Assertions | undefined, AuditResult[], boolean | null]>([
  ['false if an assertion of level error failed in one region', gate(), [0.95, 0.5].map(scored), false],
  ['true if only an assertion of level warn failed', gate('warn'), [0.95, 0.5].map(scored), true],
  ['null if a run failed', gate(), [scored(0.95), failed('dns-failure')], null],
  ['false if a run failed and an assertion failed in the other', gate(), [scored(0.5), failed('dns-failure')], false],
  ['false if this version lacks the audit', { 'first-meaningful-paint': 'error' }, [0.95, 0.95].map(scored), false],
  ['null without assertions', undefined, [0.95, 0.5].map(scored), null],
  ['null if a report can not be read', gate(), [scored(0.95), succeeded('{}')], null],
  ['null if a time was not judged', gate(), [scored(0.95), busy(0.5)], null],
  ['true if only a warning was not judged', gate('warn'), [scored(0.95), busy(0.5)], true],
  ['false if one failed and a time was not judged', { ...gate(), 'image-alt': 'error' }, [0.95, 0.5].map(busy), false],
])('whether the assertions of a check passed is %s', async (_, assertions, results, passed) => {
  const error = vi.spyOn(log, 'error').mockReturnValue();
  const id = await create({ assertions, regions: ['us-west1', 'us-east4'] });
  for (const [i, result] of results.entries()) await work(id, [result, result], i); // a contended sample is retaken
  expect((await checkOf(id)).assertionsPassed).toBe(passed);
  const { checks } = await get<{ checks: CheckSummary[] }>('/v1/checks?limit=1');
  expect(checks[0]).toMatchObject({ id, assertionsPassed: passed });
  expect(checks[0]).not.toHaveProperty('assertions');
  error.mockRestore();
});

/** The machine was busy during the audit, and its times are not corrected. */
function busy(score: number): AuditResult {
  return { ...scored(score), environment: { ...environment, contended: true } };
}

function scored(score: number): AuditResult {
  return succeeded(withScore(score));
}

test('a retried run is judged by the report that it shows', async () => {
  const id = await create({ assertions: gate() });
  await work(id, [failed('browser-crashed'), scored(0.95)]);
  expect(await checkOf(id)).toMatchObject({ assertionsPassed: true, runs: [{ attempts: { length: 2 } }] });
});

test('a run whose worker was stopped is judged by the report of the next worker', async () => {
  const id = await create({ assertions: gate() });
  const stopping = new AbortController();
  const auditors = {
    audit: async (_: unknown, signal: AbortSignal) => {
      stopping.abort();
      throw signal.reason;
    },
  };
  await work(id, [], 0, { auditors, stopping: stopping.signal });
  expect(await checkOf(id)).toMatchObject({ assertionsPassed: null, runs: [{ state: 'running', assertions: null }] });
  await work(id, [scored(0.5)]);
  expect(await checkOf(id)).toMatchObject({ state: 'succeeded', assertionsPassed: false });
});

test('failed reads of the assertions and a lost answer to the end of the run change no result', async () => {
  const id = await create({ assertions: gate() });
  const left = { reads: 2, answers: 1 };
  const store: World['store'] = {
    ...world.store,
    assertionsOf: async (checkId) => {
      if (left.reads-- > 0) throw new Error('DynamoDB is unavailable');
      return world.store.assertionsOf(checkId);
    },
  };
  const leases: World['leases'] = {
    ...world.leases,
    finish: async (...given) => {
      const finished = await world.leases.finish(...given);
      if (left.answers-- > 0) throw new Error('the response of DynamoDB was lost');
      return finished;
    },
  };
  await work(id, [scored(0.5)], 0, { store, leases });
  expect(left).toEqual({ reads: -1, answers: -1 });
  expect(await checkOf(id)).toMatchObject({ assertionsPassed: false, runs: [{ assertions: { length: 1 } }] });
});

test('the results of a run are small, also with 50 assertions on audits that failed with long messages', async () => {
  const errorMessage = 'x'.repeat(10_000);
  const names = Array.from({ length: 50 }, (_, i) => `odd-audit-${i}`);
  const audits = Object.fromEntries(
    names.map((name) => [name, { score: null, scoreDisplayMode: 'error', errorMessage }]),
  );
  const id = await create({ assertions: Object.fromEntries(names.map((name) => [name, 'error'])) });
  await work(id, [succeeded({ ...report, audits })]);
  const { id: runId } = await world.runOf(id);
  const { Item } = await world.db.client.send(new GetCommand({ TableName: world.db.table, Key: runKey(id, runId) }));
  expect(JSON.stringify(Item).length).toBeLessThan(30_000);
  expect((await resultsOf(id)).map(({ message }) => message.length)).toEqual(names.map(() => 300));
});

const many = (count: number, suffix: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}${suffix}`, 'warn']));

test.each<[unknown, string, RegExp]>([
  ['warn', 'assertions', /^The assertions must be an object such as \{/],
  [[['image-alt', 'warn']], 'assertions.0', /^Each set must be an object such as \{/],
  [{ 'image-alt': 'fatal' }, 'assertions.image-alt', /^The assertion must be off, warn, error, or a list/],
  [{ 'image-alt': ['warn', { minScore: 90 }] }, 'assertions.image-alt.1.minScore', /^A score is from 0 to 1\.$/],
  [{ 'image-alt': ['warn', { minScore: '1' }] }, 'assertions.image-alt', /^The assertion must be off, warn, error/],
  [{ 'image-alt': ['warn', { maxLength: -1 }] }, 'assertions.image-alt.1.maxLength', /^A limit is 0 or more\.$/],
  [{ 'image-alt': ['warn', { minLength: 1 }] }, 'assertions.image-alt.1', /^Unknown option\. The options are minScore/],
  [{ imageAlt: 'warn' }, 'assertions.imageAlt', /^Write the key with hyphens .*"image-alt"\.$/],
  [{ '': 'warn' }, 'assertions.', /^A key has 1 to 200 characters\.$/],
  [{ matchingUrlPattern: '.*' }, 'assertions.matchingUrlPattern', /^The assertion must be off, warn, error/],
  [{}, 'assertions', /^The assertions must have at least one that is not off\./],
  [{ 'image-alt': 'off' }, 'assertions', /^The assertions must have at least one that is not off\./],
  [[], 'assertions', /^The assertions must have at least one that is not off\./],
  [[{ assertions: { 'image-alt': 'off' } }], 'assertions', /^The assertions must have at least one that is not off\./],
  [[{ matchingUrlPattern: 'x', assertions: gate() }], 'assertions.0', /^Unknown field\. The fields are pattern/],
  [[{ preset: 'lighthouse:none' }], 'assertions.0.preset', /^The presets are lighthouse:all, /],
  [[{ assertions: { 'image-alt': 'fatal' } }], 'assertions.0.assertions.image-alt', /^The assertion must be off/],
  [[{ pattern: '^(?!.*/admin/)', preset: 'lighthouse:all' }], 'assertions.0.pattern', /RE2.+`\(\?!`.+no lookahead/],
  [[{ pattern: '(a{1000}){1000}', preset: 'lighthouse:all' }], 'assertions.0.pattern', /more than 500 characters/],
  [[{ pattern: 'a'.repeat(501), preset: 'lighthouse:all' }], 'assertions.0.pattern', /at most 500 characters/],
  [Array(21).fill({ preset: 'lighthouse:all' }), 'assertions', /^A check has at most 20 sets of assertions\./],
  [many(201, '-audit'), 'assertions', /^The assertions of a check have at most 200 limits and 16384 bytes as JSON\.$/],
  [many(100, 'a'.repeat(190)), 'assertions', /^The assertions of a check have at most 200 limits/],
])(
  'wrong assertions, case %#, are a 400 that names the path and what is accepted',
  async (assertions, path, message) => {
    const { errors } = await problemOf(await post({ assertions }), 400, 'invalid-request');
    expect(errors).toEqual([{ path, message: expect.stringMatching(message) }]);
  },
);

test('a key of any name is stored, and the order of keys makes no other check', async () => {
  const assertions = { constructor: 'warn', 'image-alt': ['error', { minScore: 1 }] };
  const headers = { 'idempotency-key': randomUUID() };
  const { id } = (await (await post({ assertions }, headers)).json()) as { id: string };
  const reversed = Object.fromEntries(Object.entries(assertions).toReversed());
  expect((await post({ assertions: reversed }, headers)).status).toBe(200);
  const inSet = { 'idempotency-key': randomUUID() };
  expect((await post({ assertions: [{ pattern: 'a', assertions }] }, inSet)).status).toBe(201);
  expect((await post({ assertions: [{ assertions: reversed, pattern: 'a' }] }, inSet)).status).toBe(200);
  await problemOf(await post({ assertions: { constructor: 'error' } }, headers), 422, 'idempotency-mismatch');
  await work(id, [succeeded(report)]);
  expect((await resultsOf(id)).map(({ key, passed }) => [key, passed])).toEqual([
    ['constructor', false],
    ['image-alt', false],
  ]);
});

test('sets apply to the final URLs that their pattern matches, with their preset and method', async () => {
  const assertions = [
    { pattern: '/faulty$', preset: 'lighthouse:no-pwa', assertions: { 'html-has-lang': 'warn' } },
    { pattern: '/other$', assertions: { 'document-title': 'error' } },
    { aggregation: 'pessimistic', assertions: { 'categories:performance': ['error', { minScore: 0.8 }] } },
  ];
  const id = await create({ assertions, samples: 2 });
  const performance = (score: number) => ({
    ...succeeded(JSON.stringify(reportOfCases('13.5.0'))),
    metrics: { ...noMetrics, performance: score, fcp: score, tti: score },
  });
  await work(id, [performance(90), performance(70)] as AuditResult[]);
  const check = await checkOf(id);
  const [run] = check.runs;
  expect(check).toMatchObject({ assertions, assertionsPassed: false });
  const results = run?.assertions ?? [];
  expect(results.filter(({ key }) => key === 'html-has-lang')).toMatchObject([{ level: 'warn', passed: false }]);
  expect(results.some(({ key }) => key === 'image-alt')).toBe(true); // of the preset
  expect(results.some(({ name }) => name === 'auditRan')).toBe(false);
  expect(results.at(-1)).toMatchObject({
    key: 'categories:performance',
    passed: false,
    actual: 0.7,
    message: 'Performance: score 0.7, expected at least 0.8 (worst of 2 samples)',
  });
  expect(run?.warnings).toEqual([expect.stringMatching(/^\d+ assertions of the preset are about audits that Light/)]);
});

test('a check about whose page no assertion is has not passed, and says so', async () => {
  const id = await create({ assertions: [{ pattern: '/shop/', assertions: { 'document-title': 'error' } }] });
  await work(id, [succeeded(recorded)]);
  expect(await checkOf(id)).toMatchObject({
    assertionsPassed: null,
    runs: [{ assertions: [], warnings: [expect.stringMatching(/^No assertion is about http:.+\/faulty\.$/)] }],
  });
});

test('a method that needs each report is refused for several samples', async () => {
  const options = { aggregationMethod: 'pessimistic', maxLength: 0 };
  const assertions = {
    'unused-javascript': ['error', options],
    'speed-index': ['error', { aggregationMethod: 'median' }],
  };
  expect((await post({ assertions })).status).toBe(201);
  const { errors } = await problemOf(await post({ assertions, samples: 3 }), 400, 'invalid-request');
  expect(errors).toEqual([
    {
      path: 'assertions',
      message: expect.stringMatching(
        /needs the report of each sample for unused-javascript, speed-index, .+median-run/,
      ),
    },
  ]);
  const set = { preset: 'lighthouse:all', aggregation: 'optimistic' };
  const refused = await problemOf(await post({ assertions: [set], samples: 3 }), 400, 'invalid-request');
  expect(refused.errors).toMatchObject([
    { path: 'assertions.0', message: expect.stringContaining('for the preset lighthouse:all, and') },
  ]);
});

test('a list shows the checks whose assertions passed, or failed, page by page', async () => {
  const labels = { list: randomUUID() };
  const ids: string[] = [];
  for (const score of [0.5, 0.95, 0.5, 0.5]) {
    ids.unshift(await create({ labels, assertions: gate() }));
    await work(ids[0] as string, [scored(score)]);
  }
  await create({ labels, assertions: gate() }); // unfinished
  await create({ labels });
  const listed = async (passed: string) => {
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const query = `label=list:${labels.list}&assertionsPassed=${passed}&limit=2${cursor}`;
      const page = await get<{ checks: CheckSummary[]; nextCursor: string | null }>(`/v1/checks?${query}`);
      found.push(...page.checks.map(({ id }) => id));
      if (page.nextCursor === null) return found;
      cursor = `&cursor=${page.nextCursor}`;
    }
  };
  expect(await listed('true')).toEqual([ids[2]]);
  expect(await listed('false')).toEqual([ids[0], ids[1], ids[3]]);
  const refused = await fetchDocumented(`${api.url}/v1/checks?assertionsPassed=yes`);
  const { errors } = await problemOf(refused, 400, 'invalid-request');
  expect(errors).toEqual([
    { path: 'assertionsPassed', message: 'Whether the assertions passed must be true or false.' },
  ]);
});

test('a comparison names the assertions that passed in the base and fail now', async () => {
  const assertions = { ...gate(), 'image-alt': 'warn' };
  const [base, id] = [await create({ assertions }), await create({ assertions })];
  await work(base, [scored(0.95)]);
  await work(id, [scored(0.5)]);
  const { newlyFailed } = await get<CheckComparison>(`/v1/checks/${id}/comparison?base=${base}`);
  expect(newlyFailed).toEqual([
    expect.objectContaining({ region: 'us-west1', key: 'categories:performance', actual: 0.5, passed: false }),
  ]);
  expect((await get<CheckComparison>(`/v1/checks/${base}/comparison?base=${id}`)).newlyFailed).toEqual([]);
});

const slowSearch = (inp: number | null): AuditResult => {
  const { samples, spread: _, ...search } = anInteraction([inp], { reason: inp === null ? 'Step 1 failed.' : null });
  return {
    ...succeeded(report),
    interactions: [{ ...search, lcp: null, inp: samples[0]?.inp ?? null }],
  } as AuditResult;
};
const interactions = [{ name: 'search', steps: [{ click: '#go' }] }];
const searchLimit = (name = 'search') => ({ [`interactions:${name}:inp`]: ['error', { maxNumericValue: 200 }] });

test.each([
  [324, false, 'INP of search: 324 ms, expected at most 200 ms'],
  [120, true, 'INP of search: 120 ms, expected at most 200 ms'],
  [null, false, 'INP of search: no numeric value. Step 1 failed.'],
])('an interaction of %s ms is judged when its run ends, and again later', async (inp, passed, message) => {
  const id = await create({ interactions, assertions: searchLimit() });
  await work(id, [slowSearch(inp)]);
  expect(await checkOf(id)).toMatchObject({ assertionsPassed: passed, runs: [{ assertions: [{ passed, message }] }] });
  const judgeBy = (assertions: object) =>
    fetchDocumented(`${api.url}/v1/checks/${id}/assertions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ assertions }),
    });
  expect(await (await judgeBy([{ assertions: searchLimit() }])).json()).toMatchObject({ assertionsPassed: passed });
  const { errors } = await problemOf(await judgeBy(searchLimit('menu')), 400, 'invalid-request');
  expect(errors).toEqual([
    {
      path: 'assertions.interactions:menu:inp',
      message: 'The check has no interaction menu. Its interactions: search.',
    },
  ]);
});

test('an assertion on an interaction that the check lacks is a 400, in each form, unless it is off', async () => {
  const pathsOf = async (sent: object) =>
    (await problemOf(await post(sent), 400, 'invalid-request')).errors?.map(({ path }) => path);
  expect(await pathsOf({ assertions: searchLimit() })).toEqual(['assertions.interactions:search:inp']);
  const sets = [{ assertions: searchLimit() }, { assertions: searchLimit('menu') }];
  expect(await pathsOf({ interactions, assertions: sets })).toEqual(['assertions.1.assertions.interactions:menu:inp']);
  const off = { 'interactions:menu:inp': 'off', 'image-alt': 'error' };
  expect((await post({ interactions, assertions: off })).status).toBe(201);
});
