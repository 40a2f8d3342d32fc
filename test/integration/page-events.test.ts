import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchedRegions } from '../../functions/lib/schedules/watch-schedule.ts';
import { markStore } from '../../functions/lib/store/marks.ts';
import type { ScheduleItem } from '../../functions/lib/store/schedule-items.ts';
import type { WebhookItem } from '../../functions/lib/store/webhooks.ts';
import type { PostWebhook } from '../../functions/lib/webhooks/post-webhook.ts';
import { type WebhookEvent, webhookEvents } from '../../shared/webhook-events.ts';
import type { PageEventData } from '../../shared/webhooks.ts';
import { anInteraction } from '../support/an-interaction.ts';
import { startDelivering } from '../support/delivering.ts';
import { measured } from '../support/finished-checks.ts';
import { aCheck, startWorld, type World } from '../support/world.ts';

let world: World;
let month = 0;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const fast = { lcps: [1800, 1812, 1806] };
const slow = { lcps: [3000, 3020, 3011] };
type Event = { type: WebhookEvent; data: PageEventData };

const outcomeOf = ({ lcps, inps }: { lcps: number[]; inps?: number[] }) => ({
  ...measured({ lcps }),
  ...(inps && { interactions: [anInteraction(inps)] }),
});

/** Starts an owner with a webhook and a schedule. */
const start = async ({ events = ['page.regressed', 'page.recovered'], parts = {} } = {}) => {
  const owner = `o-${randomUUID()}`;
  const received: { id: string; event: Event; to: string }[] = [];
  let isDown = false;
  const post: PostWebhook = async (to, headers, body) => {
    if (isDown) return { status: 500, response: null, retryAfterMs: null };
    const event = JSON.parse(body) as Event;
    received.push({ id: headers['webhook-id'] as string, event, to });
    return { status: 204, response: null, retryAfterMs: null };
  };
  const now = new Date(Date.UTC(2020, month++, 1));
  const simulation = startDelivering({ world, post, now, parts: { publicUrl: 'https://audit.example', ...parts } });
  const hook = (await world.webhooks.create(
    { id: randomUUID(), owner, url: 'https://example.com/hooks', events },
    5,
    now,
  )) as WebhookItem;
  const schedule = await world.schedules.create(
    {
      id: randomUUID(),
      owner,
      name: 'home',
      every: '1h',
      body: '{}',
      secretNames: '{}',
      createdAt: now.toISOString(),
      nextAt: '2999-01-01T00:00:00.000Z',
    },
    5,
    undefined,
    now,
  );
  if (!schedule) throw new Error('there is no place for the schedule');
  const newCheck = (regions: ('us-west1' | 'us-east4')[] = ['us-west1']) => ({
    ...aCheck({ now: simulation.now(), regions }),
    scheduleId: schedule.id,
  });
  return {
    ...simulation,
    owner,
    schedule,
    hook,
    received,
    newCheck,
    setDown: (down: boolean) => {
      isDown = down;
    },
    /** Finishes a check of the schedule with each result, an hour apart. Returns the ids of the checks. */
    finishAll: async (results: readonly ({ lcps: number[]; inps?: number[] } | 'failed')[]): Promise<string[]> => {
      const ids: string[] = [];
      for (const result of results) {
        const outcome = result === 'failed' ? ({ state: 'failed' } as never) : outcomeOf(result);
        ids.push((await simulation.finishCheck(owner, { check: newCheck(), outcome })).id);
        const errors = await simulation.drain();
        if (errors.length > 0) await simulation.pass(10 * MINUTE); // the sweeper sends the message again
        simulation.advance(HOUR);
      }
      return ids;
    },
    types: () => received.map(({ event }) => event.type),
    stored: async () => world.schedules.find(owner, schedule.id),
  };
};

test('page.regressed names the last mark before the step, and none of another page', async () => {
  const { finishAll, received, owner, now } = await start();
  await finishAll([fast, fast, fast]);
  const at = now().toISOString();
  const mark = (text: string, url: string, labels = {}) => {
    const stored = { id: randomUUID(), text, at, url, labels, checkId: null };
    return markStore(world.db).create(owner, stored, new Date('2999-01-01'), now());
  };
  await mark('deploy 4f2a', 'https://example.com/');
  await mark('deploy of another page', 'https://example.com/other');
  await finishAll([slow, slow]);
  expect(received.map(({ event }) => event.data.since.mark)).toEqual([{ text: 'deploy 4f2a', at }]);
});

test('a schedule sends page.regressed once, and page.recovered when the page is back, with the change and its links', async () => {
  const { finishAll, received, types, schedule, stored } = await start();
  const ids = await finishAll([fast, fast, fast, slow]);
  expect(types()).toEqual([]);
  const [second] = await finishAll([slow]);
  await finishAll([slow, slow, fast]);
  expect(types()).toEqual(['page.regressed']);
  const [back] = await finishAll([fast, fast]);
  expect(types()).toEqual(['page.regressed', 'page.recovered']);
  const page = 'https://audit.example/pages?url=https%3A%2F%2Fexample.com%2F&device=mobile';
  expect(received[0]?.event.data).toEqual({
    scheduleId: schedule.id,
    url: 'https://example.com/',
    device: 'mobile',
    region: 'us-west1',
    checkId: second,
    since: { checkId: ids[3], createdAt: expect.any(String), mark: null },
    baseCheckId: ids[2],
    pooledCheckIds: [ids[1], ids[0]],
    metrics: [
      {
        name: 'lcp',
        base: '1806ms',
        value: '3000ms',
        verdict: 'regressed',
        suspected: false,
        needs: null,
        noise: expect.any(Object),
        change: {
          estimate: '1205ms',
          low: expect.any(String),
          high: expect.any(String),
          confidence: 0.99,
          by: 'checks',
        },
      },
    ],
    interactions: [],
    links: {
      check: `https://audit.example/checks/${second}`,
      comparison: `https://audit.example/comparisons/${ids[2]}...${second}`,
      page,
    },
  });
  expect(received[1]?.event.data).toMatchObject({
    checkId: back,
    metrics: [{ name: 'lcp', verdict: 'improved' }],
  });
  expect(JSON.stringify(await stored())).not.toMatch(/1806|3000/);
});

test('page.regressed names the interaction that got slower, and the schedule shows it until it is back', async () => {
  const { finishAll, received, types, stored } = await start();
  const quick = { ...fast, inps: [96, 104, 100] };
  const sluggish = { ...fast, inps: [300, 312, 304] };
  const six = Array.from({ length: 6 }, () => quick);
  await finishAll([...six, quick, quick, sluggish, sluggish]);
  expect(types()).toEqual(['page.regressed']);
  expect(received[0]?.event.data).toMatchObject({
    metrics: [],
    interactions: [
      { name: 'search', base: '100ms', value: '300ms', verdict: 'regressed', change: { estimate: '205ms' } },
    ],
  });
  const watched = async () => watchedRegions((await stored()) as ScheduleItem);
  expect(await watched()).toMatchObject([{ state: 'regressed', metrics: [], interactions: ['search'] }]);
  await finishAll([sluggish, ...six, quick, quick]);
  expect(types()).toEqual(['page.regressed', 'page.recovered']);
  expect(received[1]?.event.data.interactions).toMatchObject([{ name: 'search', value: '96ms' }]);
  expect(await watched()).toMatchObject([{ state: 'normal', interactions: [] }]);
});

test('each region has its own series and events', async () => {
  const { newCheck, startCheck, drain, pass, owner, received, now } = await start();
  for (const west of [fast, fast, fast, slow, slow]) {
    const check = newCheck(['us-west1', 'us-east4']);
    await world.create(check, { owner });
    for (const run of (await world.find(check.id)).runs)
      await world.finish(run, measured(run.region === 'us-west1' ? west : fast), now());
    await pass(HOUR);
    await drain();
  }
  expect(startCheck).toBeDefined();
  expect(received.map(({ event }) => [event.type, event.data.region])).toEqual([['page.regressed', 'us-west1']]);
});

test('failed checks, and checks of nobody or of another schedule, change nothing', async () => {
  const { finishAll, finishCheck, owner, types, drain, pass, stored } = await start();
  await finishAll([fast, fast, fast, slow, 'failed']);
  expect(JSON.parse(String((await stored())?.watch)).pages['us-west1'].reason).toBe('failed');
  await finishCheck(owner, { outcome: measured(fast) });
  await drain();
  await pass(HOUR);
  await finishAll([slow]);
  expect(types()).toEqual(['page.regressed']);
});

test('a webhook receives the events that it wants, each as one delivery', async () => {
  const { finishAll, types, received } = await start({ events: [...webhookEvents] });
  await finishAll([fast, fast, fast, slow, slow]);
  expect(types()).toEqual([...Array.from({ length: 5 }, () => 'check.completed'), 'page.regressed']);
  expect(new Set(received.map(({ id }) => id)).size).toBe(6);
  const other = await start({ events: ['check.completed'] });
  await other.finishAll([fast, slow, slow]);
  expect(other.types()).toEqual(['check.completed', 'check.completed', 'check.completed']);
});

test.each(['putWatch', 'create', 'settleCheck'] as const)(
  'a consumer that dies before or after %s loses no event and makes none twice',
  async (name) => {
    const of = name === 'putWatch' ? 'schedules' : 'deliveries';
    const real = world[of] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    let deaths = 0;
    let calls = 0;
    const dies = async (...args: unknown[]) => {
      if (calls++ % 2 === 0) throw new Error(`died before (${++deaths})`);
      await real[name]?.(...args);
      throw new Error(`died after (${++deaths})`);
    };
    let isMortal = false;
    const mortal = (...args: unknown[]) => (isMortal && deaths < 2 ? dies(...args) : real[name]?.(...args));
    const { finishAll, types, received, stored, hook } = await start({ parts: { [of]: { ...real, [name]: mortal } } });
    await finishAll([fast, fast, fast, slow]);
    isMortal = true;
    await finishAll([slow, slow, slow, fast, fast]);
    expect(deaths).toBe(2);
    expect(types()).toEqual(['page.regressed', 'page.recovered']);
    expect(new Set(received.map(({ id }) => id)).size).toBe(2);
    expect(await world.deliveries.list(hook.id)).toHaveLength(2);
    expect(JSON.parse(String((await stored())?.watch)).events).toEqual([]);
  },
);

test('checks that close out of order, or twice, are judged once and in the order of their creates', async () => {
  const { finishAll, newCheck, startCheck, drain, pass, owner, types, db } = await start();
  await finishAll([fast, fast, fast]);
  const late = await startCheck(owner, { check: newCheck(), outcome: measured(slow) });
  await pass(HOUR);
  const [id] = await finishAll([slow]);
  await db.announceClosed({ owner, checkId: String(id) }); // a second message
  await drain();
  await late.finish();
  await drain();
  expect(types()).toEqual([]);
  await finishAll([slow]);
  expect(types()).toEqual(['page.regressed']);
});

test('two consumers of one message make one event', async () => {
  const { finishAll, finishCheck, newCheck, db, drain, owner, hook, types } = await start();
  await finishAll([fast, fast, fast, slow]);
  const { id } = await finishCheck(owner, { check: newCheck(), outcome: measured(slow) });
  await Promise.all([db.announceClosed({ owner, checkId: id }), drain(), drain()]);
  await drain();
  expect(await world.deliveries.list(hook.id)).toHaveLength(1);
  expect(types()).toEqual(['page.regressed']);
});

test('a pause keeps the series, and a deleted schedule has no events any more', async () => {
  const { finishAll, types, schedule, now } = await start();
  await finishAll([fast, fast, fast]);
  await world.schedules.pause(schedule, now());
  await world.schedules.resume(schedule, new Date('2999-01-01'));
  await finishAll([slow, slow]);
  expect(types()).toEqual(['page.regressed']);
  await world.schedules.erase(schedule, now());
  await finishAll([fast, fast]);
  expect(types()).toEqual(['page.regressed']);
});

test('an erased check leaves the series, and its event is not sent any more', async () => {
  const { finishAll, received, types, now, setDown, pass, hook } = await start();
  const erase = async (id: string) => {
    const { item } = await world.find(id);
    await world.erasure.markErased(item, now());
    await world.erasure.eraseRemains(id);
  };
  const [first, ...others] = (await finishAll([fast, fast, fast, fast, slow])) as [string, ...string[]];
  await erase(first);
  setDown(true);
  const [regressed] = (await finishAll([slow])) as [string];
  for (const id of others.slice(0, 3)) await erase(id);
  setDown(false);
  await pass(HOUR);
  expect(received[0]?.event.data).toMatchObject({ checkId: regressed, baseCheckId: null, metrics: [] });
  expect(types()).toEqual(['page.regressed']);
  setDown(true);
  const [, third] = (await finishAll([
    slow,
    slow,
    slow,
    { lcps: [6000, 6020, 6011] },
    { lcps: [6000, 6020, 6011] },
  ])) as string[];
  await erase((await world.deliveries.list(hook.id))[0]?.checkId as string);
  setDown(false);
  await pass(24 * HOUR);
  expect(third).toBeDefined();
  expect(types()).toEqual(['page.regressed']);
  expect(await world.deliveries.list(hook.id)).toMatchObject([{ state: 'failed' }, { state: 'succeeded' }]);
});
