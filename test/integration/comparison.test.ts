import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { CheckComparison, RegionComparison } from '../../shared/comparison/comparison.ts';
import { noMetrics, spreadOf } from '../../shared/page-metrics.ts';
import { runError } from '../../shared/problems.ts';
import type { Region } from '../../shared/regions.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { problemOf } from '../support/problem.ts';
import { aCheck, type World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi();
  world = api.world;
});
afterAll(() => api.stop());

const compare = (id: string, query = '') => fetchDocumented(`${api.url}/v1/checks/${id}/comparison${query}`);

const finish = async (run: RunItem, lcps: readonly number[]) => {
  const lease = await world.claim(run);
  const samples = lcps.map((lcp) => ({ ...noMetrics, lcp, cpuBusy: 0, contended: false }));
  const outcome =
    samples.length === 0
      ? { state: 'failed' as const, error: runError('dns-failure') }
      : { state: 'succeeded' as const, ...noMetrics, lcp: lcps[0] ?? null, samples, spread: spreadOf(samples) };
  await world.leases.finish(lease, { attempts: [], ...outcome }, new Date());
};

/** Creates a finished check. A region without samples has failed. Returns its id. */
const finishedCheck = async (lcps: Partial<Record<Region, readonly number[]>>): Promise<string> => {
  const check = aCheck({ regions: Object.keys(lcps) as Region[] });
  for (const run of await world.create(check)) await finish(run, lcps[run.region] ?? []);
  return check.id;
};

test('the regions of a check are compared', async () => {
  const id = await finishedCheck({ 'us-west1': [633, 640, 629], 'europe-north1': [912, 905, 918] });
  const answer = await compare(id);
  expect(answer.status).toBe(200);
  const { metrics, ...comparison } = RegionComparison.strict().parse(await answer.json());
  expect(comparison).toEqual({
    checkId: id,
    baseCheckId: null,
    regions: ['us-west1', 'europe-north1'],
    comparable: true,
    reasons: [],
  });
  expect(metrics.lcp).toMatchObject({ best: 'us-west1', difference: '279ms', verdict: 'different' });
});

test('a check is compared with an earlier one, region by region', async () => {
  const base = await finishedCheck({ 'us-west1': [633, 640, 629], 'us-east4': [700, 701, 702] });
  const id = await finishedCheck({ 'us-west1': [933, 940, 929], 'us-east4': [] });
  const answer = await compare(id, `?base=${base.toUpperCase()}`);
  const comparison = CheckComparison.strict().parse(await answer.json());
  expect(comparison).toMatchObject({
    checkId: id,
    baseCheckId: base,
    regions: ['us-west1'],
    comparable: false,
    reasons: [{ code: 'failed', region: 'us-east4' }],
  });
  expect(comparison.metrics.lcp).toEqual({
    regions: { 'us-west1': { base: '633ms', value: '933ms', difference: '300ms', verdict: 'regressed' } },
    verdict: 'regressed',
  });
});

test('each comparison that is impossible has an answer of its own', async () => {
  const id = await finishedCheck({ 'us-west1': [633, 640, 629] });
  const elsewhere = await finishedCheck({ 'us-east4': [633, 640, 629] });
  const unfinished = aCheck();
  await world.create(unfinished);
  await problemOf(await compare(id), 422, 'not-comparable');
  await problemOf(await compare(id, `?base=${elsewhere}`), 422, 'not-comparable');
  await problemOf(await compare(id, `?base=${id}`), 400, 'invalid-request');
  await problemOf(await compare(id, '?with=x'), 400, 'invalid-request');
  await problemOf(await compare(id, '?base='), 404, 'not-found');
  await problemOf(await compare(id, `?base=${randomUUID()}`), 404, 'not-found');
  await problemOf(await compare(randomUUID()), 404, 'not-found');
  for (const answer of [await compare(unfinished.id), await compare(id, `?base=${unfinished.id}`)]) {
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(await problemOf(answer, 409, 'report-not-ready')).toMatchObject({
      detail: `The check ${unfinished.id} is not finished. Retry in a few seconds.`,
    });
  }
});

test('an erased check and a check of another owner can not be a base', async () => {
  const id = await finishedCheck({ 'us-west1': [633, 640, 629] });
  const erased = await finishedCheck({ 'us-west1': [633, 640, 629] });
  expect((await fetchDocumented(`${api.url}/v1/checks/${erased}`, { method: 'DELETE' })).status).toBe(204);
  await problemOf(await compare(id, `?base=${erased}`), 404, 'not-found');

  const foreign = aCheck({ regions: ['us-west1'] });
  await world.store.create(foreign, {
    owner: 'another',
    correlationId: 'c',
    fingerprint: 'f',
    createId: randomUUID(),
    expiresAt: new Date(Date.now() + 1e6),
    trendExpiresAt: new Date(Date.now() + 1e6),
  });
  await problemOf(await compare(id, `?base=${foreign.id}`), 404, 'not-found');
});
