import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditOrder } from '../../functions/auditor/messages.ts';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import { updateItem } from '../../functions/lib/store/dynamodb.ts';
import { ifExists } from '../../functions/lib/store/expressions.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { sweep } from '../../functions/sweep.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import type { Schedule } from '../../shared/schedules.ts';
import type { ApiKey } from '../../shared/service/keys.ts';
import { anInteraction } from '../support/an-interaction.ts';
import { fetchDocumented } from '../support/documented.ts';
import { shortReport } from '../support/fake-service.ts';
import { type Gateway, startFunctions } from '../support/gateway.ts';
import { problemOf } from '../support/problem.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let api: Gateway;
beforeAll(async () => {
  world = await startWorld({ AUTH: 'keys', REGIONS: 'us-west1,europe-west3' });
  api = await startFunctions();
});
afterAll(async () => {
  await api.close();
  await world.stop();
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const check = { url: 'https://example.com/', auditVersion: 'latest', regions: ['us-west1'] };
const body = { name: 'home', every: '6h', check };

type Caller = { owner: string; headers: Record<string, string> };
const anOwner = async (fields: Partial<ApiKey> = {}): Promise<Caller> => {
  const owner = fields.owner ?? `o-${randomUUID()}`;
  const { text } = await world.newKey({ owner, ...fields });
  return { owner, headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' } };
};
const call = (path: string, { headers }: Caller, method = 'GET', sent?: unknown) =>
  fetchDocumented(`${api.url}/v1${path}`, {
    method,
    headers,
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  });
const create = async (caller: Caller, more: object = {}): Promise<Schedule> => {
  const answer = await call('/schedules', caller, 'POST', { ...body, ...more });
  expect(answer.status).toBe(201);
  const schedule = (await answer.json()) as Schedule;
  expect(answer.headers.get('location')).toBe(`/v1/schedules/${schedule.id}`);
  return schedule;
};
const read = async (caller: Caller, { id }: Schedule): Promise<Schedule> =>
  (await (await call(`/schedules/${id}`, caller)).json()) as Schedule;
const checksOf = async (caller: Caller): Promise<{ id: string; scheduleId: string | null }[]> =>
  ((await (await call('/checks?limit=100', caller)).json()) as { checks: [] }).checks;
const after = (text: string | null, ms: number) => new Date(Date.parse(String(text)) + ms);
const sweepAt = (now: Date, parts: Partial<World> = {}) => sweep({ ...world, ...parts, now: () => now })({});

test('a due schedule creates its check once, also if two sweeps run at once and a third repeats it', async () => {
  const owner = await anOwner();
  const schedule = await create(owner, { check: { ...check, labels: { team: 'shop' } } });
  expect(schedule).toMatchObject({
    ...body,
    pausedAt: null,
    last: null,
    check: { ...check, labels: { team: 'shop' } },
  });
  expect(Date.parse(schedule.nextAt as string) - Date.parse(schedule.createdAt)).toBe(6 * HOUR);
  await sweepAt(after(schedule.nextAt, -1));
  expect(await checksOf(owner)).toEqual([]);
  const at = after(schedule.nextAt, 20_000);
  await Promise.all([sweepAt(at), sweepAt(at)]);
  await sweepAt(after(schedule.nextAt, 40_000));
  const checks = await checksOf(owner);
  expect(checks).toEqual([expect.objectContaining({ scheduleId: schedule.id, labels: { team: 'shop' } })]);
  expect(await read(owner, schedule)).toMatchObject({
    nextAt: after(schedule.nextAt, 6 * HOUR).toISOString(),
    last: { scheduledFor: schedule.nextAt, at: at.toISOString(), checkId: checks[0]?.id, error: null },
  });
  const shown = await (await call(`/checks/${checks[0]?.id}`, owner)).json();
  expect(shown).toMatchObject({ scheduleId: schedule.id, state: 'created' });
});

test('a service that was down for days makes one check, and the next time is a later one', async () => {
  const owner = await anOwner();
  const schedule = await create(owner);
  const late = after(schedule.nextAt, 50 * HOUR);
  await sweepAt(late);
  await sweepAt(after(late.toISOString(), MINUTE));
  expect(await checksOf(owner)).toHaveLength(1);
  expect((await read(owner, schedule)).nextAt).toBe(after(schedule.nextAt, 54 * HOUR).toISOString());
});

test.each([
  [
    'a region is paused',
    'unavailable',
    () => world.regions.pause('europe-west3', new Date()),
    { regions: ['europe-west3'] },
  ],
  ['a limit is reached', 'too-many-requests', undefined, { samples: 12 }],
  ['its version is retired', 'unsupported-audit-version', 'auditVersion', {}],
  ['its target is forbidden now', 'forbidden-target', 'url', {}],
])('a schedule shows that %s, and goes on', async (_, code, breaks, more) => {
  const owner = await anOwner({ plan: 'small' });
  const schedule = await create(owner, { check: { ...check, ...more } });
  if (typeof breaks === 'function') await breaks();
  else if (breaks) {
    const sent = { ...check, [breaks]: breaks === 'url' ? 'http://10.0.0.1/' : '8.0.0' };
    const key = { pk: `SCHEDULES#${owner.owner}`, sk: '0' };
    await updateItem(world.db, key, { set: { body: JSON.stringify(sent) }, ...ifExists });
  } else await call('/checks', owner, 'POST', { ...check, samples: 12 }); // takes the tokens of the minute
  const now = breaks ? after(schedule.nextAt, 0) : new Date();
  if (!breaks) await updateItem(world.db, { pk: `SCHEDULES#${owner.owner}`, sk: '0' }, dueSince(now));
  await sweepAt(now);
  await world.regions.resume('europe-west3');
  const shown = await read(owner, schedule);
  expect(shown.last).toMatchObject({ checkId: null, error: { code, message: expect.stringMatching(/\.$/) } });
  expect(Date.parse(shown.nextAt as string)).toBeGreaterThan(now.getTime());
});
const dueSince = (now: Date) => ({
  set: { dueAt: now.toISOString(), nextAt: now.toISOString() },
  ...ifExists,
});

test('a paused schedule creates nothing, and resumes at its next time', async () => {
  const owner = await anOwner();
  const schedule = await create(owner);
  const paused = (await (await call(`/schedules/${schedule.id}/pause`, owner, 'POST')).json()) as Schedule;
  expect(paused).toMatchObject({ pausedAt: expect.any(String), nextAt: null });
  await sweepAt(after(schedule.nextAt, 0));
  expect(await checksOf(owner)).toEqual([]);
  expect(await (await call(`/schedules/${schedule.id}/pause`, owner, 'POST')).json()).toEqual(paused);
  const resumed = await (await call(`/schedules/${schedule.id}/resume`, owner, 'POST')).json();
  expect(resumed).toEqual(schedule);
});

const edit = (caller: Caller, { id }: Schedule, sent: unknown) => call(`/schedules/${id}`, caller, 'PATCH', sent);

test('an edit changes what it sends, recomputes the next time, and begins new series for a changed check', async () => {
  const owner = await anOwner();
  const schedule = await create(owner, { check: { ...check, samples: 5 } });
  const renamed = await edit(owner, schedule, { name: 'shop' });
  expect([renamed.status, await renamed.json()]).toEqual([200, { ...schedule, name: 'shop' }]);
  const hourly = (await (await edit(owner, schedule, { every: '1h' })).json()) as Schedule;
  expect(hourly).toMatchObject({ name: 'shop', every: '1h', nextAt: after(schedule.createdAt, HOUR).toISOString() });
  const key = { pk: `SCHEDULES#${owner.owner}`, sk: '0' };
  const { id } = schedule; // any id does for those of checks
  const page = { series: [id], stepped: { lcp: { from: id, worseFrom: id } }, checkId: id, reason: null };
  const watch = JSON.stringify({ judgedUntil: null, pages: { 'us-west1': page }, events: [] });
  await updateItem(world.db, key, { set: { watch }, ...ifExists });
  expect((await read(owner, schedule)).watched).toMatchObject([{ state: 'regressed', metrics: ['lcp'], since: id }]);
  const moved = { ...check, url: 'https://example.org/' };
  const changed = (await (await edit(owner, schedule, { check: moved })).json()) as Schedule;
  expect(changed).toEqual({ ...hourly, check: moved, watched: [] });
  await sweepAt(after(hourly.nextAt, 0));
  expect(await checksOf(owner)).toMatchObject([{ url: moved.url }]);
  await call(`/schedules/${schedule.id}/pause`, owner, 'POST');
  const later = (await (await edit(owner, schedule, { every: '2h' })).json()) as Schedule;
  expect(later).toMatchObject({ every: '2h', nextAt: null });
});

test('an edit of wrong parts changes nothing, and says what is wrong', async () => {
  const owner = await anOwner();
  const schedule = await create(owner);
  await problemOf(await edit(owner, schedule, {}), 400, 'invalid-request');
  const sent = { every: '4m', check: { ...check, url: 'http://10.0.0.1/' }, id: 'a' };
  const problem = await problemOf(await edit(owner, schedule, sent), 400, 'invalid-request');
  const { errors } = problem as unknown as { errors: { path: string }[] };
  expect(errors.map(({ path }) => path).sort()).toEqual(['check.url', 'every', 'id']);
  expect(await read(owner, schedule)).toEqual(schedule);
  await problemOf(await edit(await anOwner(), schedule, { name: 'b' }), 404, 'not-found');
});

test('an edit keeps, replaces or erases the secrets, and sends kept ones to no other origin', async () => {
  const owner = await anOwner();
  const stored = async () => {
    const [item] = await world.schedules.list(owner.owner);
    expect(item?.spareSecrets ?? []).toEqual([]);
    return item?.secretsKey ?? '';
  };
  const schedule = await create(owner, { check: { ...check, headers: { 'x-preview': 'secret-1' } } });
  const first = await stored();
  const kept = (await (await edit(owner, schedule, { check: { ...check, samples: 3 } })).json()) as Schedule;
  expect(kept.check).toEqual({ ...check, samples: 3, headers: ['x-preview'] });
  expect(await stored()).toBe(first);
  const elsewhere = { ...check, url: 'https://example.org/' };
  const refused = await problemOf(await edit(owner, schedule, { check: elsewhere }), 400, 'invalid-request');
  expect(refused).toMatchObject({ errors: [{ path: 'check.url' }] });
  await problemOf(
    await edit(owner, schedule, { check: { ...check, url: 'http://example.com/' } }),
    400,
    'invalid-request',
  );

  const basicAuth = { username: 'u', password: 'secret-2' };
  const replaced = (await (await edit(owner, schedule, { check: { ...elsewhere, basicAuth } })).json()) as Schedule;
  expect(replaced.check).toEqual({ ...elsewhere, basicAuth: true });
  const second = await stored();
  expect(await Promise.all([first, second].map((key) => world.secrets.get(key)))).toEqual([undefined, { basicAuth }]);
  await sweepAt(after(schedule.nextAt, 0));
  const [made] = await checksOf(owner);
  expect(await world.secrets.get((await world.find(made?.id as string)).item.secretsKey as string)).toEqual({
    basicAuth,
  });

  const none = (await (await edit(owner, schedule, { check: { ...check, headers: {} } })).json()) as Schedule;
  expect(none.check).toEqual(check);
  expect([await stored(), await world.secrets.get(second)]).toEqual(['', undefined]);
});

test('a scheduled check audits its interactions and judges their assertions', async () => {
  const owner = await anOwner();
  const interactions = [{ name: 'search', steps: [{ click: '#go' }] }];
  const assertions = { 'interactions:search:inp': ['error', { maxNumericValue: 200 }] };
  const schedule = await create(owner, { check: { ...check, interactions, assertions } });
  expect(schedule.check).toEqual({ ...check, interactions, assertions });
  await sweepAt(after(schedule.nextAt, 0));
  const [made] = await checksOf(owner);
  const orders: AuditOrder[] = [];
  const { samples: _, spread: _0, ...search } = anInteraction([324]);
  const audit = async (order: AuditOrder): Promise<AuditResult> => {
    orders.push(order);
    const stored = { gzip: gzipSync(JSON.stringify(shortReport)), bytes: 2 };
    return {
      ...emptyResult,
      state: 'succeeded',
      metrics: noMetrics,
      report: stored,
      interactions: [{ ...search, lcp: null }],
    };
  };
  const run = await world.runOf(made?.id as string);
  await runAudit({ ...world, auditors: { audit } })(jobOf(run), () => 600_000);
  expect(orders).toMatchObject([{ options: { interactions } }]);
  expect(await (await call(`/checks/${made?.id}`, owner)).json()).toMatchObject({
    scheduleId: schedule.id,
    assertionsPassed: false,
    runs: [
      {
        interactions: [{ name: 'search', inp: '324ms' }],
        assertions: [{ passed: false, message: 'INP of search: 324 ms, expected at most 200 ms' }],
      },
    ],
  });
  const refused = await call('/schedules', owner, 'POST', { ...body, check: { ...check, assertions } });
  const { errors } = await problemOf(refused, 400, 'invalid-request');
  expect(errors?.map(({ path }) => path)).toEqual(['check.assertions.interactions:search:inp']);
});

test('an edit keeps secret texts, and a step whose text no schedule has is refused', async () => {
  const owner = await anOwner();
  const typing = (secret: string) => [{ name: 'login', steps: [{ type: '#password', text: { secret } }] }];
  const secretTexts = { password: 'secret-3' };
  const schedule = await create(owner, { check: { ...check, interactions: typing('password'), secretTexts } });
  const changed = { ...check, samples: 3, interactions: typing('password') };
  const kept = (await (await edit(owner, schedule, { check: changed })).json()) as Schedule;
  expect(kept.check).toEqual({ ...changed, secretTexts: ['password'] });
  const wrong = { ...changed, interactions: typing('another') };
  const problem = await problemOf(await edit(owner, schedule, { check: wrong }), 400, 'invalid-request');
  expect(problem).toMatchObject({ errors: [{ path: 'check.interactions.0.steps.0.text' }] });
});

test('the secrets of a schedule reach its checks, are never shown, and are erased with it', async () => {
  const owner = await anOwner();
  const secrets = { headers: { 'X-Preview': 'secret-7d1' }, basicAuth: { username: 'u', password: 'secret-9f2' } };
  const schedule = await create(owner, { check: { ...check, ...secrets } });
  expect(schedule.check).toEqual({ ...check, headers: ['x-preview'], basicAuth: true });
  const key = `schedule-secrets/${schedule.id}`;
  await sweepAt(after(schedule.nextAt, 0));
  const [made] = await checksOf(owner);
  const { item } = await world.find(made?.id as string);
  expect(await world.secrets.get(item.secretsKey as string)).toEqual(secrets);
  for (const path of ['/schedules', `/schedules/${schedule.id}`, '/checks'])
    expect(await (await call(path, owner)).text()).not.toMatch(/secret-/);
  expect(await world.secrets.get(key)).toEqual(secrets);
  expect((await call(`/schedules/${schedule.id}`, owner, 'DELETE')).status).toBe(204);
  expect(await world.secrets.get(key)).toBeUndefined();
  await problemOf(await call(`/schedules/${schedule.id}`, owner), 404, 'not-found');
});

test('an owner has as many schedules as the plan allows, also when many are created at once', async () => {
  const owner = await anOwner({ plan: 'small' });
  const answers = await Promise.all(Array.from({ length: 8 }, () => call('/schedules', owner, 'POST', body)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 429, 429, 429]);
  const { schedules } = (await (await call('/schedules', owner)).json()) as { schedules: Schedule[] };
  expect(schedules).toHaveLength(5);
  await call(`/schedules/${schedules[2]?.id}`, owner, 'DELETE');
  expect((await call('/schedules', owner, 'POST', body)).status).toBe(201);
});

test('another owner sees no schedule, and a key without the scope is refused', async () => {
  const [owner, other] = [await anOwner(), await anOwner()];
  const { id } = await create(owner);
  for (const [path, method] of [
    ['', 'GET'],
    ['', 'DELETE'],
    ['/pause', 'POST'],
    ['/resume', 'POST'],
  ] as const)
    await problemOf(await call(`/schedules/${id}${path}`, other, method), 404, 'not-found');
  expect(await (await call('/schedules', other)).json()).toEqual({ schedules: [] });
  const reader = await anOwner({ owner: owner.owner, scopes: ['checks:read', 'checks:write', 'webhooks:write'] });
  await problemOf(await call('/schedules', reader), 403, 'forbidden');
});

test('one problem lists everything wrong with a schedule, at the paths of its parts, and without secrets', async () => {
  const owner = await anOwner();
  const sent = {
    name: ' ',
    every: '4m',
    extra: 1,
    check: { ...check, url: 'http://10.0.0.1/', regions: ['mars'], headers: { 'secret-value\n': 1 } },
  };
  const problem = await problemOf(await call('/schedules', owner, 'POST', sent), 400, 'invalid-request');
  const { errors } = problem as unknown as { errors: { path: string; message: string }[] };
  expect(errors.map(({ path }) => path).sort()).toEqual(
    ['check.headers', 'check.regions', 'check.url', 'every', 'extra', 'name'].sort(),
  );
  expect(JSON.stringify(errors)).not.toContain('secret-value');
  const bad = { ...body, every: { cron: '* * * * *', timeZone: 'UTC' }, check: [] };
  const other = await problemOf(await call('/schedules', owner, 'POST', bad), 400, 'invalid-request');
  expect((other as unknown as typeof problem & { errors: { path: string }[] }).errors).toMatchObject([
    { path: 'every.cron' },
    { path: 'check' },
  ]);
});
