import { expect, test, vi } from 'vitest';
import { pageStore } from '../../functions/lib/store/listed-pages.ts';
import { mainNames } from '../../shared/page-metrics.ts';
import { PageResult } from '../../shared/pages.ts';
import { idsOf, startPages } from '../support/audited-pages.ts';
import { problemOf } from '../support/problem.ts';

const { world, caller, call, get, pages, erase, create, finish, audited } = await startPages();

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

test('a page whose newest score other programs may have lowered keeps the place of its score before', async () => {
  const slow = await audited({ url: 'https://slow.example/', performance: 60 });
  await audited({ performance: 90 });
  const busy = await audited({ at: 60, performance: 20, contended: true });
  const first = await audited({ url: 'https://new.example/', performance: 20, contended: true });
  expect(idsOf(await pages())).toEqual([slow.id, busy.id, first.id]);
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
      lcp: { base: '2436ms', value: '3795ms', verdict: 'regressed', change: { estimate: '1357ms' } },
      performance: { base: 98, value: 98, verdict: 'same' },
    },
  });
  await audited({ at: 90, lcps: [900, 900, 900], blockedUrlPatterns: ['ads'], headers: ['x-test'] as never });
  const [blocked] = (await pages()).pages as [PageResult];
  expect(blocked.change).toMatchObject({
    verdict: 'unknown',
    differences: ['blockedUrlPatterns', 'headers'],
    metrics: { lcp: { verdict: 'unknown', change: { estimate: '-2893ms' } } },
  });
  expect(JSON.stringify(blocked)).not.toContain('ads');
});

test('the change is the one that the comparison of both checks has', async () => {
  const base = await audited({ lcps: [2430, 2436, 2441], performance: 80 });
  const check = await audited({ at: 60, lcps: [3780, 3795, 3801], performance: 71 });
  const [{ change }] = (await pages()).pages as [PageResult];
  const { metrics } = await (await call(`/v1/checks/${check.id}/comparison?base=${base.id}`)).json();
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

test('an older check that closes late fills no gap after results were dropped', async () => {
  const late = await create({ at: -720 });
  const others = [];
  for (let i = 1; i <= 11; i++) others.push(await audited({ at: 60 * i - 720, performance: 50 + i })); // the list drops the first
  await erase(String(others[5]?.id));
  await finish(late, { performance: 40 });
  const [{ history }] = (await pages()).pages as [PageResult];
  expect(history.map(({ performance }) => performance)).toEqual([52, 53, 54, 55, 57, 58, 59, 60, 61]);
});

test('checks of a page that close at once lose no result', async () => {
  const all = await Promise.all([0, 1, 2, 3, 4, 5].map((at) => create({ at })));
  await Promise.all(all.map((check, i) => finish(check, { performance: 60 + i })));
  const [{ history, checkId }] = (await pages()).pages as [PageResult];
  expect(history.map(({ performance }) => performance)).toEqual([60, 61, 62, 63, 64, 65]);
  expect(checkId).toBe(all[5]?.id);
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

test('an expired page is in no list, even if the table has not deleted its item yet', async () => {
  await audited();
  const inDays = (days: number) => new Date(Date.now() + days * 24 * 3600_000);
  const store = pageStore(world.db);
  for (const [days, count] of [
    [399, 1],
    [401, 0],
  ] as const) {
    expect((await store.list(caller.owner, undefined, 10, inDays(days))).entries).toHaveLength(count);
    expect((await store.ofUrl(caller.owner, 'https://example.com/', '', inDays(days))).entries).toHaveLength(count);
  }
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

test('the results of a URL are one read of its own items, page by page', async () => {
  const url = 'https://example.com/shop';
  const all = [
    await audited({ url, regions: ['us-east4'], performance: 40 }),
    await audited({ url, device: 'desktop', performance: 50 }),
    await audited({ url, performance: 60 }),
  ];
  await audited({ url: `${url}/cart`, performance: 1 });
  const send = vi.spyOn(world.db.client, 'send');
  const read = await pageStore(world.db).ofUrl(caller.owner, url, undefined, new Date());
  expect(send).toHaveBeenCalledOnce();
  send.mockRestore();
  expect(read.entries.map(({ page }) => page.newest.checkId)).toEqual(all.map(({ id }) => id));
  const first = await pages(`?url=${url}&limit=2`);
  const second = await pages(`?url=${url}&limit=2&cursor=${first.nextCursor}`);
  expect([...idsOf(first), ...idsOf(second)]).toEqual(all.map(({ id }) => id));
  expect(second.nextCursor).toBeNull();
  expect(idsOf(await pages(`?url=${url}&region=us-east4`))).toEqual([all[0]?.id]);
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
  caller.owner = 'another';
  await audited({ performance: 1 });
  expect(idsOf(await pages())).toEqual([mine.id]);
});

test('a page with damaged results is left out until its next check, and its series still has the others', async () => {
  const first = await audited();
  const send = world.db.client.send.bind(world.db.client);
  const spy = vi.spyOn(world.db.client, 'send').mockImplementation((async (command: never, ...rest: never[]) => {
    const { input } = command as { input: { Key?: { pk?: string }; ExpressionAttributeValues?: object } };
    const values = input.Key?.pk === `LATEST#${caller.owner}` && input.ExpressionAttributeValues;
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
