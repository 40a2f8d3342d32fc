import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WebhookItem } from '../../functions/lib/store/webhooks.ts';
import type { Posted, PostWebhook } from '../../functions/lib/webhooks/post-webhook.ts';
import { DELIVERY_DELAYS_MS } from '../../shared/service/due-times.ts';
import { startDelivering } from '../support/delivering.ts';
import { later, startWorld, type World } from '../support/world.ts';

const HOUR = 3600_000;
const DAY = 24 * HOUR;
let world: World;
let month = 0;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

type Post = { id: string; url: string; at: number; headers: Record<string, string>; body: string };
const ok: Posted = { status: 200, response: null, retryAfterMs: null };
const status = (code: number, retryAfterMs: number | null = null): Posted => ({ ...ok, status: code, retryAfterMs });

/** Starts deliveries at a time of their own, so that no items of other tests are due. */
const start = (answer: (post: Post) => Posted | Promise<Posted>, parts = {}) => {
  const posts: Post[] = [];
  const post: PostWebhook = async (url, headers, body) => {
    const one = { id: headers['webhook-id'] as string, url, at: simulation.now().getTime(), headers, body };
    posts.push(one);
    return answer(one);
  };
  const now = new Date(Date.UTC(2020, month++, 1));
  const simulation = startDelivering({ world, post, now, parts });
  const hook = (owner: string, url = 'https://example.com/hooks') =>
    world.webhooks.create(
      { id: randomUUID(), owner, url, events: ['check.completed'] },
      5,
      simulation.now(),
    ) as Promise<WebhookItem>;
  return { ...simulation, posts, hook, find: (owner: string, { id }: WebhookItem) => world.webhooks.find(owner, id) };
};
const newOwner = () => `o-${randomUUID()}`;

test('a webhook gets no delivery of a check that was closed before the webhook existed', async () => {
  const owner = newOwner();
  const { posts, hook, finishCheck, drain, advance } = start(() => ok);
  const early = await hook(owner, 'https://example.com/early');
  await finishCheck(owner); // its message waits in the queue
  advance(1000);
  await hook(owner, 'https://example.com/late');
  await drain();
  expect(posts.map(({ url }) => url)).toEqual([early.url]);
});

test('a receiver that answers 500 for a day gets the delivery after it, with one id on all tries', async () => {
  const owner = newOwner();
  const { posts, hook, finishCheck, drain, pass, now, find } = start(({ at }) => (at < begin + DAY ? status(500) : ok));
  const begin = now().getTime();
  const webhook = await hook(owner);
  await finishCheck(owner);
  await drain();
  await pass(HOUR);
  await pass(2 * DAY);
  expect(new Set(posts.map(({ id }) => id)).size).toBe(1);
  expect(new Set(posts.map(({ body }) => body)).size).toBe(1);
  const [delivery] = await world.deliveries.list(webhook.id);
  expect(delivery).toMatchObject({ state: 'succeeded', tries: posts.length, lastTry: { status: 200, error: null } });
  const waited = posts.slice(1).map(({ at }, i) => at - (posts[i] as Post).at);
  for (const [i, ms] of waited.entries()) {
    expect(ms).toBeGreaterThanOrEqual(DELIVERY_DELAYS_MS[i] as number);
    expect(ms).toBeLessThanOrEqual((DELIVERY_DELAYS_MS[i] as number) + 60_000);
  }
  expect((await find(owner, webhook))?.failingSince).toBeUndefined();
  expect(delivery).not.toHaveProperty('dueAt');
});

test('after its last retry a delivery has failed, and after five days of failed retries the webhook is disabled', async () => {
  const owner = newOwner();
  const { posts, hook, finishCheck, drain, pass, find } = start(() => ({
    status: null,
    error: 'The connection failed (ECONNREFUSED).',
  }));
  const webhook = await hook(owner);
  await finishCheck(owner);
  await drain();
  await pass(4 * DAY);
  expect(posts).toHaveLength(DELIVERY_DELAYS_MS.length + 1);
  const [delivery] = await world.deliveries.list(webhook.id);
  expect(delivery).toMatchObject({ state: 'failed', tries: posts.length, nextTryAt: null });
  expect((await find(owner, webhook))?.disabledAt).toBeUndefined();
  await pass(30 * DAY); // nothing waits for a retry
  await finishCheck(owner);
  await drain();
  await pass(2.5 * DAY);
  expect((await find(owner, webhook))?.disabledAt).toBeUndefined(); // five days of retries, but this delivery has some left
  await finishCheck(owner);
  await drain();
  await pass(1.5 * DAY);
  expect(await find(owner, webhook)).toMatchObject({ disabledReason: 'failing' });
  await pass(2 * DAY);
  const count = posts.length;
  expect(count).toBeLessThan(3 * (DELIVERY_DELAYS_MS.length + 1));
  await pass(2 * DAY);
  expect(posts).toHaveLength(count);
  const [unsent] = await world.deliveries.list(webhook.id);
  expect(unsent).toMatchObject({ state: 'failed', lastTry: { error: expect.stringContaining('disabled') } });
});

test('in 200 days of rare failures, failed tests by hand and a stopped service a webhook stays enabled', async () => {
  const owner = newOwner();
  let failures = 0;
  const { hook, finishCheck, drain, pass, advance, now, find } = start(({ body }) => {
    if (body.includes('webhook.test')) return status(failures % 2 ? 410 : 502);
    return failures-- > 0 ? status(502) : ok;
  });
  const webhook = await hook(owner);
  const failingTest = async () => {
    const made = {
      id: randomUUID(),
      webhookId: webhook.id,
      owner,
      event: 'webhook.test',
      createdAt: now().toISOString(),
    };
    await world.deliveries.create({ ...made, checkId: null, createId: null }, now());
    await pass(2 * 60_000);
  };
  for (let day = 0; day < 200; day += 8) {
    await failingTest();
    advance(2 * DAY);
    await failingTest();
    advance(4 * DAY);
    const isStopped = day % 16 === 0;
    failures = isStopped ? 4 : 1;
    await finishCheck(owner);
    await drain();
    if (isStopped) advance(7 * DAY); // between the first try and the second
    await pass(8 * HOUR);
    advance(2 * DAY - 8 * HOUR);
    expect(Object.keys((await find(owner, webhook)) ?? {}).join(), `day ${day}`).not.toMatch(/disabled|failing/);
  }
  const made = await world.deliveries.list(webhook.id);
  expect(made.filter(({ event }) => event === 'check.completed').every(({ state }) => state === 'succeeded')).toBe(
    true,
  );
});

test('a retry waits as long as the receiver asks, but never longer than a day', async () => {
  const owner = newOwner();
  const answers = [status(503, HOUR), status(429, 365 * DAY), ok];
  const { posts, hook, finishCheck, drain, pass } = start(() => answers.shift() ?? ok);
  await hook(owner);
  await finishCheck(owner);
  await drain();
  await pass(2 * HOUR);
  await pass(DAY);
  const [first, second, third] = posts.map(({ at }) => at) as [number, number, number];
  expect((second - first) / HOUR).toBeCloseTo(1, 0);
  expect((third - second) / DAY).toBeCloseTo(1, 0);
});

test.each([
  ['the message about a closed check', (job: object) => 'checkId' in job],
  ['each message', () => true],
])('if the queue loses %s, the sweeper sends it again', async (_, lost) => {
  const owner = newOwner();
  const { posts, hook, finishCheck, loseMessages, drain, pass } = start(() => (posts.length === 1 ? status(500) : ok));
  await hook(owner);
  loseMessages(lost);
  await finishCheck(owner);
  await drain();
  expect(posts).toHaveLength(0);
  await pass(2 * 60_000);
  loseMessages(() => false);
  await pass(HOUR);
  expect(posts).toHaveLength(2);
  expect(posts[0]?.id).toBe(posts[1]?.id);
});

test('a check whose owner has no webhook leaves the open items when it is closed, and sends no message', async () => {
  const owner = newOwner();
  const { finishCheck, db } = start(() => ok);
  const { id } = await finishCheck(owner);
  expect((await world.find(id)).item).not.toHaveProperty('dueAt');
  expect(db.announceClosed).toBeDefined();
});

test('a webhook is told only of checks that were closed after its create, also if the message comes late', async () => {
  const owner = newOwner();
  const { posts, hook, finishCheck, loseMessages, pass } = start(() => ok);
  const first = await hook(owner, 'https://example.com/first');
  loseMessages(() => true);
  await finishCheck(owner);
  await pass(1000);
  await hook(owner, 'https://example.com/second');
  loseMessages(() => false);
  await pass(5 * 60_000);
  expect(posts.map(({ url }) => url)).toEqual([first.url]);
});

test('nothing is sent for a check that was erased, nor to a webhook that was deleted', async () => {
  const [erasing, deleting] = [newOwner(), newOwner()];
  const { posts, hook, finishCheck, drain, pass } = start(() => status(500));
  const [kept, deleted] = [await hook(erasing), await hook(deleting)];
  const check = await finishCheck(erasing);
  await finishCheck(deleting);
  await drain();
  expect(posts).toHaveLength(2);
  await world.erasure.markErased((await world.find(check.id)).item, later(new Date(check.createdAt), 1));
  await world.webhooks.delete(deleted);
  await pass(HOUR);
  expect(posts).toHaveLength(2);
  expect(await world.deliveries.list(kept.id)).toMatchObject([
    { state: 'failed', lastTry: { error: expect.stringContaining('erased') } },
  ]);
  expect(await world.deliveries.list(deleted.id)).toEqual([]);
});
