import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { deleteCheck } from '../../functions/delete-check.ts';
import { getReport } from '../../functions/get-report.ts';
import { clientSettings } from '../../functions/lib/aws-client.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import { type CheckStore, checkStore } from '../../functions/lib/store/checks.ts';
import { openDb } from '../../functions/lib/store/dynamodb.ts';
import { type ErasureStore, erasureStore } from '../../functions/lib/store/erasure.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { type LeaseStore, leaseStore } from '../../functions/lib/store/leases.ts';
import { type Reports, reports } from '../../functions/lib/store/reports.ts';
import { secretStore } from '../../functions/lib/store/secrets.ts';
import { closeLostRun } from '../../functions/lib/sweep/dead-letters.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { sweep } from '../../functions/sweep.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { ApiProblemError } from '../../shared/problems.ts';
import { RENEW_MS } from '../../shared/service/due-times.ts';
import { ReportReadEnv } from '../../shared/service/env.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { type Faults, faultsBefore, isOfObjects, isTableWrite } from '../support/faulty-services.ts';
import { aCheck, later, passed, type World } from '../support/world.ts';

/** The services of this machine behind faults. The stores of `cut` meet them, the stores of `world` don't. */
let world: World;
let api: Api;
let dynamodb: Faults;
let s3: Faults;
let cut: { store: CheckStore; leases: LeaseStore; erasure: ErasureStore; reports: Reports };
beforeAll(async () => {
  api = await startApi();
  world = api.world;
  await fetchDocumented(`${api.url}/v1/checks/${randomUUID()}`); // its functions make their clients before the faults
  s3 = faultsBefore(world.aws.handle, isOfObjects);
  dynamodb = faultsBefore(s3.handle, isTableWrite);
  await world.aws.connect(dynamodb.handle);
  const db = openDb(ReportReadEnv.parse(process.env), secretStore(ReportReadEnv.parse(process.env)));
  const bucket = reports(ReportReadEnv.parse(process.env));
  cut = { store: checkStore(db), leases: leaseStore(db), erasure: erasureStore(db, bucket), reports: bucket };
  await world.aws.connect();
});
afterEach(() => {
  dynamodb.heal();
  s3.heal();
});
afterAll(async () => {
  await api.stop();
});

const call = (method: string, path: string, init: RequestInit = {}) =>
  fetchDocumented(`${api.url}${path}`, { method, ...init });
const statusOf = async (method: string, path: string) => (await call(method, path)).status;
const create = (key: string, body: unknown = aBody) => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  return call('POST', '/v1/checks', { headers, body: JSON.stringify(body) });
};
const aBody = { url: 'https://example.com/private', auditVersion: 'latest', regions: ['europe-west3', 'us-east4'] };

const sweepAt = (now: Date) => sweep({ ...world, now: () => now })({});

/** Returns all items that contain the id of a check. */
const itemsOf = async (checkId: string): Promise<Record<string, unknown>[]> => {
  const db = DynamoDBDocumentClient.from(new DynamoDBClient(clientSettings()));
  const { Items = [] } = await db.send(new ScanCommand({ TableName: world.env.TABLE_NAME, ConsistentRead: true }));
  return Items.filter((item) => JSON.stringify(item).includes(checkId));
};
const remainsOf = async (checkId: string) => ({
  items: (await itemsOf(checkId)).map(({ sk }) => sk),
  reports: await world.reports.keysOf(checkId, 90),
});
const nothing = { items: [], reports: [] };
const aMark = { items: ['CHECK'], reports: [] };

const storeReport = (run: RunItem) => world.storeReport(run, gzipSync('{}'));
const finish = async (run: RunItem, now = new Date()): Promise<void> =>
  world.finish(run, { ...passed, report: await storeReport(run) }, now);

/** Creates a finished check with two runs, and one more report, which a lost attempt has left. */
const aFinishedCheck = async (now = new Date()) => {
  const check = aCheck({ now });
  const runs = await world.create(check);
  for (const run of runs) await finish(run, now);
  await storeReport(runs[0] as RunItem);
  return { check, runs };
};

const deleteAt = (now: Date, checkId: string, { store, erasure }: Pick<typeof cut, 'store' | 'erasure'> = world) =>
  deleteCheck({ store, erasure, now: () => now })({
    owner: 'anonymous',
    requestId: randomUUID(),
    method: 'DELETE',
    path: `/v1/checks/${checkId}`,
    params: { checkId },
    query: {},
    headers: {},
    body: undefined,
  });

test('an erased check is gone with its runs and all reports, and a sweep deletes its mark', async () => {
  const { check, runs } = await aFinishedCheck();
  const other = await aFinishedCheck();
  const before = new Date();
  const answer = await call('DELETE', `/v1/checks/${check.id}`);
  expect([answer.status, await answer.text()]).toEqual([204, '']);
  for (const path of [
    `/v1/checks/${check.id}`,
    `/v1/checks/${check.id}/runs/${runs[0]?.id}`,
    `/v1/checks/${check.id}/runs/${runs[0]?.id}/report`,
    `/v1/audit/runs/${runs[0]?.id}`,
    `/v1/audit/runs/${runs[1]?.id}/report`,
  ]) {
    expect(await statusOf('GET', path), path).toBe(404);
  }
  expect(await remainsOf(check.id)).toEqual(aMark);
  expect(Object.keys((await itemsOf(check.id))[0] ?? {}).sort()).toEqual(
    ['dueAt', 'erasedAt', 'id', 'open', 'owner', 'pk', 'retentionDays', 'sk', 'writeId'], // no other field of the check
  );
  await sweepAt(later(before, 89));
  expect(await remainsOf(check.id)).toEqual(aMark);
  await sweepAt(later(new Date(), 91));
  expect(await remainsOf(check.id)).toEqual(nothing);
  expect((await world.find(other.check.id)).runs).toHaveLength(2);
  expect(await world.reports.keysOf(other.check.id, 90)).toHaveLength(3);
});

test('a report that is erased during its request is a 404', async () => {
  const { check, runs } = await aFinishedCheck();
  const find: CheckStore['find'] = async (...of) => {
    const found = await world.store.find(...of);
    if (found) await deleteAt(new Date(), check.id);
    return found;
  };
  const read = getReport({ store: { ...world.store, find }, reports: world.reports, maxBytes: 1000 });
  const params = { checkId: check.id, runId: runs[0]?.id };
  const request = {
    owner: 'anonymous',
    requestId: 'r',
    method: 'GET',
    path: '/',
    query: {},
    headers: {},
    body: undefined,
  };
  await expect(read({ ...request, params })).rejects.toMatchObject({ code: 'not-found' });
});

test('an erasure deletes a pointer, whichever create wrote it last', async () => {
  const check = aCheck({ regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  const db = DynamoDBDocumentClient.from(new DynamoDBClient(clientSettings()));
  await db.send(
    new UpdateCommand({
      TableName: world.env.TABLE_NAME,
      Key: { pk: `RUN#${run.id}`, sk: 'RUN' },
      UpdateExpression: 'SET #createId = :other',
      ExpressionAttributeNames: { '#createId': 'createId' },
      ExpressionAttributeValues: { ':other': 'another create' },
    }),
  );
  await deleteAt(new Date(), check.id);
  expect(await remainsOf(check.id)).toEqual(aMark);
});

test('an unknown or erased check is a 404', async () => {
  const { check } = await aFinishedCheck();
  expect(await statusOf('DELETE', `/v1/checks/${randomUUID()}`)).toBe(404);
  expect(await statusOf('DELETE', '/v1/checks/nonsense')).toBe(404);
  const both = await Promise.all([0, 1].map(() => statusOf('DELETE', `/v1/checks/${check.id.toUpperCase()}`)));
  expect(both.sort()).toEqual([204, 404]);
  expect(await statusOf('DELETE', `/v1/checks/${check.id}`)).toBe(404);
});

test('only one of two erasures that have read the check marks it', async () => {
  const { check } = await aFinishedCheck();
  const { item } = await world.find(check.id);
  const marked = await Promise.all([0, 1].map(() => world.erasure.markErased(item, new Date())));
  expect(marked.sort()).toEqual([false, true]);
  const late = { ...world, store: { ...world.store, find: async () => ({ item, runs: [] }) } };
  await expect(deleteAt(new Date(), check.id, late)).rejects.toThrow(ApiProblemError);
});

test('the jobs of an erased check find nothing to do', async () => {
  const check = aCheck();
  const [run] = (await world.create(check)) as [RunItem];
  expect(await statusOf('DELETE', `/v1/checks/${check.id}`)).toBe(204);
  expect(await world.due.postpone(run, new Date(), { sends: 0 })).toBeUndefined(); // its create had not ended
  const audit = vi.fn();
  await runAudit({ ...world, auditors: { audit } })(jobOf(run), () => 600_000);
  await closeLostRun(world)(jobOf(run));
  await closeLostRun({ ...world, store: { ...world.store, findRunOfAnyOwner: async () => run } })(jobOf(run)); // it has read the run before the erasure
  expect(audit).not.toHaveBeenCalled();
  expect(await remainsOf(check.id)).toEqual(aMark);
});

test('an audit of an erased check ends at its next renewal and leaves nothing', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const check = aCheck({ regions: ['us-east4'] });
    const [run] = (await world.create(check)) as [RunItem];
    const audit = vi.fn(
      (_order: unknown, signal: AbortSignal): Promise<AuditResult> =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const working = runAudit({ ...world, auditors: { audit } })(jobOf(run), () => 600_000);
    await expect.poll(() => audit).toHaveBeenCalled();
    expect(await statusOf('DELETE', `/v1/checks/${check.id}`)).toBe(204);
    expect(await statusOf('GET', `/v1/checks/${check.id}`)).toBe(404);
    await vi.advanceTimersByTimeAsync(RENEW_MS);
    await working;
    expect(audit).toHaveBeenCalledOnce();
    expect(await remainsOf(check.id)).toEqual(aMark);
  } finally {
    vi.useRealTimers();
  }
});

test('an audit that ends after its check was erased leaves its report to the sweep', async () => {
  const now = new Date();
  const check = aCheck({ regions: ['us-east4'], now });
  const [run] = (await world.create(check)) as [RunItem];
  const put: Reports['put'] = async (key, gzip) => {
    await deleteAt(now, check.id);
    await world.reports.put(key, gzip);
  };
  const auditors = { audit: async () => aVerdict };
  await runAudit({ ...world, reports: { put }, auditors })(jobOf(run), () => 600_000);
  expect(await world.reports.keysOf(check.id, 90)).toHaveLength(1);
  await sweepAt(later(now, 91));
  expect(await remainsOf(check.id)).toEqual(aMark);
});

test('the sweep deletes a report that an audit stored after the erasure', async () => {
  const now = new Date();
  const check = aCheck({ regions: ['us-east4'], now });
  const [run] = (await world.create(check)) as [RunItem];
  await world.leases.claim(run, randomUUID(), now);
  await deleteAt(now, check.id);
  await storeReport(run);
  await sweepAt(later(now, 91));
  expect(await remainsOf(check.id)).toEqual(aMark); // the sweep looks once more, because another report may come
  await storeReport(run);
  await sweepAt(later(now, 182));
  expect(await remainsOf(check.id)).toEqual(aMark);
  await sweepAt(later(now, 273));
  expect(await remainsOf(check.id)).toEqual(nothing);
});

// An erasure writes five times: the mark, two runs and their pointers. Then it deletes three reports.
test.each([0, 1, 2, 3, 4])('the sweep completes an erasure that fails after %i writes', async (writes) => {
  const now = new Date();
  const { check } = await aFinishedCheck(now);
  dynamodb.failAfter(writes);
  const answer = await deleteAt(now, check.id, cut).catch(() => 'failed');
  dynamodb.heal();
  if (writes === 0) {
    expect(answer).toBe('failed'); // and nothing has changed
    expect(await statusOf('GET', `/v1/checks/${check.id}`)).toBe(200);
    return;
  }
  expect(answer).toEqual({ status: 204 });
  expect((await remainsOf(check.id)).reports).toHaveLength(3);
  expect(await statusOf('GET', `/v1/checks/${check.id}`)).toBe(404);
  await sweepAt(later(now, 91));
  expect(await remainsOf(check.id)).toEqual(aMark);
  await sweepAt(later(now, 182));
  expect(await remainsOf(check.id)).toEqual(nothing);
});

test.each([0, 1, 2, 3, 4, 5])(
  'the sweep completes an erasure that fails after %i requests to the bucket',
  async (requests) => {
    const now = new Date();
    const { check } = await aFinishedCheck(now);
    s3.failAfter(requests);
    expect(await deleteAt(now, check.id, cut)).toEqual({ status: 204 });
    s3.heal();
    expect((await remainsOf(check.id)).reports).toHaveLength(Math.min(3, 6 - requests)); // the first three list reports, artifacts and secrets
    await sweepAt(later(now, 91));
    expect(await remainsOf(check.id)).toEqual(aMark);
    await sweepAt(later(now, 182));
    expect(await remainsOf(check.id)).toEqual(nothing);
  },
);

test('the next sweep completes the erasure of a sweep that failed', async () => {
  const now = new Date();
  const { check } = await aFinishedCheck(now);
  const { item } = await world.find(check.id);
  await world.erasure.markErased(item, now);
  s3.failAfter(1);
  await sweep({ ...world, erasure: erasureStore(world.db, cut.reports), now: () => later(now, 91) })({});
  s3.heal();
  expect((await remainsOf(check.id)).reports).toHaveLength(3);
  await sweepAt(later(now, 182));
  expect(await remainsOf(check.id)).toEqual(aMark);
  await sweepAt(later(now, 273));
  expect(await remainsOf(check.id)).toEqual(nothing);
});

test('the Idempotency-Key of an erased check is refused for some minutes, and then creates a new check with the same id', async () => {
  const key = randomUUID();
  const first = (await (await create(key)).json()) as { id: string };
  expect(await statusOf('DELETE', `/v1/checks/${first.id}`)).toBe(204);
  const early = await create(key);
  expect([early.status, early.headers.get('retry-after')]).toEqual([409, '60']);
  expect(await early.json()).toMatchObject({ code: 'being-erased' });
  expect(await remainsOf(first.id)).toEqual(aMark); // the refused create has left nothing
  await sweepAt(later(new Date(), 91));
  const again = await create(key, { ...aBody, url: 'https://example.org/' });
  expect(again.status).toBe(201);
  expect(await again.json()).toMatchObject({ id: first.id, url: 'https://example.org/' });
  expect(await statusOf('GET', `/v1/checks/${first.id}`)).toBe(200);
});

test('a slow create does not bring back a check that was erased meanwhile', async () => {
  const now = new Date();
  const check = aCheck({ now });
  await world.create(check);
  await deleteAt(now, check.id);
  await expect(world.create(check)).rejects.toThrow('exists already'); // the slower of two with the same key
  expect(await world.store.findOfAnyOwner(check.id)).toBeUndefined();
  await sweepAt(later(now, 91)); // deletes what the create has left
  await sweepAt(later(now, 182));
  expect(await remainsOf(check.id)).toEqual(nothing);
});

test('a late erasure does not touch a later check with the same id', async () => {
  const now = new Date();
  const { check } = await aFinishedCheck(now);
  await deleteAt(now, check.id);
  const keysOf: Reports['keysOf'] = async (id, days) => {
    await sweepAt(later(now, 91));
    for (const run of await world.create(check)) await finish(run);
    return world.reports.keysOf(id, days);
  };
  await erasureStore(world.db, { ...world.reports, keysOf }).eraseRemains(check.id);
  expect((await world.find(check.id)).runs.map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
  expect(await world.reports.keysOf(check.id, 90)).toHaveLength(2);
});

test('the mark of a check that is erased while its last run closes it keeps its due time', async () => {
  const now = new Date();
  const check = aCheck({ regions: ['us-east4'], now });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await world.claim(run, now);
  const { item } = await world.find(check.id);
  const marked: boolean[] = [];
  dynamodb.failAfter(Number.POSITIVE_INFINITY);
  dynamodb.before(async (nth) => {
    if (nth === 2) marked.push(await world.erasure.markErased(item, now)); // the run is finished, but its check is not closed yet
  });
  await cut.leases.finish(lease, { state: 'succeeded', attempts: [] }, now);
  expect(marked).toEqual([true]);
  expect((await itemsOf(check.id)).find(({ sk }) => sk === 'CHECK')).toMatchObject({
    open: 'OPEN#checks#0',
    dueAt: later(now, 90).toISOString(),
  });
});

const aVerdict: AuditResult = {
  state: 'succeeded',
  ...emptyResult,
  metrics: { ...noMetrics, performance: 98 },
  finalUrl: 'https://example.com/',
  report: { gzip: gzipSync('{}'), bytes: 2 },
};
