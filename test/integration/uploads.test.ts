import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteItem } from '../../functions/lib/store/dynamodb.ts';
import { ifExists } from '../../functions/lib/store/expressions.ts';
import { checkKey } from '../../functions/lib/store/items.ts';
import { unpack } from '../../functions/lib/store/packed.ts';
import { allIn } from '../../functions/lib/store/query.ts';
import { readRun } from '../../functions/lib/uploads/read-upload.ts';
import { parseUpload } from '../../functions/lib/uploads/upload-body.ts';
import { partitions } from '../../shared/service/partitions.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

// biome-ignore lint/suspicious/noExplicitAny: each test spoils other parts of a report
type Lhr = any;
const recorded = (version: string): Lhr =>
  JSON.parse(gunzipSync(readFileSync(new URL(`../recorded/reports/${version}.json.gz`, import.meta.url))).toString());
const result = recorded('12.8.2');
/** Returns a result of another page, so that no test sees the checks of another. */
const ofPage = (path: string, change: (lhr: Lhr) => void = () => {}): Lhr => {
  const lhr = structuredClone(result);
  lhr.finalDisplayedUrl = `http://localhost:3000/${path}`;
  change(lhr);
  return lhr;
};

const json = { 'content-type': 'application/json' };
const send = (path: string, body: string | Buffer, headers: Record<string, string> = json) =>
  fetchDocumented(`${api.url}${path}`, { method: 'POST', body: body as BodyInit, headers });
const upload = (lhr: unknown, query = '', headers = json) => send(`/v1/reports${query}`, JSON.stringify(lhr), headers);
const uploaded = async (lhr: unknown, query = '') => (await (await upload(lhr, query)).json()) as { id: string };
const read = async (path: string): Promise<Lhr> => (await fetchDocumented(`${api.url}${path}`)).json();
const problemOf = async (answer: Response) => {
  const { status, code, detail, errors } = (await answer.json()) as Lhr;
  return { status, code, detail, errors };
};

test.each(['9.6.8', '10.4.0', '11.7.1', '12.8.2', '13.5.0'])(
  'a result of Lighthouse %s is a check',
  async (version) => {
    const answer = await send('/v1/reports?label=branch:main', gzipSync(JSON.stringify(recorded(version))), {
      ...json,
      'content-encoding': 'gzip',
    });
    expect(answer.status).toBe(201);
    const check = await read(answer.headers.get('location') as string);
    expect(check).toMatchObject({
      source: 'uploaded',
      state: 'succeeded',
      auditVersion: version,
      regions: ['elsewhere'],
    });
    const [run] = check.runs;
    expect(run).toMatchObject({
      state: 'succeeded',
      mainThreadCpu: null,
      environment: { fonts: null, contended: null },
    });
    expect(run.warnings[0]).toMatch(
      /^The report was uploaded, so the service did not measure it\. It comes from .*Chrome\/\d.* on X11.* with a CPU benchmark of \d+\. Verdicts exist only between uploads/,
    );
    expect(run.numericValues.lcp).toBe(recorded(version).audits['largest-contentful-paint'].numericValue);
    for (const part of ['report', 'fixes', 'screenshot', 'filmstrip'])
      expect((await fetchDocumented(`${api.url}${run.links[part]}`)).status).toBe(200);
  },
);

test('a result of a release in which the service does not audit is a check too', async () => {
  const { id } = await uploaded(ofPage('other-release', (lhr) => Object.assign(lhr, { lighthouseVersion: '12.6.1' })));
  expect((await read(`/v1/checks/${id}`)).runs[0].auditVersion).toBe('12.6.1');
});

test('several results are the samples of one run, which shows the median one', async () => {
  const at = (lcp: number) =>
    ofPage('samples', (lhr) => {
      for (const id of ['largest-contentful-paint', 'first-contentful-paint', 'interactive'])
        lhr.audits[id].numericValue = lcp;
    });
  const { id } = await uploaded([at(3000), at(1000), at(2000)]);
  const check = await read(`/v1/checks/${id}`);
  expect(check.samples).toBe(3);
  expect(check.runs[0]).toMatchObject({ lcp: '2000ms', spread: { lcp: { min: '1000ms', max: '3000ms' } } });
  const report = await read(check.runs[0].links.report);
  expect(report.audits['largest-contentful-paint'].numericValue).toBe(2000);
});

test('uploads are compared with each other, and with audits of the service never', async () => {
  const at = (lcp: number, benchmarkIndex: number) =>
    [0, 5, 10].map((more) =>
      ofPage('compared', (lhr) => {
        lhr.audits['largest-contentful-paint'].numericValue = lcp + more;
        lhr.environment.benchmarkIndex = benchmarkIndex;
      }),
    );
  const [base, slow, other] = await Promise.all([
    uploaded(at(1000, 1500), '?label=branch:main'),
    uploaded(at(3000, 1600)),
    uploaded(at(3000, 800)),
  ]);
  const compared = await read(`/v1/checks/${slow.id}/comparison?base=label:branch=main`);
  expect(compared).toMatchObject({
    baseCheckId: base.id,
    comparable: true,
    metrics: { lcp: { verdict: 'regressed' } },
  });
  const elsewhere = await read(`/v1/checks/${other.id}/comparison?base=${base.id}`);
  expect(elsewhere).toMatchObject({
    reasons: [{ code: 'different-machine' }],
    metrics: { lcp: { verdict: 'unknown' } },
  });
  const { check: audited } = await api.world.finishedRun('{}');
  const mixed = await fetchDocumented(`${api.url}/v1/checks/${slow.id}/comparison?base=${audited.id}`);
  expect(await problemOf(mixed)).toMatchObject({ status: 422, code: 'not-comparable' });
});

test('lists and trends have uploads, with the page and the labels that the query names', async () => {
  const query = '?url=https://shop.example/&label=branch:main&label=commit:4f2a';
  const { id } = await uploaded(ofPage('listed'), query);
  const labels = { branch: 'main', commit: '4f2a' };
  const { checks } = await read('/v1/checks?q=shop.example');
  expect(checks).toEqual([expect.objectContaining({ id, source: 'uploaded', labels, url: 'https://shop.example/' })]);
  const { runs } = await read('/v1/runs?url=https://shop.example/&region=elsewhere');
  expect(runs).toEqual([expect.objectContaining({ checkId: id, region: 'elsewhere', labels })]);
  const { pages } = await read('/v1/pages?q=shop.example');
  expect(pages).toEqual([expect.objectContaining({ url: 'https://shop.example/' })]);
});

test.each([
  ['?url=https://a.example/&url=https://b.example/', '{}', 'url'],
  ['?label=branch:a&label=branch:b', '{}', 'label.branch'],
  ['', '{"audits":{},"audits":{}}', 'audits'],
])('an upload with a field twice in %j or %j is refused by name', async (query, body, path) => {
  const { status, errors } = await problemOf(await send(`/v1/reports${query}`, body));
  expect([status, errors]).toEqual([400, [expect.objectContaining({ path })]]);
});

test('numbers that the database would take for too small are 0', async () => {
  const { id } = await uploaded(
    ofPage('small', (lhr) => {
      Object.assign(lhr.audits['largest-contentful-paint'] as object, { numericValue: 1e-200 });
      Object.assign(lhr.environment, { benchmarkIndex: 1e-200 });
    }),
  );
  expect((await read(`/v1/checks/${id}`)).runs[0]).toMatchObject({
    numericValues: { lcp: 0 },
    environment: { benchmarkIndex: 0 },
  });
});

test('a report with a throttling that no create takes is in comparisons and series as documented', async () => {
  const throttling = { rttMs: 1, throughputKbps: 1, cpuSlowdownMultiplier: 1 };
  const slow = await uploaded(ofPage('odd', (lhr) => Object.assign(lhr.configSettings, { throttling })));
  const usual = await uploaded(ofPage('odd'));
  const { differences } = await read(`/v1/checks/${slow.id}/comparison?base=${usual.id}`);
  expect(differences).toMatchObject([{ code: 'throttling', value: throttling }]);
  const { runs } = await read(`/v1/runs?url=${encodeURIComponent('http://localhost:3000/odd')}`);
  expect(runs.map((run: Lhr) => run.throttling)).toContainEqual(throttling);
});

test('a repeated upload is the same check, and an erased one leaves nothing', async () => {
  const headers = { ...json, 'idempotency-key': 'report-1' };
  const first = await upload(ofPage('repeated'), '', headers);
  const again = await upload(ofPage('repeated'), '', headers);
  expect([first.status, again.status, await again.json()]).toEqual([201, 200, await first.json()]);
  const other = await upload(ofPage('another'), '', headers);
  expect(await problemOf(other)).toMatchObject({ status: 422, code: 'idempotency-mismatch' });
  const path = first.headers.get('location') as string;
  expect((await fetchDocumented(`${api.url}${path}`, { method: 'DELETE' })).status).toBe(204);
  expect((await read('/v1/checks?q=/repeated')).checks).toEqual([]);
  expect(await api.world.reports.keysOf(path.split('/')[3] as string, 90)).toEqual([]);
});

const refusals: [string, (lhr: Lhr) => void, string][] = [
  ['another version', (lhr) => Object.assign(lhr, { lighthouseVersion: '8.6.0' }), 'by Lighthouse 8.6.0'],
  [
    'a failed audit',
    (lhr) => Object.assign(lhr, { runtimeError: { code: 'NO_FCP', message: '' } }),
    'failed with NO_FCP',
  ],
  ['a category without its score', (lhr) => Object.assign(lhr.categories.seo, { score: null }), 'no value of: seo'],
  ['a score above 1', (lhr) => Object.assign(lhr.categories.seo, { score: 5 }), 'no Lighthouse result'],
  [
    'an address of a script',
    (lhr) => Object.assign(lhr, { finalDisplayedUrl: 'javascript:alert(1)' }),
    'no Lighthouse result',
  ],
  [
    'more audits in a category than any release has',
    (lhr) => Object.assign(lhr.categories.seo, { auditRefs: Array(2001).fill({ id: 'x', weight: 1 }) }),
    'no Lighthouse result',
  ],
  [
    'a time below 0',
    (lhr) => Object.assign(lhr.audits['largest-contentful-paint'], { numericValue: -5 }),
    'below 0 or impossibly high: lcp',
  ],
  [
    'an impossible time',
    (lhr) => Object.assign(lhr.audits['largest-contentful-paint'], { numericValue: 1e300 }),
    'below 0 or impossibly high: lcp',
  ],
  [
    'a benchmark that no number of the database holds',
    (lhr) => Object.assign(lhr.environment, { benchmarkIndex: 1e300 }),
    'no Lighthouse result',
  ],
  [
    'an impossible throttling',
    (lhr) => Object.assign(lhr.configSettings, { throttling: { rttMs: 1e300 } }),
    'no Lighthouse result',
  ],
  [
    'a pattern of 1 MB',
    (lhr) => Object.assign(lhr.configSettings, { blockedUrlPatterns: ['x'.repeat(1e6)] }),
    'no Lighthouse result',
  ],
  ['a timespan', (lhr) => Object.assign(lhr, { gatherMode: 'timespan' }), 'no Lighthouse result'],
  ['no browser', (lhr) => Object.assign(lhr.environment, { hostUserAgent: '<b>none</b>' }), 'no Lighthouse result'],
  [
    'tables of another form',
    (lhr) => Object.assign(lhr.audits['network-requests'].details, { items: { length: -1 } }),
    '',
  ],
  [
    'a number as a text',
    (lhr) => Object.assign(lhr.audits['total-blocking-time'], { numericValue: '0' }),
    'no Lighthouse result',
  ],
];

test.each(refusals.filter(([, , detail]) => detail !== ''))(
  'a report with %s is refused with a reason',
  async (_, change, detail) => {
    const problem = await problemOf(await upload(ofPage('refused', change)));
    expect(problem.status).toBe(400);
    expect(problem.detail).toContain(detail);
    expect((await read('/v1/checks?q=/refused')).checks).toEqual([]);
  },
);

test.each([
  ['no JSON', '{', {}, 400],
  ['no object', '"text"', {}, 400],
  ['an empty list', '[]', {}, 400],
  ['endless depth', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, {}, 400],
  ['another coding', '{}', { 'content-encoding': 'br' }, 415],
  ['a broken gzip', 'no gzip', { 'content-encoding': 'gzip' }, 400],
  ['another type', '{}', { 'content-type': 'text/html' }, 415],
])('a body with %s is a problem document', async (_, body, headers, status) => {
  expect((await problemOf(await send('/v1/reports', body, { ...json, ...headers }))).status).toBe(status);
});

test('a field that changes the prototype of a copy is refused in a result that is right otherwise', async () => {
  const text = JSON.stringify(ofPage('prototype'));
  expect((await send('/v1/reports', text)).status).toBe(201);
  const problem = await problemOf(await send('/v1/reports', text.replace('{', '{"__proto__":{"isAdmin":true},')));
  expect([problem.status, problem.detail]).toEqual([400, expect.stringContaining('`__proto__`')]);
});

test('an answer of PageSpeed is taken, and a user flow and HTML are refused with what to send', async () => {
  expect((await upload({ kind: 'pagespeedonline#result', lighthouseResult: ofPage('speed') })).status).toBe(201);
  const flow = await problemOf(await upload({ name: 'flow', steps: [{ lhr: ofPage('flow') }] }));
  expect(flow.detail).toContain('Send the field lhr of one of its steps');
  const page = await problemOf(await send('/v1/reports', '<!doctype html><title>Report</title>'));
  expect(page.detail).toContain('Send the JSON that Lighthouse writes with --output=json');
});

test('a report whose configuration left audits out is a check without these values, and says so', async () => {
  const { id } = await uploaded(
    ofPage('skipped', (lhr) => {
      lhr.configSettings.skipAudits = ['interactive'];
      delete lhr.audits.interactive;
    }),
  );
  const [run] = (await read(`/v1/checks/${id}`)).runs;
  expect([run.state, run.tti, run.warnings[1]]).toEqual(['succeeded', null, expect.stringContaining('left out: tti')]);
});

test('equal uploads at once with one key are one check, also after one that was cut off', async () => {
  const headers = { ...json, 'idempotency-key': 'at-once' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => upload(ofPage('at-once'), '', headers)));
  const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: string }).id));
  expect(answers.map(({ status }) => status).filter((status) => ![200, 201].includes(status))).toEqual([]);
  expect(new Set(ids).size).toBe(1);
  const cut = { ...json, 'idempotency-key': 'cut-off' };
  const first = (await (await upload(ofPage('cut-off'), '', cut)).json()) as { id: string };
  await deleteItem(api.world.db, checkKey(first.id), ifExists); // the write that an upload makes last
  const again = await upload(ofPage('cut-off'), '', cut);
  expect([again.status, await again.json()]).toMatchObject([201, { id: first.id }]);
});

/** Returns the reports that wait for the seal of a build. */
const waitingOf = (id: string) => allIn(api.world.db, { partition: `${partitions.upload}${id}` });

test('a build begins again until its seal, seals twice, and then takes and keeps no further report', async () => {
  const post = (path: string, body: unknown) => send(`/v1/projects/${project}${path}`, JSON.stringify(body));
  const { id: project } = (await (await send('/v1/projects/lookup', '{"token":"any"}')).json()) as { id: string };
  const begin = async (branch: string, hash: string) =>
    (await (await post('/builds', { lifecycle: 'unsealed', branch, hash })).json()) as { id: string };
  const report = (url: string, lhr: Lhr = ofPage('built')) => ({
    url,
    lhr: JSON.stringify(lhr),
    representative: false,
  });
  const seal = (id: string) =>
    fetchDocumented(`${api.url}/v1/projects/${project}/builds/${id}/lifecycle`, {
      method: 'PUT',
      body: '"sealed"',
      headers: json,
    });
  const { id } = await begin('master', 'one');
  expect((await post(`/builds/${id}/runs`, report('http://localhost/first'))).status).toBe(200);
  expect((await post(`/builds/${id}/runs`, { url: 'http://localhost/x', lhr: '{}' })).status).toBe(400);
  const [abandoned] = await waitingOf(id);
  expect(await begin('master', 'one')).toMatchObject({ id });
  expect((await post(`/builds/${id}/runs`, report('http://localhost/second'))).status).toBe(200);
  expect([(await seal(id)).status, (await seal(id)).status]).toEqual([204, 204]);
  const { checks } = await read(`/v1/checks?label=build:${id}`);
  expect(checks.map(({ url }: Lhr) => url)).toEqual(['http://localhost/second']);
  expect((await problemOf(await post(`/builds/${id}/runs`, report('http://localhost/late')))).detail).toContain(
    'is sealed',
  );
  expect((await begin('master', 'one')) as object).toMatchObject({ code: 'invalid-build' });
  expect(await waitingOf(id)).toEqual([]);
  const { report: of } = unpack(abandoned?.upload) as { report: { key: string } };
  expect(await api.world.reports.exists(of.key)).toBe(false);
  const { id: feature } = await begin('feature', 'two'); // as many builds as the base has
  expect(await read(`/v1/projects/${project}/builds/${feature}/ancestor`)).toMatchObject({ hash: 'one' });
  const found = await (await send('/v1/projects/lookup', '{"token":"any"}')).json();
  expect(found).toMatchObject({ baseBranch: 'master' });
  expect(await read(`/v1/projects/${project}/builds?limit=-5`)).toHaveLength(1);
});

test.each([
  ['http://localhost:3000/shop', 'http://localhost:3000/shop'],
  ['http://localhost:41523/shop', 'http://localhost/shop'],
])('a build that hides the port of %s is about %s', async (finalUrl, page) => {
  const post = async (path: string, body: unknown) =>
    (await send(`/v1/projects${path}`, JSON.stringify(body))).json() as Promise<{ id: string }>;
  const { id: project } = await post('/lookup', { token: 'any' });
  const { id } = await post(`/${project}/builds`, { lifecycle: 'unsealed', branch: 'ports', hash: finalUrl });
  const lhr = JSON.stringify(ofPage('', (each) => Object.assign(each, { finalDisplayedUrl: finalUrl })));
  await post(`/${project}/builds/${id}/runs`, { url: 'http://localhost:PORT/shop', lhr });
  const sealed = { method: 'PUT', body: '"sealed"', headers: json };
  await fetchDocumented(`${api.url}/v1/projects/${project}/builds/${id}/lifecycle`, sealed);
  expect((await read(`/v1/checks?label=build:${id}`)).checks).toEqual([expect.objectContaining({ url: page })]);
});

test('a bomb and a body above the limit are refused', async () => {
  const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '));
  const zipped = await problemOf(await send('/v1/reports', bomb, { ...json, 'content-encoding': 'gzip' }));
  expect(zipped).toMatchObject({ status: 413, code: 'payload-too-large' });
  const large = parseUpload(Buffer.alloc(101, ' '), { type: undefined, coding: undefined, maxBytes: 100 });
  await expect(large).rejects.toMatchObject({
    code: 'payload-too-large',
    message: expect.stringContaining('100 bytes'),
  });
});

test('a text with more levels than a report has values is refused before it is parsed, also within a text of escapes', async () => {
  const deep = '['.repeat(600_000);
  const body = gzipSync(deep);
  expect(await problemOf(await send('/v1/reports', body, { ...json, 'content-encoding': 'gzip' }))).toMatchObject({
    status: 413,
    detail: expect.stringContaining('values'),
  });
  const run = `{"url":"http://localhost:PORT/","lhr":"${deep.replaceAll('[', '\\u005b')}"}`;
  const sent = { type: undefined, coding: undefined, maxBytes: run.length };
  await expect(readRun(Buffer.from(run), sent)).rejects.toMatchObject({ code: 'payload-too-large' });
});

test('texts of a report stay texts', async () => {
  const script = '</script><script>alert(1)</script>';
  const lhr = ofPage('texts', (each) => {
    each.runWarnings = [script];
    each.audits['document-title'].title = script;
    each.audits['document-title'].description = '[Learn more](javascript:alert(1))';
    each.audits['final-screenshot'].details.data = 'data:text/html;base64,PHNjcmlwdD4=';
  });
  const { id } = await uploaded(lhr);
  const [run] = (await read(`/v1/checks/${id}`)).runs;
  expect(run.warnings).toContain(script);
  const html = await fetch(`${api.url}${run.links.report}`, { headers: { accept: 'text/html' } });
  expect(await html.text()).not.toContain(script);
  expect((await fetch(`${api.url}${run.links.screenshot}`)).status).toBe(404);
  const { fixes } = await read(run.links.fixes);
  expect(fixes.find((fix: Lhr) => fix.audit === 'document-title')?.documentation ?? null).toBeNull();
});
