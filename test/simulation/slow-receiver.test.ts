import { expect, test } from 'vitest';
import { deliverWebhook } from '../../functions/deliver-webhook.ts';
import { deliveryStore, jobOf } from '../../functions/lib/store/deliveries.ts';
import { dueStore } from '../../functions/lib/store/due.ts';
import { listStore } from '../../functions/lib/store/lists.ts';
import { markStore } from '../../functions/lib/store/marks.ts';
import { scheduleStore } from '../../functions/lib/store/schedules.ts';
import { type WebhookItem, webhookStore } from '../../functions/lib/store/webhooks.ts';
import type { PostWebhook } from '../../functions/lib/webhooks/post-webhook.ts';
import { deliverySettings } from '../../infra/settings.ts';
import type { DeliveryJob } from '../../shared/service/delivery-job.ts';
import { DELIVERY_TRY_MS } from '../../shared/service/due-times.ts';
import { memoryTable } from './memory-table.ts';
import { seededRandom } from './random.ts';
import { startTimeline } from './timeline.ts';

const DELIVERIES = 1000;
const WEBHOOKS = 20;
const ANSWER_MS = 200;
const MINUTE = 60_000;

/** Handles due deliveries to many webhooks in simulated time. Returns the time until all but those of the first are done. */
const deliverAll = async (first: 'answers' | 'hangs') => {
  const timeline = startTimeline(Date.parse('2031-01-01T00:00:00.000Z'));
  const random = seededRandom(1);
  const now = () => new Date(timeline.now());
  const { db } = memoryTable(1);
  const [webhooks, deliveries] = [webhookStore(db), deliveryStore(db)];
  const all: WebhookItem[] = [];
  for (let i = 0; i < WEBHOOKS; i++) {
    const webhook = {
      id: random.uuid(),
      owner: `owner-${i}`,
      url: `https://${i}.example/`,
      events: ['check.completed'],
    };
    all.push((await webhooks.create(webhook, 5, now())) as WebhookItem);
  }
  const atWork = new Map<string, number>();
  const most = new Map<string, number>();
  let done = 0;
  const post: PostWebhook = async (url) => {
    const isSlow = first === 'hangs' && url === all[0]?.url;
    atWork.set(url, (atWork.get(url) ?? 0) + 1);
    most.set(url, Math.max(most.get(url) ?? 0, atWork.get(url) ?? 0));
    await timeline.sleep(isSlow ? DELIVERY_TRY_MS : ANSWER_MS);
    atWork.set(url, (atWork.get(url) ?? 0) - 1);
    if (isSlow) return { status: null, error: 'The receiver did not answer within 15 s.' };
    if (url !== all[0]?.url) done++;
    return { status: 200, response: null, retryAfterMs: null };
  };
  const queue: DeliveryJob[] = [];
  const deliveryQueue = {
    send: async (job: DeliveryJob, delaySeconds = 0) => void timeline.after(delaySeconds * 1000, () => queue.push(job)),
  };
  const checks = { findOfAnyOwner: async () => undefined };
  const pause = (ms: number) => timeline.sleep(ms);
  const consume = deliverWebhook({
    ...{
      checks,
      webhooks,
      deliveries,
      schedules: scheduleStore(db),
      lists: listStore(db),
      marks: markStore(db),
      deliveryQueue,
      post,
      now,
      pause,
    },
    random: random.next,
    newId: random.uuid,
  });
  for (let i = 0; i < DELIVERIES; i++) {
    const { id: webhookId, owner } = all[i % WEBHOOKS] as WebhookItem;
    const facts = { id: random.uuid(), webhookId, owner, createdAt: now().toISOString() };
    const made = await deliveries.create({ ...facts, event: 'check.completed', checkId: null, createId: null }, now());
    queue.push(jobOf(made));
  }
  const wanted = (DELIVERIES / WEBHOOKS) * (WEBHOOKS - 1);
  const worker = async () => {
    while (done < wanted) {
      const job = queue.shift();
      if (job) await consume(job, () => 30_000);
      else await timeline.sleep(100);
    }
  };
  const sweep = async () => {
    for (const due of await dueStore(db).list({ kind: 'deliveries', shard: 0 }, now(), DELIVERIES)) {
      const job = await deliveries.hold(due, now());
      if (job) queue.push(job);
    }
    timeline.after(MINUTE, sweep);
  };
  timeline.after(MINUTE, sweep);
  const startedAt = timeline.now();
  const workers = Promise.all(Array.from({ length: deliverySettings.atOnce }, worker));
  while (done < wanted && (await timeline.step()));
  const ms = timeline.now() - startedAt;
  while (await Promise.race([workers.then(() => false), timeline.step()]));
  return { ms, most: most.get(all[0]?.url ?? '') ?? 0, done };
};

test('a receiver that hangs delays 1,000 deliveries to others by less than a fifth, and gets three at once at most', async () => {
  const without = await deliverAll('answers');
  const slow = await deliverAll('hangs');
  expect(slow.done).toBe(without.done);
  expect(slow.ms / without.ms).toBeLessThan(1.2);
  expect(slow.most).toBe(3);
});
