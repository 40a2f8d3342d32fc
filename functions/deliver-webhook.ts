import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook as Signer } from 'standardwebhooks';
import { DeliveryJob } from '../shared/service/delivery-job.ts';
import { DELIVERY_DELAYS_MS, HOLD_MS } from '../shared/service/due-times.ts';
import type { WebhookFormat } from '../shared/webhook-events.ts';
import type { DeliveryTry } from '../shared/webhooks.ts';
import { envOf } from './lib/environment.ts';
import { type FieldDataJob, fieldDataFrom } from './lib/field-data/look-up.ts';
import { emit, log } from './lib/log.ts';
import { queue } from './lib/queue/consumer.ts';
import { type DeliveryQueue, deliveryQueue } from './lib/queue/delivery-queue.ts';
import { retry } from './lib/retry.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import { type Claim, type DeliveryItem, type DeliveryStore, deliveryStore, jobOf } from './lib/store/deliveries.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type ListStore, listStore } from './lib/store/lists.ts';
import { type MarkStore, markStore } from './lib/store/marks.ts';
import { type ScheduleStore, scheduleStore } from './lib/store/schedules.ts';
import {
  isSlow,
  type Lane,
  validSecrets,
  type WebhookItem,
  type WebhookStore,
  webhookStore,
} from './lib/store/webhooks.ts';
import { trustedAuthorities } from './lib/targets/extra-ca.ts';
import { targetPolicy } from './lib/targets/public-addresses.ts';
import { deliveryBody } from './lib/webhooks/delivery-body.ts';
import { makeDeliveries } from './lib/webhooks/make-deliveries.ts';
import { type Posted, type PostWebhook, postWebhook } from './lib/webhooks/post-webhook.ts';

/**
 * Handles one message of the queue of deliveries. Judges a closed check of a schedule, makes its deliveries, and sends them or
 * the named one as signed POSTs. Also reads the field data of a new check.
 */
export const handler = queue({ schema: DeliveryJob }, () => {
  const env = envOf('deliver-webhook');
  const db = openDb(env);
  return deliverWebhook({
    checks: checkStore(db),
    webhooks: webhookStore(db),
    deliveries: deliveryStore(db),
    schedules: scheduleStore(db),
    lists: listStore(db),
    marks: markStore(db),
    deliveryQueue: deliveryQueue(env),
    publicUrl: env.PUBLIC_URL,
    post: postWebhook({ targets: targetPolicy(env), ca: trustedAuthorities(env.EXTRA_CA_FILE) }),
    fieldData: fieldDataFrom(env, db),
  });
});

type Deps = {
  checks: Pick<CheckStore, 'findOfAnyOwner'>;
  webhooks: Pick<WebhookStore, 'list' | 'find' | 'takeLane' | 'freeLane' | 'recordTry'>;
  deliveries: Omit<DeliveryStore, 'list' | 'hold' | 'redeliver'>;
  schedules: Pick<ScheduleStore, 'find' | 'putWatch'>;
  lists: Pick<ListStore, 'runs'>;
  marks: Pick<MarkStore, 'list'>;
  deliveryQueue: Pick<DeliveryQueue, 'send'>;
  post: PostWebhook;
  /** Reads the field data of a check. Without it, the service reads none. */
  fieldData?: ((job: FieldDataJob) => Promise<void>) | undefined;
  publicUrl?: string | undefined;
  now?: () => Date;
  random?: () => number;
  pause?: (ms: number) => Promise<unknown>;
  newId?: () => string;
};
type Optional = 'publicUrl' | 'fieldData';
type Work = Required<Omit<Deps, Optional>> & Pick<Deps, Optional> & { remainingMs: () => number };

/** Delays between retries of a write after a try. A write that is lost makes another try necessary. */
const RETRY_DELAYS_MS = [200, 500, 1000];
/** Time of the invocation that is kept for its end, in milliseconds. */
const END_MS = 1000;

export const deliverWebhook = (deps: Deps) => {
  const defaults = { now: () => new Date(), random: Math.random, pause: sleep, newId: randomUUID };
  return async (job: DeliveryJob, remainingMs: () => number): Promise<void> => {
    const work: Work = { ...defaults, ...deps, remainingMs };
    if ('fieldDataOf' in job) return work.fieldData?.(job);
    const due = 'checkId' in job ? await makeDeliveries(work, job.checkId) : await named(work, job);
    const ended = await Promise.allSettled(due.map((delivery) => deliver(work, delivery)));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  };
};

/** Returns the delivery of a message, unless it has been tried since. */
const named = async (
  { deliveries }: Work,
  job: Extract<DeliveryJob, { deliveryId: string }>,
): Promise<DeliveryItem[]> => {
  const delivery = await deliveries.find({ webhookId: job.webhookId, id: job.deliveryId, createdAt: job.createdAt });
  return delivery?.tries === job.tries ? [delivery] : [];
};

/** Sends a delivery, if this consumer can claim it and the webhook has a free lane. */
const deliver = async (work: Work, delivery: DeliveryItem): Promise<void> => {
  const { webhooks, deliveries, now, newId } = work;
  const webhook = await webhooks.find(delivery.owner, delivery.webhookId);
  if (!webhook) return void (await deliveries.delete(delivery));
  const claim = await deliveries.claim(delivery, newId(), now());
  if (!claim) return; // another consumer has the delivery, or it has ended
  if (webhook.disabledAt && !delivery.isByHand) return end(work, claim, DISABLED);
  const body = await deliveryBody(work, delivery, webhook.format as WebhookFormat);
  if (body === undefined) return end(work, claim, ERASED);
  const taken = await waitForLane(work, webhook, claim.id);
  if (!taken) return putOff(work, claim);
  const posted = await work.post(webhook.url, signedHeaders(taken.webhook, delivery, body, now()), body);
  await recordTry(work, taken.webhook, taken.lane, claim, posted);
};

const DISABLED = 'The webhook is disabled, so the service did not send this delivery.';
const ERASED = 'The check was erased, so the service did not send this delivery.';

/** Ends a delivery without a try. */
const end = async ({ deliveries, now }: Work, claim: Claim, error: string): Promise<void> => {
  const none = { at: now().toISOString(), status: null, error, response: null };
  await deliveries.end(claim, 'failed', none, { isTry: false });
};

/** Returns the headers of Standard Webhooks. After a rotation, the earlier secret signs too. */
const signedHeaders = (webhook: WebhookItem, { id }: DeliveryItem, body: string, at: Date): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': validSecrets(webhook, at)
    .map(({ secret }) => new Signer(secret).sign(id, at, body))
    .join(' '),
});

/** Time after which the tries at work show that a receiver is slow, so that no other delivery waits for it. */
const SLOW_MS = 1000;
const MAX_LANE_WAITS = 10;
type Taken = { webhook: WebhookItem; lane: Lane };

/** Takes a lane of a webhook. Waits for one for a moment, unless the receiver is slow. Returns its present state. */
const waitForLane = async (work: Work, read: WebhookItem, id: string): Promise<Taken | undefined> => {
  const { webhooks, now, pause, random } = work;
  let webhook: WebhookItem | undefined = read;
  for (let waits = 0; webhook; waits++) {
    const lane = await webhooks.takeLane(webhook, id, now());
    if (lane) return { webhook, lane };
    if (waits === MAX_LANE_WAITS || isSlow(webhook, SLOW_MS, now())) return undefined;
    await pause(100 + 100 * random());
    webhook = await webhooks.find(webhook.owner, webhook.id);
  }
  return undefined;
};

const BUSY_MS = 15_000;
const MAX_BUSY_MS = 15 * 60_000;

/** Puts off a delivery to a receiver that is busy: 15 s, doubling to 15 minutes. */
const putOff = async ({ deliveries, now, random }: Work, claim: Claim): Promise<void> => {
  const ms = Math.min(BUSY_MS * 2 ** claim.delivery.waits, MAX_BUSY_MS);
  await deliveries.postpone(claim, new Date(now().getTime() + jittered(ms, random)));
};

/** Returns a delay that is up to a fifth longer, so that many deliveries are not retried at once. */
const jittered = (ms: number, random: () => number): number => ms * (1 + 0.2 * random());

const MAX_RETRY_AFTER_MS = 24 * 3600 * 1000;

/** Records a try: of the delivery first, because a try that is not recorded would be repeated. */
const recordTry = async (work: Work, webhook: WebhookItem, lane: Lane, claim: Claim, posted: Posted) => {
  const { deliveries, now, random, remainingMs } = work;
  const { delivery } = claim;
  const error = errorOf(posted);
  const { status } = posted;
  const lastTry: DeliveryTry = {
    at: now().toISOString(),
    status,
    error,
    response: 'response' in posted ? posted.response : null,
  };
  const isGone = status === 410;
  const delay = delivery.isByHand || isGone ? undefined : DELIVERY_DELAYS_MS[delivery.tries];
  const invocation = { retryDelaysMs: RETRY_DELAYS_MS, remainingMs, signal: new AbortController().signal };
  const write = (act: () => Promise<unknown>) => retry(act, invocation, END_MS);
  emit('DeliveryFailure', error === null ? 0 : 1, {});
  if (error === null) await write(() => deliveries.end(claim, 'succeeded', lastTry));
  else if (delay === undefined) await write(() => deliveries.end(claim, 'failed', lastTry));
  else {
    const asked = 'retryAfterMs' in posted ? Math.min(posted.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS) : 0;
    const waitMs = Math.max(jittered(delay, random), asked);
    await write(() => retryIn(work, claim, lastTry, waitMs));
  }
  const outcome = {
    result: error === null ? ('succeeded' as const) : isGone ? ('gone' as const) : ('failed' as const),
    isFinal: delay === undefined,
    isByHand: delivery.isByHand,
    waited: waitBefore(delivery),
  };
  const disabled = await write(() => work.webhooks.recordTry(webhook, lane, outcome, now()));
  const ids = { webhookId: webhook.id, deliveryId: delivery.id, owner: webhook.owner };
  log.info('The delivery was tried.', { ...ids, tries: delivery.tries + 1, status, failure: error });
  if (disabled) log.warn('The webhook is disabled.', { ...ids, disabled });
};

/** Returns the planned wait between the last try of a delivery and this one. A delivery by hand has none. */
const waitBefore = ({ isByHand, lastTry, nextTryAt }: DeliveryItem) =>
  isByHand || lastTry === null || nextTryAt === null ? undefined : { from: lastTry.at, until: nextTryAt };

/** Returns why a try failed, or null for a success. */
const errorOf = (posted: Posted): string | null => {
  if (posted.status === null) return posted.error;
  const { status } = posted;
  // Microsoft Teams answers 200 when it could not post the message.
  if (status >= 200 && status < 300 && /^Webhook message delivery failed/i.test(posted.response ?? ''))
    return 'The receiver answered that the delivery failed.';
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return `The receiver answered with the redirect ${status}. The service follows none.`;
  return `The receiver answered with status ${status}.`;
};

/** Plans the next try. The queue itself holds the message of a try within a minute, and the sweeper sends later ones. */
const retryIn = async (work: Work, claim: Claim, lastTry: DeliveryTry, ms: number): Promise<void> => {
  const { deliveries, deliveryQueue, now } = work;
  const nextTryAt = new Date(now().getTime() + ms);
  const isSoon = ms < HOLD_MS;
  const dueAt = isSoon ? new Date(nextTryAt.getTime() + HOLD_MS) : nextTryAt;
  await deliveries.recordFailure(claim, lastTry, nextTryAt, dueAt);
  if (!isSoon) return;
  const { delivery } = claim;
  const job = jobOf({ ...delivery, tries: delivery.tries + 1 });
  await deliveryQueue.send(job, Math.ceil(ms / 1000)).catch((error: Error) => {
    log.warn('Could not send the message of a retry. The sweeper sends it in a minute.', {
      deliveryId: delivery.id,
      error,
    });
  });
};
