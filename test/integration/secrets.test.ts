import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { deleteCheck } from '../../functions/delete-check.ts';
import { getCheck } from '../../functions/get-check.ts';
import { log } from '../../functions/lib/log.ts';
import { deleteItem } from '../../functions/lib/store/dynamodb.ts';
import { ifExists } from '../../functions/lib/store/expressions.ts';
import { checkKey } from '../../functions/lib/store/items.ts';
import { listStore } from '../../functions/lib/store/lists.ts';
import { listChecks } from '../../functions/list-checks.ts';
import { sweep } from '../../functions/sweep.ts';
import { deleteEndedSecrets, deleteExpired } from '../../infra/local/expiry.ts';
import { type ApiProblemError, runError } from '../../shared/problems.ts';
import { leaksIn, secretsIn } from '../support/leaks.ts';
import { allValues, request, secretChecks, secretsFor, secretValues } from '../support/secret-checks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { later, startWorld, type World } from '../support/world.ts';

const t0 = new Date();
const secrets = secretsFor('https://example.com');
const dataDir = temporaryFolder('secrets');
let world: World;
let create: ReturnType<typeof secretChecks>['create'];
let audit: ReturnType<typeof secretChecks>['audit'];
let stored: ReturnType<typeof secretChecks>['stored'];
let s3: ReturnType<typeof secretChecks>['s3'];
beforeAll(async () => {
  world = await startWorld({}, { dataDir });
  ({ create, audit, stored, s3 } = secretChecks(world, t0));
});
afterAll(() => world.stop());

const names = {
  headers: ['x-preview-token'],
  basicAuth: true,
  cookies: ['session'],
  storageState: { cookies: ['state'], origins: ['https://example.com'] },
  secretTexts: ['password'],
};

const sweepAt = (seconds: number) => sweep({ ...world, now: () => later(t0, seconds) })({});
const items = async () =>
  JSON.stringify((await world.db.client.send(new ScanCommand({ TableName: world.db.table }))).Items);

test('an audit gets the secrets of its check, and answers, items, jobs and the data folder have their names only', async () => {
  const { status, body } = await create();
  expect({ status, body }).toMatchObject({ status: 201, body: names });
  const { id } = body;
  expect(await stored(id)).toHaveLength(1);
  const jobs = JSON.stringify(await world.jobsIn('us-west1'));
  const orders = await audit(id);
  expect(orders.map((order) => order.secrets)).toEqual([secrets]);

  expect(await stored(id)).toEqual([]); // the run was the last of its check
  const shown = await getCheck(world)(request({ checkId: id }));
  expect(shown.body).toMatchObject({ state: 'succeeded', ...names });
  const listed = await listChecks({ lists: listStore(world.db), store: world.store })(request());
  expect((listed.body as { checks: unknown[] }).checks).toEqual([expect.objectContaining(names)]);
  const all = JSON.stringify([body, shown, listed, jobs, await items()]);
  expect(secretsIn(Buffer.from(all), allValues)).toEqual([]);
  expect(leaksIn(dataDir, allValues)).toEqual([]);
});

test('the secrets of 30 checks at once and of ten schedules are in no file after their end', async () => {
  const value = (i: number) => `hdr-${String(i).padStart(3, '0')}-${randomUUID()}`;
  const ofChecks = Array.from({ length: 30 }, (_, i) => value(i));
  const ofSchedules = Array.from({ length: 10 }, (_, i) => value(100 + i));
  const keyOf = (i: number) => `schedule-secrets/${i}`;
  await Promise.all(ofSchedules.map((token, i) => world.secrets.put(keyOf(i), { headers: { token } })));
  const checks = await Promise.all(
    ofChecks.map((token, i) => create({ sent: { url: `https://example.com/${i}`, headers: { token } } })),
  );
  await Promise.all(checks.map(({ body }) => audit(body.id)));
  await Promise.all(ofSchedules.map((_, i) => world.secrets.delete(keyOf(i))));
  expect(await stored()).toEqual([]);
  expect(leaksIn(dataDir, [...ofChecks, ...ofSchedules])).toEqual([]);
});

test('the search finds a secret in each form, so that it would find a leak', async () => {
  const { gzipSync } = await import('node:zlib');
  const header = `junk ${secretValues.password} junk`;
  for (const text of [header, encodeURIComponent(header), btoa(header), btoa(` ${header}`), btoa(`  ${header}`)]) {
    expect(secretsIn(Buffer.from(text), allValues), text).toEqual([secretValues.password]);
    expect(secretsIn(Buffer.concat([Buffer.from('x'), gzipSync(text), Buffer.from('x')]), allValues)).toEqual([
      secretValues.password,
    ]);
  }
  const { body } = await create();
  expect(leaksIn(dataDir, allValues).length).toBeGreaterThan(0); // the check is open, so its secrets are stored
  await audit(body.id);
  expect(leaksIn(dataDir, allValues)).toEqual([]);
});

test('the secrets stay until the last run has ended', async () => {
  const { id } = (await create({ regions: ['us-west1', 'us-east4'] })).body;
  await audit(id, 0);
  expect(await stored(id)).toHaveLength(1);
  expect((await audit(id, 1)).map((order) => order.secrets)).toEqual([secrets]);
  expect(await stored(id)).toEqual([]);
});

test('a second variant at another origin gets no header and no credentials', async () => {
  const { id } = (await create({ sent: { ...secrets, against: { url: 'https://www.example.com/' } } })).body;
  const orders = await audit(id);
  const { headers: _, basicAuth: __, ...others } = secrets;
  expect(orders.map((order) => [order.url, order.secrets])).toEqual([
    ['https://example.com/', secrets],
    ['https://www.example.com/', others],
  ]);
  const same = (await create({ sent: { ...secrets, against: { url: 'https://example.com/b' } } })).body;
  expect((await audit(same.id)).map((order) => order.secrets)).toEqual([secrets, secrets]);
});

test('a run whose secrets are gone fails as the fault of the service, and is not audited', async () => {
  const { id } = (await create({ regions: ['us-west1', 'us-east4'] })).body;
  await world.secrets.delete((await stored(id))[0] as string);
  const error = vi.spyOn(log, 'error').mockReturnValue();
  for (const i of [0, 1]) expect(await audit(id, i)).toEqual([]);
  error.mockRestore();
  const shown = await getCheck(world)(request({ checkId: id }));
  const failed = { state: 'failed', error: { code: 'storage-failure', blame: 'service' } };
  expect(shown.body).toMatchObject({ state: 'failed', runs: [failed, failed] });
  const [run] = (await world.find(id)).runs;
  expect(run?.error?.message).toMatch(/^The service does not have the headers.* Create the check again\.$/);
});

test('a run waits for secrets that can not be read for a while', async () => {
  const { id } = (await create()).body;
  const get = vi.fn(world.secrets.get).mockRejectedValueOnce(new Error('S3 is down'));
  const warn = vi.spyOn(log, 'warn').mockReturnValue();
  const orders = await audit(id, 0, { secrets: { get } });
  warn.mockRestore();
  expect(orders.map((order) => order.secrets)).toEqual([secrets]);
});

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: ApiProblemError) => error.code,
  );

test('a repeated create with the same secrets is the same check, and with others a mismatch', async () => {
  const key = randomUUID();
  const first = await create({ key });
  const again = await create({ key });
  expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
  expect(again.body).toEqual(first.body);
  const changed = { ...secrets, headers: { 'X-Preview-Token': 'another' } };
  expect(await codeOf(create({ key, sent: changed }))).toBe('idempotency-mismatch');
  expect(await codeOf(create({ key, sent: {} }))).toBe('idempotency-mismatch');
  await audit(first.body.id);
  expect((await create({ key })).status).toBe(200); // the secrets are gone, and still compared
  expect(await codeOf(create({ key, sent: changed }))).toBe('idempotency-mismatch');
  expect(await stored(first.body.id)).toEqual([]);
});

test('the same secrets have another fingerprint in another check and in another environment', async () => {
  const of = (store: World['secrets'], id: string) => store.fingerprintOf(id, { headers: { a: 'weak' } });
  const [here, there] = [await of(world.secrets, 'one'), await of(world.secrets, 'two')];
  expect(here).not.toBe(there);
  expect(await of(world.secrets, 'one')).toBe(here);
  const { secretStore } = await import('../../functions/lib/store/secrets.ts');
  const { CreateEnv } = await import('../../shared/service/env.ts');
  expect(await of(secretStore(CreateEnv.parse(process.env)), 'one')).toBe(here); // another process has the same key
});

test('an erased check leaves no secrets, also if a sweep erases the rest', async () => {
  const erase = (id: string, parts = {}) =>
    deleteCheck({ ...world, now: () => t0, ...parts })(request({ checkId: id }));
  const one = (await create()).body.id;
  await erase(one);
  expect(await stored(one)).toEqual([]);

  const two = (await create()).body.id;
  const warn = vi.spyOn(log, 'warn').mockReturnValue();
  await erase(two, { erasure: { ...world.erasure, eraseRemains: () => Promise.reject(new Error('S3 is down')) } });
  warn.mockRestore();
  expect(await stored(two)).toHaveLength(1);
  await sweepAt(120);
  expect(await stored(two)).toEqual([]);
});

test('a check whose closing can not delete the secrets stays open until a sweep deletes them', async () => {
  const { id } = (await create()).body;
  const del = vi.spyOn(world.db.secrets as Pick<World['secrets'], 'delete'>, 'delete');
  del.mockRejectedValueOnce(new Error('S3 is down'));
  const error = vi.spyOn(log, 'error').mockReturnValue();
  await audit(id);
  error.mockRestore();
  expect((await world.find(id)).item.completedAt).toBeNull();
  expect(await stored(id)).toHaveLength(1);
  await sweepAt(120);
  expect((await world.find(id)).item.completedAt).not.toBeNull();
  expect(await stored(id)).toEqual([]);
  del.mockRestore();
});

test('an abandoned check leaves no secrets', async () => {
  const { id } = (await create()).body;
  const run = await world.runOf(id);
  expect(await world.due.abandon(run, runError('abandoned'), later(t0, 60))).toBe(true);
  expect(await stored(id)).toEqual([]);
});

test('a create that dies before its check is visible leaves secrets that the sweep of its runs deletes', async () => {
  const { id } = (await create()).body;
  await deleteItem(world.db, checkKey(id), ifExists);
  await sweepAt(3700); // its jobs were sent
  expect(await stored(id)).toEqual([]);
});

test('a create whose secrets can not be stored makes no check, and gives the tokens back', async () => {
  const refund = vi.fn();
  const usage = {
    take: async () => ({ allowed: { buckets: { minute: 1, day: 1, at: 0 }, settle: vi.fn(), refund, join: vi.fn() } }),
  };
  const down = { ...world.secrets, put: () => Promise.reject(new Error('S3 is down')) };
  const key = randomUUID();
  await expect(create({ key, parts: { secrets: down, usage } })).rejects.toThrow('S3 is down');
  const again = await create({ key });
  expect(again.status).toBe(201);
  expect((await audit(again.body.id)).map((order) => order.secrets)).toEqual([secrets]);
});

test('of two creates at once with the same secrets, one is the check, and its end deletes the secrets that it used', async () => {
  const key = randomUUID();
  const both = await Promise.all([create({ key }), create({ key })]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 201]);
  const { id } = both[0].body;
  expect((await audit(id)).map((order) => order.secrets)).toEqual([secrets]);
  expect(await stored(id)).toEqual([]);
});

test('secrets of no open check are deleted after an hour, and those of an open check after two days of a trusted clock', async () => {
  for (const id of await stored()) await world.secrets.delete(id);
  const [open, ended] = [await create(), await create()];
  await audit(ended.body.id);
  for (const id of [ended.body.id, randomUUID()]) await world.secrets.put(`secrets/${id}/${randomUUID()}`, secrets);
  const data = { db: world.db, s3, bucket: world.env.REPORT_BUCKET as string };
  const deleteAt = (now: Date) => deleteExpired(data, now, { signal: new AbortController().signal, pauseMs: 0 });
  await deleteAt(later(t0, 3500));
  expect(await stored()).toHaveLength(3);
  await deleteAt(later(t0, 47 * 3600));
  expect(await stored()).toEqual([expect.stringContaining(open.body.id)]);
  const untrusted = { signal: new AbortController().signal, pauseMs: 0, isTrusted: false };
  await deleteEndedSecrets(data, later(t0, 9000 * 3600), untrusted);
  expect(await stored()).toEqual([expect.stringContaining(open.body.id)]);
  await deleteAt(later(t0, 49 * 3600));
  expect(await stored()).toEqual([]);
  expect(leaksIn(dataDir, allValues)).toEqual([]);
});
