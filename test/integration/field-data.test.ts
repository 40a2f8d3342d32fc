import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createCheck } from '../../functions/create-check.ts';
import { getCheck } from '../../functions/get-check.ts';
import { cruxClient } from '../../functions/lib/field-data/crux.ts';
import { type FieldDataJob, fieldDataLookUp } from '../../functions/lib/field-data/look-up.ts';
import type { Request } from '../../functions/lib/http/endpoint.ts';
import { loadingExperiences } from '../../functions/lib/page-speed/loading-experience.ts';
import { fieldDataStore, MAX_QUERIES } from '../../functions/lib/store/field-data.ts';
import { listStore } from '../../functions/lib/store/lists.ts';
import { targetPolicy } from '../../functions/lib/targets/public-addresses.ts';
import { listRuns } from '../../functions/list-runs.ts';
import { CheckView } from '../../shared/check.ts';
import type { FieldDataReason } from '../../shared/field-data.ts';
import type { FieldHistory } from '../../shared/field-data-schemas.ts';
import type { DeliveryJob } from '../../shared/service/delivery-job.ts';
import { CreateEnv } from '../../shared/service/env.ts';
import { CRUX_KEY, type CruxMetrics, slowVisits, startCrux } from '../support/crux.ts';
import { later, startWorld, type World } from '../support/world.ts';

let world: World;
let crux: Awaited<ReturnType<typeof startCrux>>;
const records: Record<string, CruxMetrics> = {};
beforeAll(async () => {
  world = await startWorld();
  crux = await startCrux(records);
});
afterAll(async () => {
  await crux.close();
  await world.stop();
});

let now = new Date('2026-11-27T12:00:00Z');
let addresses: Record<string, string> = {};
let waiting: { job: FieldDataJob; seconds: number }[] = [];
let count = 0;
beforeEach(() => {
  now = later(now, 24 * 3600); // a day without answers of another test
  addresses = {};
  waiting = [];
  crux.queries.length = 0;
  Object.assign(crux.state, { quotaUsedUp: false, down: false });
  count += 1;
});

const send = async (job: DeliveryJob, seconds = 0) => void waiting.push({ job: job as FieldDataJob, seconds });
const lookUpWith = ({ key = CRUX_KEY as string | null, url = crux.url } = {}) =>
  fieldDataLookUp({
    checks: world.store,
    kept: fieldDataStore(world.db),
    crux: cruxClient({ url, readKey: async () => key ?? undefined }),
    queue: { send },
    targets: targetPolicy(CreateEnv.parse(process.env)),
    lookup: async (host) => [{ address: addresses[host] ?? '93.184.216.34' }],
    now: () => now,
  });

/** Creates a check. Returns its id. */
const create = async (inputs: object, env: Record<string, string> = {}): Promise<string> => {
  const deps = { ...world.creates, targets: targetPolicy(CreateEnv.parse({ ...process.env, ...env })) };
  const body = { auditVersion: '13.5.0', regions: ['us-west1'], ...inputs };
  const request = { owner: 'anonymous', body, headers: {}, requestId: 'r' } as unknown as Request;
  const reply = await createCheck({ ...deps, fieldDataQueue: { send }, now: () => now })(request);
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return (reply.body as { id: string }).id;
};
const view = async (checkId: string): Promise<CheckView> => {
  const request = { owner: 'anonymous', params: { checkId }, headers: {} } as unknown as Request;
  return CheckView.parse((await getCheck({ store: world.store, now: () => now })(request)).body);
};
/** Handles the messages whose time has come. */
const handle = async (lookUp = lookUpWith()) => {
  const due = waiting;
  waiting = [];
  await Promise.all(due.map(({ job }) => lookUp(job)));
};
const page = (path = '') => `https://shop-${count}.example.com/${path}`;
const checked = async (inputs: object, lookUp = lookUpWith()) => {
  const id = await create(inputs);
  await handle(lookUp);
  return (await view(id)).fieldData;
};
const reasonOf = async (inputs: object, lookUp?: ReturnType<typeof lookUpWith>): Promise<FieldDataReason | null> =>
  (await checked(inputs, lookUp))?.reason as FieldDataReason | null;

test('a check shows the record of its page, by the form factor of its device', async () => {
  records[page('cart')] = slowVisits;
  const id = await create({ url: page('cart?token=s3cret#top') });
  expect((await view(id)).fieldData).toMatchObject({ reason: 'pending', metrics: null });
  await handle();
  const check = await view(id);
  expect(check.fieldData).toEqual({
    reason: null,
    formFactor: 'phone',
    of: 'url',
    url: page('cart'),
    period: { first: '2026-10-29', last: '2026-11-25' },
    metrics: {
      lcp: { p75: 3400, good: 0.61, needsImprovement: 0.22, poor: 0.17 },
      inp: { p75: 180, good: 0.8, needsImprovement: 0.15, poor: 0.05 },
      cls: { p75: 0.05, good: 0.9, needsImprovement: 0.1, poor: 0 },
      fcp: { p75: 1900, good: 0.7, needsImprovement: 0.2, poor: 0.1 },
      ttfb: { p75: 700, good: 0.72, needsImprovement: 0.2, poor: 0.08 },
    },
    at: now.toISOString(),
  });
  expect(check.updatedAt).toBe(now.toISOString());
  expect(JSON.stringify(crux.queries)).not.toContain('s3cret');
  expect(crux.urls.join()).not.toContain(CRUX_KEY);

  await checked({ url: page('cart'), device: 'desktop' });
  expect(crux.queries.map(({ body }) => body.formFactor)).toEqual(['PHONE', 'PHONE', 'DESKTOP', 'DESKTOP']);
});

test('a page without a record has that of its origin, which one query answers for all its pages', async () => {
  records[page().slice(0, -1)] = slowVisits;
  expect(await checked({ url: page('a') })).toMatchObject({ of: 'origin', url: page().slice(0, -1), reason: null });
  expect(await checked({ url: page('b') })).toMatchObject({ of: 'origin', metrics: { lcp: { p75: 3400 } } });
  const asked = crux.queries.map(({ method, body }) => [method, body.url ?? body.origin]);
  expect(asked).toEqual([
    ['queryRecord', page('a')],
    ['queryRecord', page().slice(0, -1)],
    ['queryHistoryRecord', page().slice(0, -1)],
    ['queryRecord', page('b')],
  ]);
});

test('the answers of a day are kept, and also that there are none', async () => {
  expect(await reasonOf({ url: page() })).toBe('no-data');
  expect(crux.queries).toHaveLength(2);
  records[page()] = slowVisits;
  expect(await reasonOf({ url: page() })).toBe('no-data');
  expect(crux.queries).toHaveLength(2);
  now = later(now, 24 * 3600);
  expect(await reasonOf({ url: page() })).toBeNull();
});

test('a metric without enough visits is null', async () => {
  records[page()] = { cumulative_layout_shift: { p75: '0.31', densities: [0.2, 0.2, 0.6] } };
  expect((await checked({ url: page() }))?.metrics).toEqual({
    lcp: null,
    inp: null,
    fcp: null,
    ttfb: null,
    cls: { p75: 0.31, good: 0.2, needsImprovement: 0.2, poor: 0.6 },
  });
});

test.each([
  ['a login', { basicAuth: { username: 'a', password: 'b' } }],
  ['headers', { headers: { 'x-preview': '1' } }],
  ['cookies', { cookies: [{ name: 'a', value: 'b', domain: 'example.com' }] }],
])('nobody is asked about the page of a check with %s', async (_, inputs) => {
  const id = await create({ url: 'https://example.com/', ...inputs });
  expect(waiting).toEqual([]);
  expect((await view(id)).fieldData?.reason).toBe('login');
});

test.each([
  ['an address', 'https://93.184.216.34/', {}],
  ['a page of this machine', 'http://localhost:4321/', { TARGETS: 'local' }],
  ['a host of TARGETS_ALLOW', 'https://wiki.corp.example.com/', { TARGETS_ALLOW: '*.corp.example.com' }],
  ['an internal name', 'https://wiki.internal/', { TARGETS_ALLOW: 'wiki.internal' }],
])('nobody is asked about %s', async (_, url, env) => {
  const id = await create({ url }, env);
  expect(waiting).toEqual([]);
  expect((await view(id)).fieldData?.reason).toBe('not-public');
});

test('nobody is asked about a name that leads to a private address, or to none', async () => {
  addresses[`shop-${count}.example.com`] = '10.1.2.3';
  expect(await reasonOf({ url: page() })).toBe('not-public');
  expect(crux.queries).toEqual([]);
});

test.each([
  ['another key', { key: 'AIza-of-somebody-else' }],
  ['no stored key', { key: null }],
])('%s is a reason, and the same query is not repeated', async (_, options) => {
  expect(await reasonOf({ url: page() }, lookUpWith(options))).toBe('bad-key');
  expect(waiting).toEqual([]);
});
test.each([
  ['quota', { quotaUsedUp: true }],
  ['unavailable', { down: true }],
] as const)('after the failure %s, the check has its field data a minute later', async (reason, failure) => {
  records[page()] = slowVisits;
  Object.assign(crux.state, failure);
  const id = await create({ url: page() });
  await handle();
  expect((await view(id)).fieldData?.reason).toBe(reason);
  expect(waiting).toMatchObject([{ seconds: 60, job: { tries: 1 } }]);
  Object.assign(crux.state, { quotaUsedUp: false, down: false });
  now = later(now, 60);
  await handle();
  expect((await view(id)).fieldData?.metrics?.lcp?.p75).toBe(3400);
  expect(waiting).toEqual([]);
});

test('a service that stays down is asked ten times more, and then no more', async () => {
  crux.state.down = true;
  const id = await create({ url: page() });
  let messages = 0;
  for (; waiting.length > 0; messages += 1) {
    await handle();
    now = later(now, 60);
  }
  expect(messages).toBe(11);
  expect((await view(id)).fieldData?.reason).toBe('unavailable');
});

test('another server than the API is no answer about a page', async () => {
  expect(await reasonOf({ url: page() }, lookUpWith({ url: `${crux.url}/elsewhere` }))).toBe('unavailable');
});

test('a minute has fewer queries than Google allows', async () => {
  const ids = await Promise.all(Array.from({ length: 80 }, (_, i) => create({ url: page(`${i}`) })));
  await handle();
  expect(crux.queries).toHaveLength(MAX_QUERIES);
  const reasons = await Promise.all(ids.map(async (id) => (await view(id)).fieldData?.reason));
  expect(reasons).toContain('quota');
  now = later(now, 60);
  while (waiting.length > 0) await handle();
  const after = await Promise.all(ids.map(async (id) => (await view(id)).fieldData?.reason));
  expect(new Set(after)).toEqual(new Set(['no-data']));
});

test('checks of one page at the same time share the queries', async () => {
  records[page()] = slowVisits;
  const ids = await Promise.all([create({ url: page() }), create({ url: page() }), create({ url: page() })]);
  while (waiting.length > 0) await handle();
  expect(crux.queries).toHaveLength(2);
  for (const id of ids) expect((await view(id)).fieldData?.metrics?.lcp?.p75).toBe(3400);
});

test('a lost message ends as a reason', async () => {
  const id = await create({ url: page() });
  now = later(now, 16 * 60);
  expect((await view(id)).fieldData?.reason).toBe('unavailable');
});

test('the history of the page is kept for its trend', async () => {
  records[page()] = slowVisits;
  await checked({ url: page() });
  const kept = await fieldDataStore(world.db).find(page(), 'phone');
  expect(kept?.history).toMatchObject({ of: 'url', url: page(), formFactor: 'phone' });
  expect(kept?.history?.weeks).toHaveLength(25);
  expect(kept?.history?.weeks[0]).toEqual({
    last: '2026-06-06',
    lcp: null,
    inp: null,
    cls: null,
    fcp: null,
    ttfb: null,
  });
  expect(kept?.history?.weeks.at(-1)).toMatchObject({ last: '2026-11-21', lcp: 3400, cls: 0.05 });
});

test('the list of the runs of a page has its history, also that of its origin, for an owner who has audited it', async () => {
  const fieldData = fieldDataStore(world.db);
  records[page().slice(0, -1)] = slowVisits;
  const id = await create({ url: page('a') });
  await handle();
  const list = async (url: string, query = {}) => {
    const rawQuery = `${new URLSearchParams({ url, ...query })}`;
    const request = { owner: 'anonymous', query: { url, ...query }, rawQuery, headers: {}, path: '/v1/runs' };
    const reply = await listRuns({ lists: listStore(world.db), fieldData, now: () => now })(request as never);
    return reply.body as { fieldHistory?: FieldHistory };
  };
  expect(await list(page('a'))).not.toHaveProperty('fieldHistory');
  for (const run of (await world.find(id)).runs) await world.finish(run, undefined, now);
  await world.store.closeIfFinished(id, now);
  expect((await list(page('a'))).fieldHistory).toMatchObject({ of: 'origin', formFactor: 'phone' });
  expect(await list(page('a'), { device: 'desktop' })).not.toHaveProperty('fieldHistory');
});

test("PageSpeed's shape has the record of the page, or that of its origin for both", async () => {
  const id = page().slice(0, -1);
  records[id] = slowVisits;
  const { loadingExperience, originLoadingExperience } = loadingExperiences(await checked({ url: page() }), page());
  expect(loadingExperience).toMatchObject({
    id,
    origin_fallback: true,
    overall_category: 'AVERAGE',
    initial_url: page(),
    metrics: {
      LARGEST_CONTENTFUL_PAINT_MS: {
        percentile: 3400,
        category: 'AVERAGE',
        distributions: [
          { min: 0, max: 2500, proportion: 0.61 },
          { min: 2500, max: 4000, proportion: 0.22 },
          { min: 4000, proportion: 0.17 },
        ],
      },
      CUMULATIVE_LAYOUT_SHIFT_SCORE: { percentile: 5, category: 'FAST' },
    },
  });
  expect(originLoadingExperience).toMatchObject({ id, overall_category: 'AVERAGE' });
  records[page('b')] = slowVisits;
  const ofPage = loadingExperiences(await checked({ url: page('b') }), page('b'));
  expect(ofPage.loadingExperience).not.toHaveProperty('origin_fallback');
  expect(ofPage.originLoadingExperience).toEqual({ initial_url: page('b') });
});

test('without a key the checks of a service have no field data', async () => {
  const reply = await createCheck(world.creates)({
    owner: 'anonymous',
    headers: {},
    requestId: 'r',
    body: { url: page(), auditVersion: '13.5.0', regions: ['us-west1'] },
  } as unknown as Request);
  expect((await view((reply.body as { id: string }).id)).fieldData).toBeNull();
});
