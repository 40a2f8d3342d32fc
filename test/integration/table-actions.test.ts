import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { medianSample } from '../../functions/auditor/verdict/samples.ts';
import { createCheck } from '../../functions/create-check.ts';
import { deleteCheck } from '../../functions/delete-check.ts';
import { deliverWebhook } from '../../functions/deliver-webhook.ts';
import { discover, ready } from '../../functions/discover.ts';
import { getCheck } from '../../functions/get-check.ts';
import { getComparison } from '../../functions/get-comparison.ts';
import { getExplanation } from '../../functions/get-explanation.ts';
import { getFixes } from '../../functions/get-fixes.ts';
import { getMetrics } from '../../functions/get-metrics.ts';
import { getReport } from '../../functions/get-report.ts';
import { getRun } from '../../functions/get-run.ts';
import { getScreenshot } from '../../functions/get-screenshot.ts';
import { judgeCheck } from '../../functions/judge-check.ts';
import { badges } from '../../functions/lib/badges/badges.ts';
import type { CruxClient } from '../../functions/lib/field-data/crux.ts';
import { historyOfPage } from '../../functions/lib/field-data/history.ts';
import { fieldDataLookUp } from '../../functions/lib/field-data/look-up.ts';
import { waiting } from '../../functions/lib/http/waiting.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import { badgeStore } from '../../functions/lib/store/badges.ts';
import { buildStore } from '../../functions/lib/store/builds.ts';
import { watchByPolling } from '../../functions/lib/store/changes.ts';
import { deleteItem, updateItem } from '../../functions/lib/store/dynamodb.ts';
import { ifExists } from '../../functions/lib/store/expressions.ts';
import { fieldDataStore } from '../../functions/lib/store/field-data.ts';
import { checkKey, runKey, usageKey } from '../../functions/lib/store/items.ts';
import { linkStore } from '../../functions/lib/store/links.ts';
import { pageStore } from '../../functions/lib/store/listed-pages.ts';
import { listStore } from '../../functions/lib/store/lists.ts';
import { markStore } from '../../functions/lib/store/marks.ts';
import { closeLostRun } from '../../functions/lib/sweep/dead-letters.ts';
import { projectIdOf } from '../../functions/lib/uploads/lighthouse-ci.ts';
import { createLink, deleteLinks } from '../../functions/links.ts';
import { listChecks } from '../../functions/list-checks.ts';
import { listPages } from '../../functions/list-pages.ts';
import { listRuns } from '../../functions/list-runs.ts';
import { marks } from '../../functions/marks.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { runPageSpeed } from '../../functions/run-pagespeed.ts';
import { schedules } from '../../functions/schedules.ts';
import { sweep } from '../../functions/sweep.ts';
import { uploads } from '../../functions/uploads.ts';
import { waitCheck } from '../../functions/wait-check.ts';
import { webhooks } from '../../functions/webhooks.ts';
import { updatedLatest, updatedRegion, updatedRun, updatedUsage } from '../../infra/aws/updated-attributes.ts';
import { noFieldData } from '../../shared/field-data-schemas.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { runError } from '../../shared/problems.ts';
import type { FunctionRow } from '../../shared/service/function-row.ts';
import { functionRows } from '../../shared/service/functions.ts';
import { partitions } from '../../shared/service/partitions.ts';
import { planNames, tokensOf } from '../../shared/service/plans.ts';
import { environment } from '../support/environment.ts';
import { shortReport } from '../support/fake-service.ts';
import { as, recordTableUse } from '../support/table-use.ts';
import { later, startWorld, type World } from '../support/world.ts';

let world: World;
let uses: ReturnType<typeof recordTableUse>;
beforeAll(async () => {
  world = await startWorld();
  uses = recordTableUse();
  await everyFunction();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await world.stop();
});

const owner = 'acme';
const t0 = new Date();
const DAY = 24 * 3600;
const request = (params: Record<string, string> = {}, more = {}) => ({
  owner,
  plan: 'large' as const,
  requestId: randomUUID(),
  method: 'GET',
  path: '/',
  params,
  query: {},
  headers: {},
  body: undefined,
  host: 'localhost',
  ...more,
});
const image = 'data:image/jpeg;base64,/9j/4AAQ';
const screenshot = { score: null, scoreDisplayMode: 'informative', details: { data: image } };
const json = JSON.stringify({ ...shortReport, audits: { 'final-screenshot': screenshot } });
const failed: AuditResult = { ...emptyResult, state: 'failed', error: runError('browser-crashed') };
const metrics = { ...noMetrics, performance: 98, fcp: 600, lcp: 900, tti: 900, tbt: 0 };
const succeeded = {
  ...emptyResult,
  state: 'succeeded',
  metrics,
  simulations: [],
  uncorrected: { performance: 70, fcp: 800, si: 900, lcp: 900, tti: 990, tbt: 90 },
  environment,
  report: { gzip: gzipSync(json), bytes: json.length },
};

type Parts = {
  store?: Partial<World['store']>;
  queues?: Partial<World['queues']>;
  regions?: string[];
  headers?: object;
  against?: object;
  samples?: string;
};
const create = async ({ store, queues, regions = ['us-west1'], headers, against, samples }: Parts = {}) => {
  const deps = { ...world, store: { ...world.store, ...store }, queues: { ...world.queues, ...queues } };
  const targets = { targets: 'public' as const, ports: [443] };
  const handle = createCheck({ ...deps, targets, retentionDays: 90, trendDays: 400, now: () => t0 });
  const body = { url: 'https://example.com/', auditVersion: 'latest', regions, ...(against && { against }) };
  const sent = { ...body, ...(samples && { samples }) };
  const more = { method: 'POST', body: sent, headers: { ...headers } };
  const reply = await as('create-check', () => handle(request({}, more)));
  return (reply.body as { id: string }).id;
};
/** Creates a check for another owner, and does not wait for it. */
const pageSpeed = ({ store, queues }: Pick<Parts, 'store' | 'queues'> = {}) => {
  const own = { store: { ...world.store, ...store }, queues: { ...world.queues, ...queues } };
  const deps = { ...world.creates, ...world, ...own, now: () => t0, maxBytes: 1e6 };
  const more = { owner: 'psi', rawQuery: 'url=https://example.com/', remainingMs: () => 5000 };
  const handle = runPageSpeed({ ...deps, wait: waiting(watchByPolling) });
  return as('run-pagespeed', () => handle(request({}, more))).catch(() => {});
};
const audit = async (checkId: string, i: number, ...results: unknown[]) => {
  const auditors = { audit: async () => results.shift() as AuditResult };
  const job = jobOf(await world.runOf(checkId, i));
  const remainingMs = () => (results.length > 0 ? 600_000 : 60_000); // too little for another audit
  await as('run-audit', () => runAudit({ ...world, auditors, now: () => t0, retryDelaysMs: [0] })(job, remainingMs));
};
const sweepAt = (seconds: number) => as('sweep', () => sweep({ ...world, now: () => later(t0, seconds) })({}));

const reads = async (checkId: string, runId: string, more: object) => {
  const ofCheck = request({ checkId }, more);
  const ofRun = request({ checkId, runId }, more);
  await as('get-check', () => getCheck(world)(ofCheck));
  await as('get-comparison', () => getComparison(world)(ofCheck));
  await as('get-run', () => getRun(world)(ofRun));
  await as('wait-check', () => waitCheck(world)(ofCheck));
  await as('wait-check', () => waitCheck(world)(ofRun));
  await as('get-report', () => getReport({ ...world, maxBytes: 1e6 })(ofRun));
  await as('get-fixes', () => getFixes(world)(ofRun));
  await as('get-screenshot', () => getScreenshot(world)(ofRun));
};

/** Uses webhooks and their deliveries, also those of a check that a test has closed. */
const withWebhooks = async () => {
  const targets = { targets: 'public' as const, ports: [443] };
  const handle = webhooks({ ...world, store: world.webhooks, queue: world.deliveryQueue, targets, now: () => t0 });
  const call = (method: string, path = '', params = {}) =>
    as('webhooks', () => handle(request(params, { method, path: `/v1/webhooks${path}`, body: hook })));
  const hook = { url: 'https://example.com/', events: ['check.completed'] };
  const [webhookId] = await Promise.all([1, 2].map(async () => ((await call('POST')).body as { id: string }).id));
  await call('GET');
  await call('POST', '/x/rotate', { webhookId });
  await call('POST', '/x/test', { webhookId });
  return { webhookId, call };
};

/** Uses schedules, and leaves one to the sweeper that is due, and one whose create has died. */
const withSchedules = async () => {
  const targets = { targets: 'public' as const, ports: [443] };
  const deps = { store: world.schedules, regions: ['us-west1' as const], targets, now: () => t0 };
  const put = world.secrets.put;
  const body = {
    name: 'a',
    every: '1d',
    check: { url: 'https://example.com/', auditVersion: 'latest', regions: ['us-west1'], headers: { a: 'b' } },
  };
  const call = async (method: string, path = '', params = {}, secrets: { put: typeof put } = { put }) => {
    const handle = schedules({ ...deps, secrets });
    const more = { method, path: `/v1/schedules${path}`, body, owner: 'beta' }; // who has not created a check yet
    return as('schedules', () => handle(request(params, more)));
  };
  const [scheduleId, deleted] = await Promise.all(
    [1, 2].map(async () => ((await call('POST')).body as { id: string }).id),
  );
  await call('GET');
  await call('POST', '/x/pause', { scheduleId });
  await call('POST', '/x/resume', { scheduleId });
  await call('DELETE', '', { scheduleId: deleted });
  await call('POST', '', {}, { put: () => Promise.reject(new Error('S3 is down')) }).catch(() => {});
  const taken = { pk: 'SCHEDULES#beta', sk: '0', dueAt: t0.toISOString() }; // by another sweep
  await as('sweep', () => world.schedules.hold(taken, t0));
};

/** Asks for the field data of a check. */
const readFieldData = async (checkId: string) => {
  const { createId } = (await world.find(checkId)).item;
  await world.store.setFieldData({ id: checkId, createId }, noFieldData('pending', 'phone'));
  const kept = fieldDataStore(world.db);
  const record = { of: 'url', url: 'https://example.com/', period: { first: '2026-10-29', last: '2026-11-25' } };
  const found = { found: { ...record, metrics: { lcp: null, inp: null, cls: null, fcp: null, ttfb: null } } };
  const lookUp = fieldDataLookUp({
    kept,
    checks: world.store,
    queue: { send: async () => {} },
    targets: { targets: 'public', ports: [443] },
    crux: { record: async () => found, history: async () => ({ reason: 'no-data' }) } as unknown as CruxClient,
    lookup: async () => [{ address: '93.184.216.34' }],
  });
  await as('deliver-webhook', () => lookUp({ owner, fieldDataOf: checkId, tries: 0 }));
  await as('list-runs', () => historyOfPage(kept, 'https://example.com/', 'mobile'));
};

const deliver = async ({ webhookId, call }: Awaited<ReturnType<typeof withWebhooks>>, checkId: string) => {
  const post = async () => ({ status: 500, response: null, retryAfterMs: null });
  const consume = deliverWebhook({
    ...world,
    checks: world.store,
    lists: listStore(world.db),
    marks: markStore(world.db),
    post,
  });
  await as('deliver-webhook', () => consume({ owner, checkId }, () => 30_000));
  await readFieldData(checkId);
  const [{ last } = {}] = await world.schedules.list('beta');
  await audit(last?.checkId as string, 0, succeeded);
  await as('deliver-webhook', () => consume({ owner: 'beta', checkId: last?.checkId as string }, () => 30_000));
  const { deliveries } = (await call('GET', '/x/deliveries', { webhookId })).body as { deliveries: { id: string }[] };
  for (const { id: deliveryId } of deliveries)
    await call('POST', '/x/deliveries/y/redeliver', { webhookId, deliveryId });
  const all = await world.webhooks.list(owner);
  for (const webhook of all) await call('DELETE', '', { webhookId: webhook.id });
  const left = (await Promise.all(all.map(({ id }) => world.deliveries.list(id)))).flat();
  for (const { webhookId, id: deliveryId, createdAt, tries } of left)
    await as('deliver-webhook', () => consume({ owner, webhookId, deliveryId, createdAt, tries }, () => 30_000));
};

/** Uploads a report by itself, and one of a build. */
const withUploads = async () => {
  const lhr = gunzipSync(await readFile(new URL('../recorded/reports/13.5.0.json.gz', import.meta.url)));
  const deps = {
    ...world,
    builds: buildStore(world.db),
    maxBytes: 1e7,
    retentionDays: 90,
    trendDays: 400,
    medianOf: medianSample,
    newId: randomUUID,
    now: () => t0,
    access: async () => ({}),
  };
  const handle = uploads(deps as Parameters<typeof uploads>[0]);
  const store = { ...world.store, findOrErased: async () => undefined };
  const beside = uploads({ ...deps, store } as Parameters<typeof uploads>[0]); // finds no check, as one that runs beside
  const uploader = 'delta'; // who has not created a check yet
  const projectId = projectIdOf(uploader);
  const call = (method: string, path: string, body: unknown, more = {}, by = handle) =>
    as('uploads', () => by(request({ projectId }, { method, path, body, owner: uploader, ...more })));
  const again = (by = handle) =>
    call('POST', '/v1/reports', Buffer.from(lhr), { headers: { 'idempotency-key': 'r' } }, by);
  await again();
  await again();
  await again(beside).catch(() => {});
  const newBuild = { lifecycle: 'unsealed', hash: 'a', branch: 'b' };
  const { id: buildId } = (await call('POST', '/x/builds', newBuild)).body as { id: string };
  const ofBuild = { params: { projectId, buildId } };
  const run = Buffer.from(JSON.stringify({ url: 'http://localhost:PORT/', lhr: lhr.toString() }));
  await call('POST', '/x/runs', run, ofBuild);
  await call('PUT', '/x/lifecycle', 'sealed', ofBuild);
  await call('PUT', '/x/lifecycle', 'sealed', ofBuild); // its answer was lost
  await call('GET', '/x/builds', undefined);
  const { id: left } = (await call('POST', '/x/builds', { ...newBuild, hash: 'b' })).body as { id: string };
  const entry = { pk: `${partitions.unsealed}${uploader}`, sk: left };
  await updateItem(world.db, entry, { set: { since: '2020-01-01T00:00:00.000Z' }, ...ifExists });
  await call('POST', '/x/builds', newBuild).catch(() => {}); // it is sealed
  await call('POST', '/x/builds', { ...newBuild, hash: 'c' });
  const full = { owner: 'gamma', plan: 'small' as const };
  await world.usage.take(full, { id: randomUUID(), createId: randomUUID(), audits: 1 }, t0);
  await updateItem(world.db, usageKey('gamma'), { set: { openAtMost: 100 }, ...ifExists }); // so that it counts again
  await call('POST', '/v1/reports', lhr, full).catch(() => {});
};

const withMarks = async () => {
  const handle = marks({ marks: markStore(world.db), lists: listStore(world.db), trendDays: 400 });
  const call = (method: string, more: object) => as('marks', () => handle(request({}, { method, ...more })));
  const { id: markId } = (await call('POST', { body: { text: 'deploy' } })).body as { id: string };
  await call('GET', { rawQuery: 'url=https://example.com/' });
  await call('DELETE', { params: { markId } });
};

const withBadges = async () => {
  const deps = { badges: badgeStore(world.db), lists: listStore(world.db), newId: randomUUID, now: () => t0 };
  const handle = badges(deps);
  const call = (method: string, more: object) => as('links', () => handle(request({}, { method, ...more })));
  const { id } = (await call('POST', { body: { url: 'https://example.com/' } })).body as { id: string };
  await call('GET', { params: { badge: `${id}.svg` } });
  await call('DELETE', { params: { badge: id } });
};

const everyFunction = async () => {
  const used = await withWebhooks();
  await withUploads();
  await withMarks();
  await withBadges();
  await withSchedules();
  const readRegions = () => world.regions.read(['us-west1']);
  const offer = {
    readRegions,
    successWithinMinutes: undefined,
    ports: [],
    allowedTargets: [],
    retentionDays: 1,
    trendDays: 1,
  };
  await as('discover', () => discover(offer)({ path: '/v1/regions', headers: {} }));
  await as('discover', () => ready({ ...offer, obstacle: () => undefined })());
  const shared = await create({ regions: ['us-west1', 'us-east4'] });
  await audit(shared, 0, failed, succeeded);
  await audit(shared, 1, succeeded);
  const ndjson = { headers: { accept: 'application/x-ndjson' } };
  await as('list-runs', () => listRuns({ lists: listStore(world.db), now: () => later(t0, DAY) })(request({}, ndjson)));
  const { id: runId } = await world.runOf(shared);
  await reads(shared, runId, {});
  await as('get-run', () => getRun(world)(request({ runId })));
  await as('wait-check', () => waitCheck(world)(request({ runId })));
  await as('get-report', () => getReport({ ...world, maxBytes: 1e6 })(request({ runId })));
  await as('get-fixes', () => getFixes(world)(request({ runId })));
  await as('get-screenshot', () => getScreenshot(world)(request({ runId })));
  const links = { store: world.store, links: linkStore(world.db) };
  const link = () => as('links', () => createLink(links)(request({ checkId: shared })));
  await link();
  const { url } = (await link()).body as { url: string };
  await reads(shared, runId, { reader: shared, token: url.split('share=')[1] });
  const earlier = await create();
  await audit(earlier, 0, succeeded);
  const explained = request({ checkId: shared }, { query: { base: earlier } });
  const judged = { ...world, pages: pageStore(world.db) };
  await as('get-explanation', () => getExplanation(judged)(explained));
  await as('get-comparison', () => getComparison(judged)(explained));
  const body = { assertions: { 'image-alt': 'error' } };
  await as('judge-check', () => judgeCheck(world)(request({ checkId: shared }, { body })));
  await as('links', () => deleteLinks(links)(request({ checkId: shared })));
  await link();
  const checkId = await create();
  await as('list-checks', () => listChecks({ lists: listStore(world.db), store: world.store })(request()));
  await as('get-metrics', () => getMetrics({ pages: pageStore(world.db), lists: listStore(world.db) })(request()));
  const ofUrl = request({}, { rawQuery: 'url=https://example.com/' });
  await as('list-pages', () => listPages({ pages: pageStore(world.db), lists: listStore(world.db) })(ofUrl));
  const erase = (checkId: string, parts = {}) =>
    as('delete-check', () => deleteCheck({ ...world, ...parts })(request({ checkId })));
  const withoutEnd = { ...world.erasure, eraseRemains: () => Promise.reject(new Error('S3 is down')) };
  await erase(shared, { erasure: withoutEnd }); // leaves the rest to the sweep
  const erased = await create();
  await linkStore(world.db).secretOf((await world.find(erased)).item);
  const { item } = await world.find(erased);
  await erase(erased);
  await erase(erased, { store: { findErasable: async () => item } }).catch(() => {}); // at the same time as the other one

  await create({ headers: { 'idempotency-key': 'k' }, store: { findOrErased: async () => undefined } }).catch(() => {});
  await create({ headers: { 'idempotency-key': 'k' }, store: { findOrErased: async () => undefined } }).catch(() => {});
  const refused = Object.assign(new Error('no'), { name: 'InvalidMessageContents' });
  await audit(await create(), 0, failed, failed, failed);
  const against = { device: 'desktop' };
  await audit(await create({ against }), 0, succeeded, succeeded);
  const automatic = { against, samples: 'auto' };
  await audit(await create(automatic), 0, ...Array(6).fill(succeeded));
  await audit(await create(), 0, failed); // releases its run
  const refuses = { send: () => Promise.reject(refused) };
  await create({ queues: refuses });
  await pageSpeed({ queues: refuses });
  await pageSpeed();
  await pageSpeed({ store: { findOrErased: async () => undefined } });

  const lost = await create(automatic);
  await as('sweep', async () => closeLostRun(world)(jobOf(await world.runOf(lost))));
  const [run] = (await world.find(lost)).runs;
  const lease = run && (await world.leases.claim(run, randomUUID(), t0));
  const attempt = {
    startedAt: t0.toISOString(),
    finishedAt: t0.toISOString(),
    seconds: 1,
    auditCode: null,
    contended: false,
  };
  const attempts = [1, 2, 3].map((number) => ({ ...attempt, number, code: 'browser-crashed' as const }));
  await world.leases.recordAttempt(lease as never, { attempts, samples: [] });
  await world.leases.release(lease as never, t0);
  await as('sweep', async () => closeLostRun(world)(jobOf(await world.runOf(lost))));

  const orphan = await create();
  await deleteItem(world.db, checkKey(orphan), ifExists); // as if its create had died before it wrote the check
  const unclosed = await world.runOf(await create()); // its worker died between the end of the run and the closing
  const end = { state: 'failed', error: runError('internal'), finishedAt: t0.toISOString() };
  await updateItem(world.db, runKey(unclosed.checkId, unclosed.id), {
    set: end,
    remove: ['open', 'dueAt'],
    ...ifExists,
  });
  const leased = (await world.find(checkId)).runs[0];
  await world.leases.claim(leased as never, randomUUID(), t0);
  await sweepAt(120);
  await sweepAt(2 * DAY);
  await sweepAt(4 * DAY);
  await deliver(used, earlier);
};

const usedBy = (file: string) => {
  const used: Record<string, string[]> = {};
  for (const use of uses.filter((each) => each.file === file)) {
    const actions = used[use.partition] ?? [];
    used[use.partition] = [...new Set([...actions, use.action])].sort();
  }
  return used;
};

const withRights = Object.entries<FunctionRow>(functionRows).filter(
  ([file, { table }]) => table && file !== 'run-audit',
);
test.each(withRights)('%s does what it has a right to, and nothing else', (file, { table }) => {
  expect(usedBy(file)).toEqual(table);
});

test('run-audit reads checks, and updates these attributes and no others', () => {
  expect(usedBy('run-audit')).toEqual({
    check: ['GetItem', 'Query', 'UpdateItem'],
    openCheck: ['DeleteItem'],
    owner: ['GetItem', 'UpdateItem'],
    latest: ['GetItem', 'UpdateItem'],
    region: ['UpdateItem'],
  });
  const updated = (partition: string) => {
    const updates = uses.filter((use) => use.file === 'run-audit' && use.partition === partition);
    return [...new Set(updates.flatMap((use) => (use.action === 'UpdateItem' ? use.attributes : [])))].sort();
  };
  expect(updated('check')).toEqual([...updatedRun].sort());
  expect(updated('latest')).toEqual([...updatedLatest].sort());
  const ofOtherPlans = planNames.filter((plan) => plan !== 'large').map(tokensOf);
  const ofPlan = updatedUsage.filter((name) => !ofOtherPlans.some((other) => other === name));
  expect(updated('owner')).toEqual(ofPlan.sort());
  expect(updated('region')).toEqual([...updatedRegion].sort());
});
