import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { canaryKey } from '../../functions/canary.ts';
import { checkCreator } from '../../functions/lib/checks/create-check.ts';
import { regionRows } from '../../functions/lib/checks/region-rows.ts';
import { log } from '../../functions/lib/log.ts';
import { watchOf } from '../../functions/lib/schedules/watch-schedule.ts';
import { getItem } from '../../functions/lib/store/dynamodb.ts';
import { type OpenKind, type RunItem, usageKey } from '../../functions/lib/store/items.ts';
import { pageStore } from '../../functions/lib/store/listed-pages.ts';
import type { ScheduleItem } from '../../functions/lib/store/schedule-items.ts';
import type { WebhookItem } from '../../functions/lib/store/webhooks.ts';
import { moveBackAhead } from '../../functions/lib/sweep/move-back-ahead.ts';
import { kinds } from '../../functions/lib/sweep/shards.ts';
import { handler, sweep } from '../../functions/sweep.ts';
import { startDelivering } from '../support/delivering.ts';
import { measured } from '../support/finished-checks.ts';
import { aCheck, later, startWorld, type World } from '../support/world.ts';

/*
 * Each stored time that is compared with now, written once while the clock was a year ahead. Each test then goes on with the
 * right clock.
 */
const t0 = new Date('2026-11-01T00:00:00.000Z');
const DAY = 24 * 3600;
const YEAR = 365 * DAY;
const ahead = later(t0, YEAR);
const check = { url: 'https://example.com/', auditVersion: 'latest', regions: ['us-west1'] };
let world: World;
let owner: string;
let warned: ReturnType<typeof vi.spyOn>;
beforeEach(async () => {
  world = await startWorld();
  owner = `o-${randomUUID()}`;
  warned = vi.spyOn(log, 'warn').mockReturnValue();
});
afterEach(() => world.stop());

/** Returns the sweeper of a process, which may know open items of some kinds only. */
const sweeper = (only: readonly OpenKind[] = kinds) => {
  const clock = { now: t0 };
  const list: World['due']['list'] = async (shard, ...at) =>
    only.includes(shard.kind) ? world.due.list(shard, ...at) : [];
  const deps = { ...world, due: { ...world.due, list }, now: () => clock.now };
  const [moveBack, sweepDue] = [moveBackAhead(deps), sweep(deps)];
  const sweepAt = async (at: Date) => {
    clock.now = at;
    await moveBack();
    await sweepDue({});
  };
  return { sweepAt };
};
const movedBack = () =>
  warned.mock.calls.filter((call: unknown[]) => /clock was ahead.*schedules/.test(JSON.stringify(call))).length;

const schedule = async (every: ScheduleItem['every'] = '1d', createdAt = t0, nextAt = later(createdAt, DAY)) =>
  (await world.schedules.create(
    {
      id: randomUUID(),
      owner,
      name: 'home',
      every,
      body: JSON.stringify(check),
      secretNames: '{}',
      createdAt: createdAt.toISOString(),
      nextAt: nextAt.toISOString(),
    },
    5,
    undefined,
    createdAt,
  )) as ScheduleItem;
const stored = async ({ id }: ScheduleItem) => (await world.schedules.find(owner, id)) as ScheduleItem;

test.each(['1d', { cron: '0 0 * * *', timeZone: 'UTC' }])(
  'a schedule %o goes on at its next time after a sweep that was a year ahead, in the same process and in a new one',
  async (every) => {
    const { sweepAt } = sweeper();
    const made = await schedule(every);
    for (const restart of [false, true]) {
      await sweepAt(ahead);
      expect((await stored(made)).nextAt).toBe(later(ahead, DAY).toISOString());
      const then = restart ? sweeper().sweepAt : sweepAt;
      await then(later(t0, 100));
      expect((await stored(made)).nextAt).toBe(later(t0, DAY).toISOString());
      expect(movedBack()).toBe(restart ? 2 : 1);
      await then(later(t0, DAY));
      expect((await stored(made)).last?.scheduledFor).toBe(later(t0, DAY).toISOString());
    }
  },
);

test('the function moves due times back before it sweeps', async () => {
  const made = await schedule('1d', new Date(), later(new Date(), YEAR));
  await handler();
  expect(Date.parse((await stored(made)).nextAt as string)).toBeLessThan(Date.now() + DAY * 1000);
});

test('a schedule that was created while the clock was ahead has its first check an interval after', async () => {
  const made = await schedule('1d', ahead);
  await sweeper().sweepAt(later(t0, 100));
  expect((await stored(made)).nextAt).toBe(later(t0, DAY).toISOString());
});

test('in 200 days of a clock that steps forward and back a schedule has its check at each of its times', async () => {
  const made = await schedule();
  let { sweepAt } = sweeper(['schedules']);
  for (let day = 1; day <= 200; day++) {
    const at = later(t0, day * DAY);
    await sweepAt(at);
    const fired = await stored(made);
    expect(fired.last, `day ${day}`).toMatchObject({ scheduledFor: at.toISOString(), error: null });
    if (day % 10 === 3) await sweepAt(later(at, (day % 4) * 90 * DAY + 5 * 3600)); // ahead, by up to 270 days
    if (day % 10 === 6) await sweepAt(later(at, -(day % 3) * 40 * DAY - 3600)); // back, by up to 80 days
    if (day % 20 === 3) ({ sweepAt } = sweeper(['schedules']));
    if (day % 10 === 3) await sweepAt(later(at, 7200));
  }
});

test('a run whose worker died with a lease that ends in a year is sent again, and a worker at work keeps it', async () => {
  const [lost, held] = [aCheck({ now: t0, regions: ['us-west1'] }), aCheck({ now: t0, regions: ['us-west1'] })];
  const runs = [(await world.create(lost))[0], (await world.create(held))[0]] as [RunItem, RunItem];
  const [, lease] = [await world.claim(runs[0], ahead), await world.claim(runs[1], ahead)];
  const { sweepAt } = sweeper();
  await sweepAt(t0);
  expect(await world.leases.renew(lease, later(t0, 15))).toBe(true);
  await sweepAt(later(t0, 31));
  const [again, same] = [await world.runOf(lost.id), await world.runOf(held.id)];
  expect([again.lease, again.lostLeases, again.sends]).toEqual([undefined, 1, 1]);
  expect([same.lease?.id, same.lostLeases]).toEqual([lease.id, 0]);
  expect((await world.jobsIn('us-west1')).map(({ runId }) => runId)).toEqual([again.id]);
});

test('a delivery and the lanes of a webhook are free again, and a webhook of the future receives the checks of today', async () => {
  const urls: string[] = [];
  const simulation = startDelivering({
    world,
    now: t0,
    post: async (url) => {
      urls.push(url);
      return { status: 204, response: null, retryAfterMs: null };
    },
  });
  const hook = (path: string, at: Date) => {
    const webhook = { id: randomUUID(), owner, url: `https://example.com/${path}`, events: ['check.completed'] };
    return world.webhooks.create(webhook, 5, at) as Promise<WebhookItem>;
  };
  const [future, busy] = [await hook('future', ahead), await hook('busy', t0)];
  for (const _ of 'abc')
    await world.webhooks.takeLane((await world.webhooks.find(owner, busy.id)) as never, 'x', ahead);
  const ref = { id: randomUUID(), webhookId: busy.id, createdAt: t0.toISOString() };
  const made = { ...ref, owner, event: 'webhook.test', checkId: null, createId: null };
  await world.deliveries.claim(await world.deliveries.create(made, t0), 'dead', ahead);
  await simulation.finishCheck(owner);
  await simulation.drain();
  await sweeper().sweepAt(t0); // moves the claimed delivery back
  await simulation.pass(3 * 60_000);
  expect(urls.sort()).toEqual([busy.url, busy.url, future.url]);
});

test('a rotation ends secrets that would sign for a year in a day', async () => {
  const webhook = { id: randomUUID(), owner, url: 'https://example.com/', events: ['check.completed'] };
  await world.webhooks.create(webhook, 5, t0);
  for (const at of [ahead, t0])
    await world.webhooks.rotate((await world.webhooks.find(owner, webhook.id)) as WebhookItem, at);
  const { secrets } = (await world.webhooks.find(owner, webhook.id)) as WebhookItem;
  expect(secrets.map(({ until }) => until)).toEqual([null, later(t0, DAY).toISOString(), later(t0, DAY).toISOString()]);
});

test('checks of a schedule are judged again', async () => {
  const made = await schedule('1d', t0);
  const simulation = startDelivering({ world, now: t0, post: async () => ({ status: null, error: 'down' }) });
  await world.webhooks.create(
    { id: randomUUID(), owner, url: 'https://example.com/', events: ['page.regressed'] },
    5,
    t0,
  );
  await world.schedules.putWatch(made, JSON.stringify({ judgedUntil: ahead.toISOString(), pages: {}, events: [] }));
  const ofSchedule = { ...aCheck({ now: t0, regions: ['us-west1'] }), scheduleId: made.id };
  await simulation.finishCheck(owner, { check: ofSchedule, outcome: measured({ lcps: [1800, 1812, 1806] }) });
  await simulation.drain();
  expect(watchOf(await stored(made))).toMatchObject({
    judgedUntil: t0.toISOString(),
    pages: { 'us-west1': { checkId: ofSchedule.id } },
  });
});

test('the list of pages shows the results of today', async () => {
  const finish = async (now: Date) => {
    const made = aCheck({ now, regions: ['us-west1'] });
    const [run] = await world.create(made, { owner });
    await world.finish(run as RunItem, undefined, now);
    return made.id;
  };
  const newest = async () => (await pageStore(world.db).list(owner, t0)).results[0]?.page.newest.checkId;
  const future = await finish(ahead);
  for (let i = 0; i < 10; i++) await finish(later(ahead, i));
  expect(await newest()).not.toBe(future);
  const [first, second] = [await finish(t0), await finish(later(t0, 60))];
  expect(await newest()).toBe(second);
  expect(first).not.toBe(second);
});

test('a region without a success of today is not available, and its next success counts', async () => {
  const settings = { successWithinMinutes: 45 };
  const row = async () => regionRows(await world.regions.read(['us-west1']), settings, later(t0, 120))[0];
  await world.regions.recordSuccess('us-west1', ahead);
  expect(await row()).toMatchObject({ available: false });
  await world.regions.recordSuccess('us-west1', t0);
  expect(await row()).toMatchObject({ available: true, lastSuccessAt: t0.toISOString() });
});

test('an owner gets new tokens, and a create that died holds no place', async () => {
  const user = { owner, plan: 'small' as const };
  const take = (now: Date) => world.usage.take(user, { id: randomUUID(), createId: randomUUID(), audits: 5 }, now);
  while ('allowed' in (await take(ahead)));
  expect(await take(t0)).toHaveProperty('allowed');
  expect(Object.keys((await getItem(world.db, usageKey(owner)))?.creating ?? {})).toHaveLength(1);
  while ('allowed' in (await take(t0)));
  expect(await take(later(t0, 3600))).toHaveProperty('allowed');
});

test('the canary makes its key, and a check can be created', async () => {
  await canaryKey(world.keys, ahead);
  expect(await canaryKey(world.keys, t0)).toContain('ca11');
  const create = checkCreator({ ...world.creates, now: () => t0 });
  expect(await create({ owner, body: check, key: undefined, requestId: 'r' })).toMatchObject({ status: 201 });
});
