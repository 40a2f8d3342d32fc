import { expect, test, vi } from 'vitest';
import { pageStore } from '../../functions/lib/store/listed-pages.ts';
import type { CheckComparison } from '../../shared/comparison/schemas.ts';
import { Page } from '../../shared/pages/pages.ts';
import { anInteraction } from '../support/an-interaction.ts';
import { idsOf, resultsIn, startPages } from '../support/audited-pages.ts';
import { problemOf } from '../support/problem.ts';

const { world, call, caller, get, pages, erase, create, finish, audited } = await startPages();

test('the list has the newest result of each URL, device and region, the worst page first', async () => {
  await audited({ performance: 80 });
  const newest = await audited({ at: 60, performance: 90, url: 'HTTPS://example.com' });
  const desktop = await audited({ at: 30, performance: 50, device: 'desktop' });
  const cart = await audited({ url: 'https://example.com/cart', regions: ['us-west1', 'us-east4'], performance: 70 });
  const broken = await audited({ url: 'https://broken.example/', failed: true });
  await create({ at: 90 }); // not finished
  const list = await pages();
  expect(idsOf(list)).toEqual([broken.id, newest.id, desktop.id, cart.id, cart.id]);
  expect(list.counts).toEqual({ total: 3, worse: 0, failed: 1, better: 0, unchanged: 0, untold: 2 });
  expect(resultsIn(list)[0]).toMatchObject({
    state: 'failed',
    errorCode: 'dns-failure',
    errorMessage: expect.stringContaining('name'),
    performance: null,
    change: null,
    unjudged: 'failed',
  });
  expect(list.pages[1]?.results[0]).toMatchObject({
    device: 'mobile',
    region: 'us-west1',
    lcp: '900ms',
    numericValues: { lcp: 900, cls: 0.01 },
    sampleCount: 1,
    history: [80, 90],
    unjudged: 'too-few-checks',
    links: {
      self: `/v1/checks/${newest.id}/runs/${newest.runs[0]?.id}`,
      check: `/v1/checks/${newest.id}`,
      page: '/pages?url=HTTPS%3A%2F%2Fexample.com&device=mobile',
    },
  });
  for (const each of list.pages) expect(Page.parse(each)).toEqual(each);
});

test('a newest result has the INP of its interactions, and after an erasure the result before has', async () => {
  const menu = anInteraction([null], { name: 'menu' });
  await audited({ measured: [anInteraction([120.4])] });
  const newest = await audited({ at: 60, measured: [anInteraction([324]), menu] });
  const shown = async () => resultsIn(await pages()).map(({ interactions }) => interactions);
  expect(await shown()).toEqual([
    [
      { name: 'search', inp: '324ms' },
      { name: 'menu', inp: null },
    ],
  ]);
  await erase(newest.id);
  expect(await shown()).toEqual([[{ name: 'search', inp: '120ms' }]]);
  await audited({ at: 90 });
  expect(await shown()).toEqual([null]);
});

test('a page whose newest score other programs may have lowered keeps the place of its score before', async () => {
  const slow = await audited({ url: 'https://slow.example/', performance: 60 });
  await audited({ performance: 90 });
  const busy = await audited({ at: 60, performance: 20, contended: true });
  const first = await audited({ url: 'https://new.example/', performance: 20, contended: true });
  expect(idsOf(await pages())).toEqual([slow.id, busy.id, first.id]);
});

const [HOUR, DAY] = [3600, 24 * 3600];
type Inputs = Parameters<typeof audited>[0];

/** Audits a page every so many seconds for eight days. The inputs change some days ago. */
const eightDays = async (
  every: number,
  earlier: Inputs,
  { changedDaysAgo = 0, ...later }: Inputs & { changedDaysAgo?: number } = {},
) => {
  const all = [];
  for (let at = -8 * DAY; at <= 0; at += every)
    all.push(await audited({ at, ...earlier, ...(at >= -changedDaysAgo * DAY && later) }));
  return all;
};

test('a page that fell days ago is worse, with the check that began it, and then better', async () => {
  const lcps = [2430, 2436, 2441];
  const url = 'https://example.com/shop';
  const all = await eightDays(
    8 * HOUR,
    { url, lcps, performance: 78 },
    { performance: 60, lcps: [3780, 3795, 3801], changedDaysAgo: 3 },
  );
  await eightDays(8 * HOUR, { lcps, performance: 78 });
  const first = all.find(({ createdAt }) => Date.parse(createdAt) > Date.now() - 3 * DAY * 1000 - 2 * HOUR * 1000);
  const base = all[all.findIndex(({ id }) => id === first?.id) - 1];
  const list = await pages('?since=7d');
  expect(list.counts).toEqual({ total: 2, worse: 1, failed: 0, better: 0, unchanged: 1, untold: 0 });
  const worse = await pages('?since=30d&changed=worse');
  expect(worse.pages).toMatchObject([
    {
      url,
      changed: 'worse',
      results: [
        {
          change: {
            verdict: 'regressed',
            changedAt: first?.createdAt,
            checkId: first?.id,
            baseCheckId: base?.id,
            metrics: {
              performance: { base: 78, value: 60, verdict: 'regressed', change: { estimate: -18, confidence: 0.99 } },
              lcp: { verdict: 'regressed' },
            },
          },
        },
      ],
    },
  ]);
  const found = resultsIn(worse)[0];
  expect(found?.steps).toMatchObject([
    { metric: 'performance', at: first?.createdAt, verdict: 'regressed', base: 78, value: 60 },
    { metric: 'lcp', verdict: 'regressed', base: '2436ms', checkId: first?.id, baseCheckId: base?.id },
  ]);
  expect((await pages('?since=1d')).counts).toMatchObject({ worse: 0, unchanged: 2 });
  expect((await pages('?since=7d&sort=change')).pages.map((page) => page.url)).toEqual([url, 'https://example.com/']);
});

test('a change is said since the previous result, a label, or never, with the reason', async () => {
  const lcps = [2430, 2436, 2441];
  const cart = 'https://example.com/cart';
  await eightDays(DAY, { lcps }, { blockedUrlPatterns: ['ads'], headers: ['x-test'] as never, changedDaysAgo: 1 });
  await audited({ at: 60, url: 'https://example.com/new', lcps });
  await eightDays(DAY, { url: cart, lcps });
  await audited({ at: 60, url: cart, lcps: [3780, 3795, 3801], performance: 60 });
  const reasonsOf = async (query: string) =>
    Object.fromEntries(
      resultsIn(await pages(query)).map(({ url, change, unjudged }) => [url, change?.verdict ?? unjudged]),
    );
  expect(await reasonsOf('?since=7d')).toEqual({
    'https://example.com/': 'other-inputs',
    'https://example.com/new': 'too-few-checks',
    [cart]: 'unknown', // a single check is no step
  });
  expect(await reasonsOf('?since=previous')).toMatchObject({
    [cart]: 'regressed',
    'https://example.com/new': 'too-few-checks',
  });
  await audited({ at: 120, url: cart, lcps: [3780, 3795, 3801], performance: 60 });
  await audited({ at: 90, url: 'https://example.com/other', labels: { release: '1.2' } });
  expect(await reasonsOf(`?since=release:1.2&url=${cart}`)).toEqual({ [cart]: 'too-few-checks' });
  expect(await reasonsOf(`?since=7d&url=${cart}`)).toEqual({ [cart]: 'regressed' });
  await audited({ at: 180, url: 'https://example.com/other', labels: { release: '1.3' } });
  expect(await reasonsOf(`?since=release:1.3&url=${cart}`)).toEqual({ [cart]: 'no-later-check' });
  for (const since of ['release:2', '0d', '400d', 'week', '']) {
    const { errors } = await problemOf(await get(`?since=${since}`), 400, 'invalid-request');
    expect(errors).toMatchObject([{ path: 'since' }]);
  }
});

test('an older check that closes late replaces no newer result', async () => {
  const late = await create({ at: 0 });
  const newest = await audited({ at: 60, performance: 90 });
  await finish(late, { performance: 40 });
  expect(resultsIn(await pages())).toMatchObject([{ checkId: newest.id, history: [40, 90] }]);
});

test('an older check that closes late does not become the newest when others are erased', async () => {
  const late = await create({ at: -720 });
  const others = [];
  for (let i = 1; i <= 4; i++) others.push(await audited({ at: 60 * i - 720, performance: 50 + i }));
  await erase(String(others[3]?.id));
  await finish(late, { performance: 40 });
  await erase(String(others[2]?.id));
  expect(resultsIn(await pages())).toMatchObject([{ checkId: others[1]?.id, history: [40, 51, 52] }]);
});

test('checks of a page that close at once lose no result', async () => {
  const all = await Promise.all([0, 1, 2, 3, 4, 5].map((at) => create({ at })));
  await Promise.all(all.map((check, i) => finish(check, { performance: 60 + i })));
  expect(resultsIn(await pages())).toMatchObject([{ history: [60, 61, 62, 63, 64, 65], checkId: all[5]?.id }]);
});

test('a page expires with its series, and its run before, without an end of its place in the list', async () => {
  const check = await audited({ days: -1 });
  expect(resultsIn(await pages())[0]?.links).toMatchObject({ self: null, check: null });
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
    expect((await store.list(caller.owner, inDays(days))).results).toHaveLength(count);
    expect((await store.ofUrl(caller.owner, 'https://example.com/', inDays(days))).results).toHaveLength(count);
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
  expect(await pages('?q=EXAMPLE.com/4')).toMatchObject({
    pages: [{ url: 'https://example.com/4' }],
    counts: { total: 1 },
  });
  expect(idsOf(await pages('?sort=url'))).toEqual(ids);
  expect(idsOf(await pages('?device=desktop'))).toEqual([]);
  expect(idsOf(await pages('?region=us-east4'))).toEqual([]);
});

test('the results of a URL are one read of its own items, and those of all pages one read of 1 MB each', async () => {
  const url = 'https://example.com/shop';
  const all = [
    await audited({ url, performance: 60 }),
    await audited({ url, regions: ['us-east4'], performance: 40 }),
    await audited({ url, device: 'desktop', performance: 50 }),
  ];
  await audited({ url: `${url}/cart`, performance: 1 });
  const send = vi.spyOn(world.db.client, 'send');
  const read = await pageStore(world.db).ofUrl(caller.owner, url, new Date());
  await pageStore(world.db).list(caller.owner, new Date());
  expect(send).toHaveBeenCalledTimes(2);
  send.mockRestore();
  expect(read.results.map(({ page }) => page.newest.checkId).sort()).toEqual(all.map(({ id }) => id).sort());
  expect(idsOf(await pages(`?url=${url}`))).toEqual(all.map(({ id }) => id));
  expect(idsOf(await pages(`?url=${url}&region=us-east4`))).toEqual([all[1]?.id]);
});

test('a list of more pages than it reads says that it is cut', async () => {
  for (let i = 0; i < 3; i++) await audited({ url: `https://example.com/${i}` });
  const read = await pageStore(world.db).list(caller.owner, new Date(), 2);
  expect(read).toMatchObject({ results: [{}, {}], cut: true });
});

test('an owner sees own pages only, also with a forged cursor', async () => {
  const mine = await audited();
  const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const cursor of ['x', '', forged([]), forged(['PAGES#other']), forged([`${'000'}#x#y#z`])]) {
    const { errors } = await problemOf(await get(`?cursor=${cursor}`), 400, 'invalid-request');
    expect(errors).toMatchObject([{ path: 'cursor' }]);
  }
  const start = forged([`0000#${'0'.repeat(64)}`]);
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
  expect(resultsIn(await pages())).toMatchObject([{ checkId: check.id, history: [98] }]);
  await erase(check.id);
  expect(resultsIn(await pages())).not.toMatchObject([{ checkId: first.id }]);
});

test('each page that the list calls worse opens a comparison whose answer agrees', async () => {
  const noise = [0, 4, -3, 2, -4, 3, -2, 1];
  const url = 'https://example.com/noisy';
  for (let i = 0; i < 26; i++) {
    const [n, isSlow] = [noise[i % noise.length] as number, i >= 14];
    const lcps = [(isSlow ? 2250 : 1800) * (1 + n / 40)];
    await audited({ at: (i - 26) * 8 * HOUR, url, lcps, performance: (isSlow ? 84 : 92) + n / 2 });
  }
  for (const since of ['30d', '7d']) {
    const [found] = resultsIn(await pages(`?since=${since}`));
    expect(found?.change?.verdict).toBe('regressed');
    const { checkId, baseCheckId, metrics } = found?.change ?? {};
    const comparison = (await (
      await call(`/v1/checks/${checkId}/comparison?base=${baseCheckId}`)
    ).json()) as CheckComparison;
    expect(comparison).toMatchObject({ verdict: 'regressed' });
    for (const [name, { verdict, change }] of Object.entries(metrics ?? {})) {
      if (verdict === 'unknown') continue;
      expect(comparison.metrics[name as 'lcp'].regions['us-west1']).toMatchObject({ verdict, change });
    }
  }
  const last = (await (await call(`/v1/checks?limit=2`)).json()) as { checks: { id: string }[] };
  const [newest, previous] = last.checks.map(({ id }) => id);
  const [found] = resultsIn(await pages('?since=previous'));
  const neighbours = (await (await call(`/v1/checks/${newest}/comparison?base=${previous}`)).json()) as CheckComparison;
  expect(neighbours.verdict).toBe(found?.change?.verdict);
});
