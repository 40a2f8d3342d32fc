import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome } from '../../functions/lib/store/leases.ts';
import type { Check, CheckInputs } from '../../shared/check.ts';
import { mainNames, noMetrics } from '../../shared/page-metrics.ts';
import { PageResult } from '../../shared/pages.ts';
import { runError } from '../../shared/problems.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { environment } from '../support/environment.ts';
import { problemOf } from '../support/problem.ts';
import { aCheck, later, type World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi({ AUTH: 'keys' });
  world = api.world;
});
afterAll(() => api.stop());

let owner: string;
let authorization: string;
beforeEach(async () => {
  owner = `owner-${randomUUID().slice(0, 8)}`;
  authorization = `Bearer ${(await world.newKey({ owner })).text}`;
});

const get = (query = '') => fetchDocumented(`${api.url}/v1/pages${query}`, { headers: { authorization } });
type List = { pages: PageResult[]; nextCursor: string | null };
const pages = async (query = ''): Promise<List & { link: string | null }> => {
  const answer = await get(query);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return { ...((await answer.json()) as List), link: answer.headers.get('link') };
};
const erase = async (id: string) => {
  const answer = await fetchDocumented(`${api.url}/v1/checks/${id}`, { method: 'DELETE', headers: { authorization } });
  expect(answer.status).toBe(204);
};

const t0 = new Date(Date.now() - 3600_000);
const DAY = 24 * 3600;
type Result = { lcps?: number[]; performance?: number; failed?: boolean; days?: number; trendDays?: number };
type Audited = Partial<CheckInputs> & { at?: number } & Result;

const create = async ({ at = 0, days = 90, trendDays = 400, ...inputs }: Audited = {}): Promise<Check> => {
  const { lcps: _, performance: __, failed: ___, ...sent } = inputs;
  const check = aCheck({ now: later(t0, at), regions: ['us-west1'], ...sent });
  await world.store.create(check, {
    owner,
    correlationId: 'c',
    fingerprint: 'f',
    createId: randomUUID(),
    expiresAt: later(new Date(), days * DAY),
    trendExpiresAt: later(new Date(), trendDays * DAY),
  });
  return check;
};
const finish = async (check: Check, { lcps = [900], performance = 98, failed }: Result = {}, { leases } = world) => {
  const samples = lcps.map((lcp) => ({ ...noMetrics, performance, lcp, cls: 0.01, cpuBusy: 0, contended: false }));
  const { cpuBusy: _, contended: __, ...metrics } = samples[Math.floor(samples.length / 2)] as (typeof samples)[number];
  const outcome: Outcome = failed
    ? { state: 'failed', error: runError('dns-failure'), attempts: [] }
    : { state: 'succeeded', ...metrics, samples, environment, attempts: [] };
  for (const run of (await world.find(check.id)).runs) {
    const lease = await leases.claim(run, randomUUID(), t0);
    if (lease) await leases.finish(lease, outcome, later(t0, 9));
  }
};
const audited = async (inputs: Audited = {}): Promise<Check> => {
  const check = await create(inputs);
  await finish(check, inputs);
  return check;
};
const idsOf = (list: List) => list.pages.map(({ checkId }) => checkId);

test('the list has the newest result of each URL, device and region, the worst first', async () => {
  await audited({ performance: 80 });
  const newest = await audited({ at: 60, performance: 90, url: 'HTTPS://example.com' });
  const desktop = await audited({ at: 30, performance: 50, device: 'desktop' });
  const cart = await audited({ url: 'https://example.com/cart', regions: ['us-west1', 'us-east4'], performance: 70 });
  const broken = await audited({ url: 'https://broken.example/', failed: true });
  await create({ at: 90 }); // not finished
  const list = await pages();
  expect(idsOf(list)).toEqual([broken.id, desktop.id, cart.id, cart.id, newest.id]);
  expect(list.pages[0]).toMatchObject({ state: 'failed', errorCode: 'dns-failure', performance: null, change: null });
  expect(list.pages[4]).toMatchObject({
    url: 'HTTPS://example.com',
    device: 'mobile',
    region: 'us-west1',
    lcp: '900ms',
    numericValues: { lcp: 900, cls: 0.01 },
    sampleCount: 1,
    history: [{ performance: 80 }, { performance: 90 }],
    links: {
      self: `/v1/checks/${newest.id}/runs/${newest.runs[0]?.id}`,
      check: `/v1/checks/${newest.id}`,
      page: '/pages?url=HTTPS%3A%2F%2Fexample.com&device=mobile',
    },
  });
  for (const each of list.pages) expect(PageResult.parse(each)).toEqual(each);
});

test('a change has a verdict by the samples of both results, and names what differs', async () => {
  const base = await audited({ lcps: [2430, 2436, 2441] });
  await audited({ at: 30, failed: true });
  await audited({ at: 60, lcps: [3780, 3795, 3801] });
  const [{ change }] = (await pages()).pages as [PageResult];
  expect(change).toMatchObject({
    baseCheckId: base.id,
    verdict: 'regressed',
    reasons: [],
    differences: [],
    metrics: {
      lcp: { base: '2436ms', value: '3795ms', verdict: 'regressed', change: { estimate: '1359ms' } },
      performance: { base: 98, value: 98, verdict: 'same' },
    },
  });
  await audited({ at: 90, lcps: [900, 900, 900], blockedUrlPatterns: ['ads'], headers: ['x-test'] as never });
  const [blocked] = (await pages()).pages as [PageResult];
  expect(blocked.change).toMatchObject({
    verdict: 'unknown',
    differences: ['blockedUrlPatterns', 'headers'],
    metrics: { lcp: { verdict: 'unknown', change: { estimate: '-2895ms' } } },
  });
  expect(JSON.stringify(blocked)).not.toContain('ads');
});

test('the change is the one that the comparison of both checks has', async () => {
  const base = await audited({ lcps: [2430, 2436, 2441], performance: 80 });
  const check = await audited({ at: 60, lcps: [3780, 3795, 3801], performance: 71 });
  const [{ change }] = (await pages()).pages as [PageResult];
  const path = `${api.url}/v1/checks/${check.id}/comparison?base=${base.id}`;
  const { metrics } = await (await fetchDocumented(path, { headers: { authorization } })).json();
  const names = mainNames.filter((name) => metrics[name].regions['us-west1']?.value !== null);
  expect(change?.metrics).toEqual(Object.fromEntries(names.map((name) => [name, metrics[name].regions['us-west1']])));
});

test('an older check that closes late replaces no newer result', async () => {
  const late = await create({ at: 0 });
  const newest = await audited({ at: 60, performance: 90 });
  await finish(late, { performance: 40 });
  const { pages: found } = await pages();
  expect(found).toMatchObject([{ checkId: newest.id, history: [{ performance: 40 }, { performance: 90 }] }]);
  expect(found[0]?.change).toMatchObject({ baseCheckId: late.id });
});

test('checks of a page that close at once lose no result', async () => {
  const all = await Promise.all([0, 1, 2, 3, 4, 5].map((at) => create({ at })));
  await Promise.all(all.map((check, i) => finish(check, { performance: 60 + i })));
  const [{ history, checkId }] = (await pages()).pages as [PageResult];
  expect(history.map(({ performance }) => performance)).toEqual([60, 61, 62, 63, 64, 65]);
  expect(checkId).toBe(all[5]?.id);
});

test('when a check is erased, the one before takes its place, and at the end the page is gone', async () => {
  const first = await audited({ performance: 60 });
  const second = await audited({ at: 60, performance: 70 });
  const third = await audited({ at: 120, performance: 80 });
  await erase(third.id);
  expect((await pages()).pages).toMatchObject([{ checkId: second.id, change: { baseCheckId: first.id } }]);
  await erase(first.id);
  expect((await pages()).pages).toMatchObject([{ checkId: second.id, change: null, history: [{ performance: 70 }] }]);
  await erase(second.id);
  expect(await pages()).toEqual({ pages: [], nextCursor: null, link: null });
});

test('after erasures of all results that the list keeps, the series has the one before', async () => {
  const first = await audited({ performance: 40, labels: { branch: 'main' } });
  await audited({ at: 1, performance: 41, regions: ['us-east4'] });
  const others = [];
  for (let i = 1; i <= 12; i++) others.push(await audited({ at: 60 * i, performance: 50 + i }));
  const shown = (await pages('?region=us-west1')).pages[0]?.history.map(({ performance }) => performance);
  expect(shown).toEqual([53, 54, 55, 56, 57, 58, 59, 60, 61, 62]);
  for (const { id } of others.reverse()) await erase(id);
  expect((await pages('?region=us-west1')).pages).toMatchObject([
    { checkId: first.id, performance: 40, labels: { branch: 'main' }, change: null, history: [{ performance: 40 }] },
  ]);
});

test('a page expires with its series, and its run before, without an end of its place in the list', async () => {
  const check = await audited({ days: -1 });
  const [{ links }] = (await pages()).pages as [PageResult];
  expect(links).toMatchObject({ self: null, check: null });
  await erase(check.id);
  expect((await pages()).pages).toEqual([]);
  await audited({ days: -1, trendDays: -1 });
  expect((await pages()).pages).toEqual([]);
});

test('filters by URL, device, region and labels find pages, page by page', async () => {
  const labels = { branch: 'main', team: 'shop' };
  const all = [];
  for (let i = 0; i < 5; i++)
    all.push(await audited({ url: `https://example.com/${i}`, performance: 50 + i, ...(i % 2 === 0 && { labels }) }));
  const ids = all.map(({ id }) => id);
  const seen: string[] = [];
  for (let query: string | undefined = '?limit=2'; query; ) {
    const list = await pages(query);
    expect(list.pages.length).toBeLessThanOrEqual(2);
    seen.push(...idsOf(list));
    expect(list.link).toBe(list.nextCursor && `</v1/pages?limit=2&cursor=${list.nextCursor}>; rel="next"`);
    query = list.nextCursor ? `?limit=2&cursor=${list.nextCursor}` : undefined;
  }
  expect(seen).toEqual(ids);
  expect(idsOf(await pages('?label=branch:main&label=team:shop'))).toEqual([ids[0], ids[2], ids[4]]);
  expect(idsOf(await pages('?label=branch:main&limit=1'))).toEqual([ids[0]]);
  expect(idsOf(await pages('?url=https://example.com/3'))).toEqual([ids[3]]);
  expect(idsOf(await pages('?device=desktop'))).toEqual([]);
  expect(idsOf(await pages('?region=us-east4'))).toEqual([]);
});

test('an owner sees own pages only, also with a forged cursor', async () => {
  const mine = await audited();
  const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const cursor of ['x', '', forged([]), forged(['PAGES#other']), forged([`${'000'}#x#y#z`])]) {
    const { errors } = await problemOf(await get(`?cursor=${cursor}`), 400, 'invalid-request');
    expect(errors).toMatchObject([{ path: 'cursor' }]);
  }
  const start = forged([`000#${'0'.repeat(64)}#a#b`]);
  expect(idsOf(await pages(`?cursor=${start}`))).toEqual([mine.id]);
  owner = 'another';
  await audited({ performance: 1 });
  expect(idsOf(await pages())).toEqual([mine.id]);
});

test('a page with damaged results is left out until its next check, and its series still has the others', async () => {
  const first = await audited();
  const send = world.db.client.send.bind(world.db.client);
  const spy = vi.spyOn(world.db.client, 'send').mockImplementation((async (command: never, ...rest: never[]) => {
    const { input } = command as { input: { Key?: { pk?: string }; ExpressionAttributeValues?: object } };
    const values = input.Key?.pk === `LATEST#${owner}` && input.ExpressionAttributeValues;
    if (values)
      for (const [name, value] of Object.entries(values))
        if (value instanceof Uint8Array) Object.assign(values, { [name]: Uint8Array.of(1) });
    return (send as (...all: unknown[]) => unknown)(command, ...rest);
  }) as never);
  await audited({ at: 60 });
  spy.mockRestore();
  expect((await pages()).pages).toEqual([]);
  const check = await audited({ at: 120 });
  expect((await pages()).pages).toMatchObject([{ checkId: check.id, history: [{}] }]);
  await erase(check.id);
  expect((await pages()).pages).toMatchObject([{ change: { baseCheckId: first.id }, history: [{}, {}] }]);
});
