import { randomUUID } from 'node:crypto';
import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome } from '../../functions/lib/store/leases.ts';
import { listStore } from '../../functions/lib/store/lists.ts';
import type { Check, CheckInputs } from '../../shared/check.ts';
import type { Environment } from '../../shared/environment.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { runError } from '../../shared/problems.ts';
import { CheckSummary, RunSummary } from '../../shared/summaries.ts';
import { anInteraction } from '../support/an-interaction.ts';
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

/** Each test has an owner of its own, so that no test sees another's checks. */
let owner: string;
let authorization: string;
beforeEach(async () => {
  owner = `owner-${randomUUID().slice(0, 8)}`;
  authorization = `Bearer ${(await world.newKey({ owner })).text}`;
});

const get = (path: string, headers = {}) =>
  fetchDocumented(`${api.url}${path}`, { headers: { authorization, ...headers } });
const erase = (id: string) =>
  fetchDocumented(`${api.url}/v1/checks/${id}`, { method: 'DELETE', headers: { authorization } });
type Page = { checks: CheckSummary[]; runs: RunSummary[]; nextCursor: string | null };
const page = async (path: string): Promise<Page & { link: string | null }> => {
  const answer = await get(path);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return { ...((await answer.json()) as Page), link: answer.headers.get('link') };
};
const idsOf = (found: readonly { id: string }[]) => found.map(({ id }) => id);

const t0 = new Date('2031-01-01T00:00:00.000Z');
const DAY = 24 * 3600;
type Created = Partial<CheckInputs> & { now?: Date; owner?: string; days?: number; trendDays?: number };
const create = async ({ days = 90, trendDays = 400, owner: of = owner, ...inputs }: Created = {}): Promise<Check> => {
  const check = aCheck({ now: t0, regions: ['us-west1'], ...inputs });
  const [expiresAt, trendExpiresAt] = [later(new Date(), days * DAY), later(new Date(), trendDays * DAY)];
  await world.create(check, { owner: of, expiresAt, trendExpiresAt });
  return check;
};
type Result = { lcp?: number; failed?: boolean; environment?: Environment; interactions?: Outcome['interactions'] };
const finish = async (check: Check, { lcp = 900, failed = false, environment, interactions = null }: Result = {}) => {
  for (const { id } of check.runs) {
    const run = await world.leases.claim(
      (await world.find(check.id)).runs.find((each) => each.id === id) as never,
      randomUUID(),
      t0,
    );
    if (!run) throw new Error('another worker has the run');
    const metrics = { ...noMetrics, performance: 98, lcp, tbt: 0.4, cls: 0.01, ttfb: 184.3, bytes: 412_876 };
    const outcome = failed
      ? { state: 'failed' as const, error: runError('dns-failure') }
      : {
          state: 'succeeded' as const,
          ...metrics,
          samples: [{ ...metrics, cpuBusy: 0, contended: false }],
          ...(environment && { environment }),
          ...(interactions && { interactions }),
        };
    await world.leases.finish(run, { attempts: [], ...outcome }, later(t0, 9));
  }
};

test('checks are listed newest first, page by page, to the end', async () => {
  const all: string[] = [];
  for (let i = 0; i < 7; i++) all.unshift((await create({ now: later(t0, i) })).id);
  const seen: string[] = [];
  let path: string | null = '/v1/checks?limit=3';
  for (let pages = 0; path; pages++) {
    expect(pages).toBeLessThan(4);
    const { checks, nextCursor, link } = await page(path);
    seen.push(...idsOf(checks));
    expect(link).toBe(nextCursor && `</v1/checks?limit=3&cursor=${nextCursor}>; rel="next"`);
    path = link && (/<(.+)>/.exec(link)?.[1] as string);
  }
  expect(seen).toEqual(all);
});

test('a list of closed checks is one query and reads no run', async () => {
  const check = await create({ labels: { branch: 'main' }, device: 'desktop' });
  await finish(check);
  const send = vi.spyOn(world.db.client, 'send');
  const { entries } = await listStore(world.db).checks(owner, {}, 20, new Date());
  expect(send).toHaveBeenCalledOnce();
  expect(entries).toMatchObject([{ runs: [{}] }]);
  send.mockRestore();

  const { checks } = await page('/v1/checks');
  const expected = {
    id: check.id,
    auditVersion: '13.5.0',
    url: check.url,
    regions: ['us-west1'],
    device: 'desktop',
    labels: { branch: 'main' },
    source: 'audited',
    state: 'succeeded',
    assertionsPassed: null,
    scheduleId: null,
    createdAt: t0.toISOString(),
    updatedAt: later(t0, 9).toISOString(),
    links: {
      self: `/v1/checks/${check.id}`,
      comparison: `/v1/checks/${check.id}/comparison`,
      page: `/checks/${check.id}`,
    },
  };
  const [run] = check.runs;
  const runs = [
    { id: run?.id, region: 'us-west1', state: 'succeeded', performance: 98, lcp: '900ms', tbt: '0ms', cls: 0.01 },
  ];
  expect(checks).toEqual([{ ...expected, runs }]);
  expect(CheckSummary.parse(checks[0])).toEqual(checks[0]);
});

test('an open check is listed with the present state of its runs', async () => {
  const check = await create({ regions: ['us-west1', 'us-east4'] });
  expect((await page('/v1/checks')).checks).toMatchObject([
    { id: check.id, state: 'created', runs: [{ state: 'created' }, {}] },
  ]);
  await world.leases.claim(await world.runOf(check.id), randomUUID(), t0);
  expect((await page('/v1/checks')).checks).toMatchObject([{ state: 'running', runs: [{ state: 'running' }, {}] }]);
});

test('a label may have the name of a field that every object has', async () => {
  const labels = { constructor: 'x', valueof: 'y', 'a.b': 'z' };
  const body = { url: 'https://example.com/labels', auditVersion: '12', regions: ['us-west1'], labels };
  const created = await fetchDocumented(`${api.url}/v1/checks`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(created.status).toBe(201);
  const { id } = (await created.json()) as { id: string };
  const { item, runs: open } = await world.find(id);
  await finish({ ...item, runs: open });
  expect(await (await get(`/v1/checks/${id}`)).json()).toMatchObject({ labels });
  expect((await page('/v1/checks?label=constructor:x')).checks).toMatchObject([{ id, labels }]);
  expect((await page('/v1/checks?label=tostring:x')).checks).toEqual([]);
  const { runs } = await page(`/v1/runs?url=${encodeURIComponent(body.url)}&label=constructor:x`);
  expect(runs).toMatchObject([{ checkId: id, labels }]);
});

test('checks are filtered by URL, device, version, state, labels and time', async () => {
  const mobile = await create({ url: 'https://EXAMPLE.com', labels: { branch: 'main', team: 'a:b' } });
  const desktop = await create({
    now: later(t0, 1),
    device: 'desktop',
    auditVersion: '12.8.2',
    labels: { branch: 'next' },
  });
  const other = await create({ now: later(t0, 2), url: 'https://example.org/' });
  await finish(other, { failed: true });
  const find = async (query: string) => idsOf((await page(`/v1/checks?${query}`)).checks);
  expect(await find('url=https://example.com/')).toEqual([desktop.id, mobile.id]);
  expect(await find('device=desktop')).toEqual([desktop.id]);
  expect(await find('device=mobile')).toEqual([other.id, mobile.id]);
  expect(await find('auditVersion=12')).toEqual([desktop.id]);
  expect(await find('state=failed')).toEqual([other.id]);
  expect(await find('state=created')).toEqual([desktop.id, mobile.id]);
  expect(await find('label=branch:main')).toEqual([mobile.id]);
  expect(await find('q=EXAMPLE.c')).toEqual([desktop.id, mobile.id]);
  expect(await find('q=nowhere')).toEqual([]);
  expect(await find('label=branch:main&label=team:a:b')).toEqual([mobile.id]);
  expect(await find('label=branch:main&label=team:c')).toEqual([]);
  expect(await find('createdAfter=2031-01-01T00:00:00Z')).toEqual([other.id, desktop.id]);
  expect(await find('createdBefore=2031-01-01T01:00:01%2B01:00')).toEqual([mobile.id]);
});

test('a list sends only the bounds that it has, and none for a range that is empty', async () => {
  const first = await create();
  const second = await create({ now: later(t0, 1) });
  const send = vi.spyOn(world.db.client, 'send');
  const { checks, nextCursor } = await page('/v1/checks?limit=1');
  expect(idsOf(checks)).toEqual([second.id]);
  expect(idsOf((await page(`/v1/checks?cursor=${nextCursor}`)).checks)).toEqual([first.id]);
  const emptyRange = await page(`/v1/checks?cursor=${nextCursor}&createdAfter=2031-01-01T00:00:01Z`);
  expect(emptyRange).toMatchObject({ checks: [], nextCursor: null });
  const values = send.mock.calls.map(([{ input }]) => (input as QueryCommandInput).ExpressionAttributeValues ?? {});
  send.mockRestore();
  expect(values.flatMap((each) => Object.values(each))).not.toContain('');
});

test('a filtered list reaches its end although its pages are short', async () => {
  const wanted: string[] = [];
  for (let i = 0; i < 9; i++) {
    const { id } = await create({ now: later(t0, i), labels: { odd: String(i % 2) } });
    if (i % 2) wanted.unshift(id);
  }
  const seen: string[] = [];
  let next: string | null = '';
  while (next !== null) {
    const { checks, nextCursor }: Page = await page(`/v1/checks?limit=2&label=odd:1${next && `&cursor=${next}`}`);
    seen.push(...idsOf(checks));
    next = nextCursor;
  }
  expect(seen).toEqual(wanted);
});

test('an erased or expired check and its runs disappear from the lists at once', async () => {
  const erased = await create();
  await finish(erased);
  const url = encodeURIComponent(erased.url);
  expect((await page(`/v1/runs?url=${url}`)).runs).toHaveLength(1);
  expect((await erase(erased.id)).status).toBe(204);
  expect((await page('/v1/checks')).checks).toEqual([]);
  expect((await page(`/v1/runs?url=${url}`)).runs).toEqual([]);

  await finish(await create({ days: -1, trendDays: -1 }));
  expect((await page('/v1/checks')).checks).toEqual([]);
  expect((await page(`/v1/runs?url=${url}`)).runs).toEqual([]);
});

const series = async () => (await page('/v1/runs?url=https://example.com/')).runs;

test('the series keeps the runs of an expired check, without links, until its owner erases the check', async () => {
  const check = await create({ days: -1 });
  await finish(check, { lcp: 633.4 });
  expect((await page('/v1/checks')).checks).toEqual([]);
  expect((await get(`/v1/checks/${check.id}`)).status).toBe(404);
  const [kept] = await series();
  expect(kept).toMatchObject({ checkId: check.id, lcp: '633ms', links: { self: null, check: null } });

  await problemOf(await erase(randomUUID()), 404, 'not-found');
  const foreign = await create({ days: -1, owner: 'another' });
  await finish(foreign);
  await problemOf(await erase(foreign.id), 404, 'not-found');
  expect(await series()).toHaveLength(1);

  expect((await erase(check.id)).status).toBe(204);
  expect(await series()).toEqual([]);
  await problemOf(await erase(check.id), 404, 'not-found');
});

test('the runs of a check appear in the series when the check is closed', async () => {
  const check = await create({ regions: ['us-west1', 'us-east4'] });
  const [first, second] = check.runs;
  await finish({ ...check, runs: [first as Check['runs'][number]] });
  expect(await series()).toEqual([]);
  await finish({ ...check, runs: [second as Check['runs'][number]] });
  expect(idsOf(await series()).sort()).toEqual(idsOf(check.runs).sort());
});

test('the runs of a check are in the order of its regions, also as CSV', async () => {
  const url = 'https://example.com/order';
  const regions: CheckInputs['regions'] = ['us-west1', 'asia-northeast1', 'us-east4', 'europe-west3'];
  await finish(await create({ url, regions: regions.toReversed() }));
  await finish(await create({ url, regions, now: later(t0, 60) }));
  const path = `/v1/runs?url=${url}`;
  const { runs } = await page(path);
  const expected = [...regions, ...regions.toReversed()];
  expect(runs.map(({ region }) => region)).toEqual(expected);
  const csv = await (await get(path, { accept: 'text/csv' })).text();
  expect([...csv.matchAll(/,([a-z]+-[a-z]+\d),/g)].map(([, region]) => region)).toEqual(expected);
});

test('a kill between the entries and the end of a check loses and doubles nothing', async () => {
  const check = await create({ regions: ['us-west1', 'us-east4'] });
  const send = world.db.client.send.bind(world.db.client);
  let fails = ({ input }: { input: { Key?: { sk?: string } } }) => input.Key?.sk === `TREND#${check.runs[1]?.id}`;
  const spy = vi.spyOn(world.db.client, 'send').mockImplementation(((command: never, ...rest: never[]) => {
    if (fails(command)) throw new Error('killed');
    return (send as (...all: unknown[]) => unknown)(command, ...rest);
  }) as never);
  await finish(check);
  fails = ({ input }) => input.Key?.sk === 'CHECK';
  await expect(world.store.closeIfFinished(check.id, t0)).rejects.toThrow('killed');
  spy.mockRestore();
  expect((await world.find(check.id)).item.completedAt).toBeNull();
  expect(await world.store.closeIfFinished(check.id, t0)).toBe(true);
  expect(idsOf(await series()).sort()).toEqual(idsOf(check.runs).sort());
});

test('a late close brings no erased check back into the series', async () => {
  const check = await create();
  const [{ id }] = check.runs as [Check['runs'][number]];
  const send = world.db.client.send.bind(world.db.client);
  const spy = vi.spyOn(world.db.client, 'send').mockImplementation((async (
    command: { input: { Key?: { sk?: string } } },
    ...rest: never[]
  ) => {
    if (command.input.Key?.sk === `TREND#${id}`) {
      spy.mockRestore();
      expect((await erase(check.id)).status).toBe(204);
    }
    return (send as (...all: unknown[]) => unknown)(command, ...rest);
  }) as never);
  await finish(check);
  expect(await series()).toEqual([]);
  expect(await world.store.findOrErased(check.id, owner, new Date())).toBe('erased');
});

test('the runs of a URL are a series of metrics, also of spellings of the URL', async () => {
  const first = await create({
    url: 'https://example.com',
    regions: ['us-west1', 'us-east4'],
    labels: { branch: 'main' },
  });
  await finish(first, { lcp: 633.4 });
  const second = await create({ now: later(t0, 60) });
  await finish(second, { failed: true });
  await create({ now: later(t0, 120) }); // not finished
  const { runs } = await page('/v1/runs?url=HTTPS://example.com/');
  expect(runs.map(({ checkId }) => checkId)).toEqual([second.id, first.id, first.id]);
  expect(runs[0]).toMatchObject({ state: 'failed', errorCode: 'dns-failure', performance: null, lcp: null });
  expect(runs.slice(1)).toContainEqual(
    expect.objectContaining({
      region: 'us-west1',
      performance: 98,
      lcp: '633ms',
      ttfb: '184ms',
      numericValues: {
        fcp: null,
        si: null,
        lcp: 633.4,
        tti: null,
        tbt: 0.4,
        cls: 0.01,
        ttfb: 184.3,
        bytes: 412_876,
        requests: null,
        mainThreadCpu: null,
      },
      sampleCount: 1,
      labels: { branch: 'main' },
      links: { self: `/v1/checks/${first.id}/runs/${first.runs[0]?.id}`, check: `/v1/checks/${first.id}` },
    }),
  );
  for (const run of runs) expect(RunSummary.parse(run)).toEqual(run);
  const east = await page('/v1/runs?url=https://example.com/&region=us-east4&label=branch:main');
  expect(idsOf(east.runs)).toEqual([first.runs[1]?.id]);
});

test('a series shows the throttling of each run, and null if it is not known', async () => {
  const slow = { rttMs: 300, throughputKbps: 400, cpuSlowdownMultiplier: 6 };
  const environments: (Partial<Environment> | undefined)[] = [
    { throttlingValues: slow },
    { throttling: 'provided', throttlingValues: null },
    undefined,
  ];
  for (const [i, each] of environments.entries()) {
    const check = await create({ now: later(t0, -i) });
    await finish(check, each && { environment: { ...environment, ...each } });
  }

  const runs = await series();
  expect(runs.map(({ throttling }) => throttling)).toEqual([slow, 'none', null]);
  expect(runs.map(({ blockedUrlPatterns }) => blockedUrlPatterns)).toEqual([[], [], null]);
  for (const run of runs) expect(RunSummary.parse(run)).toEqual(run);
  const csv = await (await get('/v1/runs?url=https://example.com/', { accept: 'text/csv' })).text();
  const [header, first, second, ...others] = csv.split('\r\n');
  expect(header).toMatch(/,throttling,blockedUrlPatterns,interactions$/);
  expect(first).toMatch(/,"{""rttMs"":300,""throughputKbps"":400,""cpuSlowdownMultiplier"":6}",\[\],$/);
  expect(second).toMatch(/,none,\[\],$/);
  expect(others).toEqual([expect.stringMatching(/,,,$/), '']);
});

test('a series has the INP of each interaction, in each form and by day', async () => {
  const menu = (inp: number | null) => anInteraction([inp], { name: 'menu' });
  const results = [[anInteraction([120.4]), menu(90)], [anInteraction([null]), menu(70.6)], undefined];
  for (const [i, interactions] of results.entries())
    await finish(await create({ now: later(t0, 3600 * (4 - i)) }), interactions && { interactions });
  await finish(await create({ now: t0 }), { failed: true });
  const timesOf = (search: string | null, inp: string) => [
    { name: 'search', inp: search },
    { name: 'menu', inp },
  ];
  const expected = [timesOf('120ms', '90ms'), timesOf(null, '71ms'), null, null];

  const runs = await series();
  expect(runs.map(({ interactions }) => interactions)).toEqual(expected);
  for (const run of runs) expect(RunSummary.parse(run)).toEqual(run);
  const csv = await (await get('/v1/runs?url=https://example.com/', { accept: 'text/csv' })).text();
  const [header, ...lines] = csv.split('\r\n');
  expect(header).toMatch(/,interactions$/);
  expect(lines[0]).toMatch(/,"\[{""name"":""search"",""inp"":120},{""name"":""menu"",""inp"":90}\]"$/);
  expect(lines[1]).toMatch(/,"\[{""name"":""search"",""inp"":null},{""name"":""menu"",""inp"":71}\]"$/);
  expect(lines.slice(2)).toEqual([expect.stringMatching(/,$/), expect.stringMatching(/,$/), '']);
  const [day] = (await page('/v1/runs?url=https://example.com/&every=day')).runs;
  expect(day).toMatchObject({ day: { runs: 3 }, interactions: timesOf('120ms', '81ms') });
});

test('a series is CSV for a spreadsheet, in which nothing is a formula', async () => {
  const check = await create({ labels: { note: '=1+1' } });
  await finish(check, { lcp: 633.4 });
  const answer = await get('/v1/runs?url=https://example.com/&limit=1', { accept: 'text/csv' });
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  const [header = '', line = '', ...rest] = (await answer.text()).split('\r\n');
  expect(rest).toEqual(['']);
  const names = header.split(',');
  expect(names).toContain('lcp');
  const cells = line.split(',');
  expect(cells[names.indexOf('lcp')]).toBe('633.4');
  expect(cells[names.indexOf('url')]).toBe('https://example.com/');
  expect(line).toContain('"{""note"":""=1+1""}"');
  expect((await get('/v1/runs?url=https://example.com/')).headers.get('content-type')).toBe('application/json');
});

test('a series by day has the median and the range of each region, and no failed or contended run in them', async () => {
  const at = (hours: number, lcp: number, options = {}, inputs = {}) =>
    create({ now: later(t0, hours * 3600), ...inputs }).then((check) => finish(check, { lcp, ...options }));
  for (const [i, lcp] of [900, 1000, 1200].entries()) await at(i, lcp);
  await at(3, 9000, { environment: { ...environment, contended: true } });
  await at(4, 0, { failed: true });
  await at(5, 700, {}, { auditVersion: '12.8.2' });
  for (const [i, lcp] of [800, 820].entries()) await at(24 + i, lcp);
  await at(49, 0, { failed: true });
  const path = '/v1/runs?url=https://example.com/&every=day';
  const { runs } = await page(path);
  expect(runs.map(({ day, state, lcp, auditVersion }) => [day?.date, state, lcp, auditVersion])).toEqual([
    ['2031-01-03', 'failed', null, '13.5.0'],
    ['2031-01-02', 'succeeded', '810ms', '13.5.0'],
    ['2031-01-01', 'succeeded', '700ms', '12.8.2'],
    ['2031-01-01', 'succeeded', '1000ms', '13.5.0'],
  ]);
  expect(runs.map(({ day }) => [day?.runs, day?.failed, day?.contended, day?.range.lcp])).toEqual([
    [0, 1, 0, null],
    [2, 0, 0, { min: 800, max: 820 }],
    [1, 1, 1, { min: 700, max: 700 }],
    [3, 0, 0, { min: 900, max: 1200 }],
  ]);
  for (const run of runs) expect(RunSummary.parse(run)).toEqual(run);

  const seen: (string | undefined)[] = [];
  for (let next: string | null = `${path}&limit=1`; next; ) {
    const { runs: some, link }: Awaited<ReturnType<typeof page>> = await page(next);
    seen.push(...new Set(some.map(({ day }) => day?.date)));
    next = link && (/<(.+)>/.exec(link)?.[1] as string);
  }
  expect(seen).toEqual(['2031-01-03', '2031-01-02', '2031-01-01']);

  const csv = await (await get(path, { accept: 'text/csv' })).text();
  const [header = '', , line = ''] = csv.split('\r\n');
  const cell = (name: string) => line.split(',')[header.split(',').indexOf(name)];
  expect([cell('day'), cell('lcp'), cell('lcpMin'), cell('lcpMax')]).toEqual(['2031-01-02', '810', '800', '820']);
  const problem = await problemOf(await get(path.replace('day', 'hour')), 400, 'invalid-request');
  expect(problem.detail).toContain('The step must be day');
});

test('a forged, foreign or broken cursor is refused or stays within the list of its owner', async () => {
  const mine = await create();
  const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const cursor of [
    'x',
    '%00',
    forged([]),
    forged(['OWNER#other', mine.id]),
    forged([t0.toISOString(), 'x']),
    '',
  ]) {
    const problem = await problemOf(await get(`/v1/checks?cursor=${cursor}`), 400, 'invalid-request');
    expect(problem.errors).toMatchObject([{ path: 'cursor' }]);
  }
  await create({ owner: 'another', now: later(t0, -60) });
  const cursor = forged([later(t0, 3600).toISOString(), randomUUID()]);
  expect(idsOf((await page(`/v1/checks?cursor=${cursor}`)).checks)).toEqual([mine.id]);
});

test.each([
  ['limit=0', ['limit']],
  ['limit=101', ['limit']],
  ['limit=abc', ['limit']],
  ['limit=5&limit=6', ['limit', 'limit']],
  ['label=main', ['label.0']],
  ['label=Branch:main', ['label.0']],
  ['device=tablet&state=done', ['device', 'state']],
  ['auditVersion=8', ['auditVersion']],
  ['createdAfter=yesterday', ['createdAfter']],
  ['createdAfter=2031-01-02T00:00:00Z&createdBefore=2031-01-01T00:00:00Z', ['createdBefore']],
  ['url=example.com', ['url']],
  ['region=us-west1', ['region']],
  ['page=2', ['page']],
])('?%s is refused, and the answer says what is accepted', async (query, paths) => {
  const { errors = [] } = await problemOf(await get(`/v1/checks?${query}`), 400, 'invalid-request');
  expect([...new Set(errors.map(({ path }) => path))]).toEqual([...new Set(paths)]);
  for (const { message } of errors) expect(message).not.toMatch(/Invalid|expected|received/);
});

test('a series needs a URL', async () => {
  const problem = await problemOf(await get('/v1/runs'), 400, 'invalid-request');
  expect(problem.errors).toMatchObject([{ path: 'url' }]);
  expect(problem.detail).toContain('application/x-ndjson');
});
