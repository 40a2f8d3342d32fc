import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkStore } from '../../functions/lib/store/checks.ts';
import { deliveryStore } from '../../functions/lib/store/deliveries.ts';
import { dueStore } from '../../functions/lib/store/due.ts';
import { webhookStore } from '../../functions/lib/store/webhooks.ts';
import { startDelivering } from '../support/delivering.ts';
import { startFaultyTable } from '../support/faulty-table.ts';

const { world, dynamodb, newDb } = await startFaultyTable();
const HOUR = 3600_000;
/** Writes of a check in two regions from its create to its end, with two deliveries. */
const WRITES = 40;
let year = 2000;

/** Finishes a check of an owner with two webhooks while the table has a fault, and lets an hour pass without it. */
const deliverDespite = async (breaks: () => void) => {
  const db = newDb();
  const parts = { checks: checkStore(db), webhooks: webhookStore(db), deliveries: deliveryStore(db) };
  const faulty = { ...world, ...parts, db, store: parts.checks, due: dueStore(db) };
  const posts: { id: string; url: string }[] = [];
  const simulation = startDelivering({
    world: faulty,
    now: new Date(Date.UTC(year++, 0, 1)),
    post: async (url, headers) => {
      posts.push({ id: headers['webhook-id'] as string, url });
      return { status: 200, response: null, retryAfterMs: null };
    },
  });
  const owner = `o-${randomUUID()}`;
  const hooks = [];
  for (const path of ['a', 'b']) {
    const webhook = { id: randomUUID(), owner, url: `https://example.com/${path}`, events: ['check.completed'] };
    hooks.push(await world.webhooks.create(webhook, 5, simulation.now()));
  }
  const { finish } = await simulation.startCheck(owner);
  breaks();
  await finish().catch(() => {}); // the worker dies
  await simulation.drain();
  dynamodb.heal();
  await finish().catch(() => {}); // another one finishes what is left
  await simulation.drain();
  await simulation.pass(HOUR);
  const made = await Promise.all(hooks.map((hook) => world.deliveries.list(hook?.id as string)));
  return { posts, made };
};

test('each webhook has one delivery, which arrives, if the table loses the answer to a write', async () => {
  for (let n = 1; n <= WRITES; n += 3) {
    const { posts, made } = await deliverDespite(() => dynamodb.loseResponseOf(n));
    expect(
      made.map((each) => each.map(({ state }) => state)),
      `write ${n}`,
    ).toEqual([['succeeded'], ['succeeded']]);
    const sent = posts.map(({ id, url }) => `${url} ${id}`);
    expect(new Set(sent).size, `write ${n}`).toBe(2);
  }
});
