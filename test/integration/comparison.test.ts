import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getComparison } from '../../functions/get-comparison.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import type { CheckInputs } from '../../shared/check.ts';
import { CheckComparison, RegionComparison } from '../../shared/comparison/schemas.ts';
import { noMetrics, spreadOf } from '../../shared/metrics/page-metrics.ts';
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
const finishedCheck = async (
  lcps: Partial<Record<Region, readonly number[]>>,
  inputs: Partial<CheckInputs> = {},
): Promise<string> => {
  const check = aCheck({ regions: Object.keys(lcps) as Region[], ...inputs });
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
    comparable: false,
    reasons: [{ code: 'different-machine', region: 'europe-north1' }], // nobody knows them
    differences: [],
  });
  expect(metrics.lcp).toMatchObject({ best: 'us-west1', change: { estimate: '278ms' }, verdict: 'unknown' });
});

test('regions that are one machine have no comparison, and their check has one with a base', async () => {
  const lcps = { 'us-west1': [633, 640, 629], 'europe-north1': [912, 905, 918] };
  const [base, id] = [await finishedCheck(lcps), await finishedCheck(lcps)];
  const onOne = getComparison({ ...world, place: 'this machine' });
  const request = {
    owner: 'anonymous',
    plan: 'large' as const,
    requestId: 'r',
    method: 'GET',
    path: '/',
    params: { checkId: id },
  };
  await expect(onOne({ ...request, headers: {}, query: {}, body: undefined })).rejects.toThrow(
    'one place: this machine',
  );
  expect(await onOne({ ...request, headers: {}, query: { base }, body: undefined })).toMatchObject({ status: 200 });
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
    regions: {
      'us-west1': {
        base: '633ms',
        value: '933ms',
        change: { estimate: '300ms', low: '254ms', high: '346ms', confidence: 0.99, by: 'checks' },
        noise: { within: '6ms', between: '8ms', from: 'prior', checks: 2 },
        suspected: false,
        needs: null,
        verdict: 'regressed',
      },
    },
    verdict: 'regressed',
  });
});

test('a further check of the page counts together with the check, and confirms what was suspected', async () => {
  const page = { url: 'https://again.example/' };
  const lcps = (by: number) => ({ 'us-west1': [2000, 2010, 2020, 2030, 2040].map((lcp) => lcp + by) }) as const;
  const base = await finishedCheck(lcps(0), { ...page, labels: { branch: 'main' } });
  const [id, further] = [
    await finishedCheck(lcps(102), page),
    await finishedCheck(lcps(102), { ...page, labels: { branch: 'main' } }),
  ];
  const of = async (query: string) => CheckComparison.strict().parse(await (await compare(id, query)).json());
  const [alone, both] = [await of(`?base=${base}`), await of(`?base=label:branch=main&pool=1&again=${further}`)];
  expect(both).toMatchObject({ baseCheckId: base, againCheckIds: [further], pooledCheckIds: [] });
  const noise = (comparison: CheckComparison) => comparison.metrics.lcp.regions['us-west1']?.noise?.checks;
  expect([noise(alone), noise(both)]).toEqual([2, 3]);
  const desktop = await finishedCheck(lcps(0), { ...page, device: 'desktop' });
  for (const again of [id, base, desktop, 'x', '', Array(6).fill(further).join()]) {
    const answer = await compare(id, `?base=${base}&again=${again}`);
    expect(await problemOf(answer, 400, 'invalid-request')).toMatchObject({ errors: [{ path: 'again' }] });
  }
  await problemOf(await compare(id, `?base=${base}&again=${randomUUID()}`), 404, 'not-found');
  await problemOf(await compare(id, `?again=${further}`), 400, 'invalid-request');
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
    retentionDays: 90,
    createId: randomUUID(),
    expiresAt: new Date(Date.now() + 1e6),
    trendExpiresAt: new Date(Date.now() + 1e6),
  });
  await problemOf(await compare(id, `?base=${foreign.id}`), 404, 'not-found');
});

const steady = (lcp: number) => [lcp, lcp + 5, lcp + 10];
const labelled = (branch: string, lcp: number, inputs: Partial<CheckInputs> = {}) =>
  finishedCheck({ 'us-west1': steady(lcp) }, { labels: { branch }, ...inputs });
/** Closes the check, as the last of its runs does, so that its runs are in the series of its page. */
const closed = async (id: Promise<string>): Promise<string> => {
  await world.store.closeIfFinished(await id, new Date());
  return id;
};
const comparisonOf = async (id: string, query: string) =>
  CheckComparison.strict().parse(await (await compare(id, query)).json());

test('a label as base is the newest finished checks of the same page that have it, whatever their case', async () => {
  const url = 'https://example.com/labelled';
  const older = await closed(labelled('Main', 600, { url }));
  const newest = await closed(labelled('Main', 610, { url }));
  await closed(labelled('Main', 1, { url: 'https://example.com/other' }));
  await closed(labelled('Main', 1, { url, device: 'desktop' }));
  await closed(labelled('main', 1, { url }));
  await closed(finishedCheck({ 'us-west1': [] }, { url, labels: { branch: 'Main' } })); // failed
  await world.create(aCheck({ url, labels: { branch: 'Main' } })); // not finished
  const id = await closed(labelled('Main', 900, { url })); // never its own base
  const comparison = await comparisonOf(id, '?base=label:branch=Main');
  expect(comparison).toMatchObject({ checkId: id, baseCheckId: newest, pooledCheckIds: [older], comparable: true });
  expect(comparison.metrics.lcp.regions['us-west1']).toMatchObject({ base: '610ms', verdict: 'regressed' });
});

test('a pool has the samples of the newest checks with the label that are comparable', async () => {
  const url = 'https://example.com/pooled';
  const [oldest, older] = [await closed(labelled('main', 620, { url })), await closed(labelled('main', 630, { url }))];
  await closed(labelled('main', 1, { url, blockedUrlPatterns: ['*/ads/*'] }));
  const newest = await closed(labelled('main', 600, { url }));
  const id = await closed(labelled('new', 900, { url }));
  const two = await comparisonOf(id, '?base=label:branch=main&pool=2');
  expect(two).toMatchObject({ baseCheckId: newest, pooledCheckIds: [older] });
  const ten = await comparisonOf(id, '?base=label:branch=main&pool=10');
  expect(ten).toMatchObject({ baseCheckId: newest, pooledCheckIds: [older, oldest] });
  expect(ten.metrics.lcp.regions['us-west1']).toMatchObject({ base: '625ms', noise: { checks: 4 } });
});

test('a difference that was intended has verdicts, and any other has none', async () => {
  const base = await finishedCheck({ 'us-west1': steady(600) }, { url: 'https://intended.example.com/' }); // without earlier checks
  const inputs = { url: 'https://preview.example.com/', blockedUrlPatterns: ['*/ads/*'] };
  const id = await finishedCheck({ 'us-west1': steady(900) }, inputs);
  const codes = ['url', 'blockedUrlPatterns'];
  for (const [query, comparable] of [
    ['', false],
    ['&intended=url', false],
    ['&intended=url,blockedUrlPatterns', true],
  ] as const) {
    const { differences, metrics, ...comparison } = await comparisonOf(id, `?base=${base}${query}`);
    expect(differences.map(({ code }) => code)).toEqual(codes);
    expect(comparison.comparable).toBe(comparable);
    expect(metrics.lcp.verdict).toBe(comparable ? 'regressed' : 'unknown');
  }
});

test('a wrong base, pool or intended difference is refused with the values that are right', async () => {
  const id = await finishedCheck({ 'us-west1': steady(600) });
  const other = await finishedCheck({ 'us-west1': steady(600) });
  const pathsOf = async (query: string) => {
    const { errors, detail } = await problemOf(await compare(id, query), 400, 'invalid-request');
    expect(detail).toMatch(/must be|needs|need a base/);
    return errors?.map(({ path }) => path);
  };
  expect(await pathsOf(`?base=${other}&intended=colour`)).toEqual(['intended']);
  expect(await pathsOf(`?base=${other}&pool=2`)).toEqual(['pool']);
  expect(await pathsOf('?base=label:branch=main&pool=0')).toEqual(['pool']);
  expect(await pathsOf('?base=label:branch=main&pool=11')).toEqual(['pool']);
  expect(await pathsOf('?base=label:branch')).toEqual(['base']);
  expect(await pathsOf('?pool=2&intended=url')).toEqual(['pool', 'intended']);
  const unknown = await problemOf(await compare(id, '?base=label:branch=nowhere'), 404, 'not-found');
  expect(unknown.detail).toMatch(/^No other finished check of .+ on mobile has the label branch=nowhere\. Create one/);
  const { detail } = await problemOf(await compare(id, `?base=${other}&intended=colour`), 400, 'invalid-request');
  expect(detail).toBe(
    'Intended differences must be a list with commas of: url, auditVersion, device, categories, throttling, blockedUrlPatterns, headers, basicAuth, cookies, storageState, chromium, sandbox, fonts, revision.',
  );
});

test("the page's earlier checks show how much it moves by itself, and later ones change no verdict", async () => {
  const close = (url: string, lcp: number) => closed(finishedCheck({ 'us-west1': steady(lcp) }, { url }));
  const [restless, calm] = ['https://example.com/restless', 'https://example.com/calm'];
  for (const lcp of [1000, 1400, 900, 1500, 1000, 1400]) {
    await close(restless, lcp);
    await close(calm, 1000);
  }
  const lcpOf = async (url: string) => {
    const [base, id] = [await close(url, 1000), await close(url, 1400)];
    const compared = await comparisonOf(id, `?base=${base}`);
    for (const lcp of [1000, 2000, 1000, 2000]) await close(url, lcp);
    expect(await comparisonOf(id, `?base=${base}`)).toEqual(compared);
    return compared.metrics.lcp.regions['us-west1'];
  };
  expect(await lcpOf(calm)).toMatchObject({ verdict: 'regressed', noise: { checks: 8 } });
  expect(await lcpOf(restless)).toMatchObject({
    verdict: 'unknown',
    suspected: true,
    needs: { kind: 'checks' },
    noise: { from: 'prior', checks: 8 },
  });
});
