import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JudgedCheck } from '../../shared/assertions/judged-check.ts';
import type { CheckAssertions } from '../../shared/assertions/sets.ts';
import type { CheckView } from '../../shared/check.ts';
import { runError } from '../../shared/problems.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { shortReport } from '../support/fake-service.ts';
import { problemOf } from '../support/problem.ts';
import { aCheck, passed } from '../support/world.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const slow: CheckAssertions = { 'categories:performance': ['error', { minScore: 0.9 }] };
const judge = (checkId: string, assertions: unknown = slow) =>
  fetchDocumented(`${api.url}/v1/checks/${checkId}/assertions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assertions }),
  });
const judged = async (checkId: string, assertions: unknown = slow) =>
  (await (await judge(checkId, assertions)).json()) as JudgedCheck;
const finished = async () => (await api.world.finishedRun(JSON.stringify(shortReport))).check.id;

test('a finished check is judged by other assertions, and keeps its own results', async () => {
  const id = await finished();
  const read = async () => (await (await fetchDocumented(`${api.url}/v1/checks/${id}`)).json()) as CheckView;
  const before = await read();
  expect(await judged(id)).toMatchObject({
    id,
    assertionsPassed: false,
    runs: [{ region: 'us-west1', state: 'succeeded', assertions: [{ passed: false, actual: 0.2 }], warnings: [] }],
  });
  expect((await judged(id, { 'categories:performance': ['error', { minScore: 0.1 }] })).assertionsPassed).toBe(true);
  expect(await read()).toEqual(before);
});

test('a pattern that no page matches proves nothing, and a warning says so', async () => {
  const { assertionsPassed, runs } = await judged(await finished(), [{ pattern: '/other/', assertions: slow }]);
  expect(assertionsPassed).toBeNull();
  expect(runs).toMatchObject([{ assertions: [], warnings: ['No assertion is about https://shop.example/.'] }]);
});

test('a failed run has no results beside one that is judged', async () => {
  const check = aCheck();
  const [first, second] = await api.world.create(check);
  if (!first || !second) throw new Error('no runs');
  await api.world.finish(first, { state: 'failed', error: runError('page-hung') });
  await problemOf(await judge(check.id), 409, 'report-not-ready');
  const gzip = gzipSync(JSON.stringify(shortReport));
  await api.world.finish(second, { ...passed, report: await api.world.storeReport(second, gzip) });
  const { assertionsPassed, runs } = await judged(check.id);
  expect(assertionsPassed).toBe(false);
  expect(runs).toMatchObject([
    { state: 'failed', assertions: null },
    { state: 'succeeded', assertions: [{ passed: false }] },
  ]);
});

test.each([
  ['no assertions', {}],
  ['a pattern that is not RE2', [{ pattern: '(?=x)', assertions: slow }]],
  ['a limit that no score has', { 'image-alt': ['error', { minScore: 2 }] }],
])('%s are a 400', async (_, assertions) => {
  const { errors } = await problemOf(await judge(await finished(), assertions), 400, 'invalid-request');
  expect(errors?.[0]?.path).toMatch(/^assertions/);
});

test('a report of a size that no function can parse is a 422, and an expired one a 404', async () => {
  const large = aCheck({ regions: ['us-west1'] });
  const [run] = await api.world.create(large);
  if (!run) throw new Error('no run');
  const report = await api.world.storeReport(run, gzipSync('{}'), 65 * 1024 * 1024);
  await api.world.finish(run, { ...passed, report });
  await problemOf(await judge(large.id), 422, 'not-comparable');
  const gone = aCheck({ regions: ['us-west1'] });
  const [other] = await api.world.create(gone);
  if (!other) throw new Error('no run');
  await api.world.finish(other, { ...passed, report: { ...report, bytes: 2, key: `${report.key}.gone` } });
  await problemOf(await judge(gone.id), 404, 'report-unavailable');
});
