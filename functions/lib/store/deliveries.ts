import { z } from 'zod';
import type { WatchedName } from '../../../shared/comparison/watch.ts';
import { anyName, type Region } from '../../../shared/name-schemas.ts';
import type { DeliveryJob } from '../../../shared/service/delivery-job.ts';
import { DELIVERY_LEASE_MS, DELIVERY_RESEND_MS, HOLD_MS, LEASE_SLACK_MS } from '../../../shared/service/due-times.ts';
import { partitions } from '../../../shared/service/partitions.ts';
import { DELIVERY_DAYS, DeliveryState, DeliveryTry, LISTED_DELIVERIES, TEST_EVENT } from '../../../shared/webhooks.ts';
import type { Due } from './due.ts';
import { type Db, deleteItem, getItem, type Key, parse, putItem, updateItem, updateOnce } from './dynamodb.ts';
import { allOf, anyOf, type Condition, ifAbsent, ifExists } from './expressions.ts';
import { type CheckItem, checkKey, ifCreateId, ifDueAt, ifEqual, ifLease, openPartitionOf, toIso } from './items.ts';
import { firstIn } from './query.ts';

/*
 * The id of a delivery comes from its check and its webhook, and its key from that id and the end of the check. Making it is
 * therefore safe to repeat. An unfinished delivery is in the index `open`, and a consumer claims it for each try.
 */
const time = z.iso.datetime();
export const DeliveryItem = z.object({
  id: z.uuid(),
  webhookId: z.uuid(),
  owner: z.string(),
  event: z.string(),
  checkId: z.uuid().nullable(),
  createId: z.string().nullable(), // of the check. A later check with the same id has deliveries of its own
  region: anyName<Region>().optional(), // of an event about a page, with the metrics and the checks that it compares
  metrics: z.array(anyName<WatchedName>()).optional(),
  pool: z.array(z.uuid()).optional(), // before the step
  since: z.array(z.uuid()).optional(), // since the step
  createdAt: time,
  state: DeliveryState,
  isByHand: z.boolean(), // a test or a redelivery: tried once, and also if the webhook is disabled
  tries: z.int(),
  waits: z.int(), // for a free lane since the last try
  nextTryAt: time.nullable(),
  lastTry: DeliveryTry.nullable(),
  lease: z.object({ id: z.string(), until: time }).optional(),
  dueAt: z.string().optional(),
  expiresAt: z.int(), // in seconds
});
export type DeliveryItem = z.infer<typeof DeliveryItem>;
export type DeliveryRef = Pick<DeliveryItem, 'webhookId' | 'id' | 'createdAt'>;
/** Facts about a new delivery. */
export type NewDelivery = DeliveryRef &
  Pick<DeliveryItem, 'owner' | 'event' | 'checkId' | 'createId' | 'region' | 'metrics' | 'pool' | 'since'>;
/** A claimed delivery. */
export type Claim = { delivery: DeliveryItem; id: string };

const partitionOf = (webhookId: string): string => `${partitions.delivery}${webhookId}`;
const keyOf = ({ webhookId, createdAt, id }: DeliveryRef): Key => ({
  pk: partitionOf(webhookId),
  sk: `${createdAt}#${id}`,
});
const expiryAt = (now: Date): number => Math.floor(now.getTime() / 1000) + DELIVERY_DAYS * 24 * 3600;

const isPending: Condition = ifEqual('state', 'pending');
/** Holds if a delivery waits for the try that a consumer has read. */
const isUntried = ({ tries }: DeliveryItem, now: Date): Condition =>
  allOf(
    isPending,
    ifEqual('tries', tries),
    anyOf(
      ['lease', 'absent'],
      ['lease.until', '<=', now.toISOString()],
      ['lease.until', '>', toIso(now.getTime() + 2 * DELIVERY_LEASE_MS)],
    ),
  );

export type DeliveryStore = ReturnType<typeof deliveryStore>;

export const deliveryStore = (db: Db) => ({
  /** Puts a delivery, unless it exists. Returns what it puts. */
  create: async (delivery: NewDelivery, now: Date): Promise<DeliveryItem> => {
    const item = newItem(db, delivery, now);
    await putItem(db, { ...keyOf(delivery), ...item }, ifAbsent);
    return item;
  },

  find: async (ref: DeliveryRef): Promise<DeliveryItem | undefined> => {
    const item = await getItem(db, keyOf(ref));
    return item && parse(DeliveryItem, item);
  },

  /** Returns the newest deliveries to a webhook. */
  list: (webhookId: string): Promise<DeliveryItem[]> => list(db, webhookId),

  /** Reserves a due item, so that its message is not sent twice. Returns the message, or undefined if it has changed. */
  hold: (due: Due, now: Date): Promise<DeliveryJob | undefined> => hold(db, due, now),

  /** Claims a delivery for its next try. Returns undefined if another consumer has it or has tried it. Safe to repeat. */
  claim: (delivery: DeliveryItem, id: string, now: Date): Promise<Claim | undefined> => claim(db, delivery, id, now),

  /** Puts a delivery off without a try. */
  postpone: ({ delivery, id }: Claim, until: Date) =>
    updateItem(db, keyOf(delivery), {
      set: { dueAt: until.toISOString(), nextTryAt: until.toISOString(), waits: delivery.waits + 1 },
      remove: ['lease'],
      returns: 'NONE',
      ...ifLease(id),
    }),

  /** Records a failed try that another one follows. `dueAt` is when the sweeper sends its message. */
  recordFailure: ({ delivery, id }: Claim, lastTry: DeliveryTry, nextTryAt: Date, dueAt: Date) =>
    updateItem(db, keyOf(delivery), {
      set: { ...triedBy(delivery, lastTry), nextTryAt: nextTryAt.toISOString(), dueAt: dueAt.toISOString() },
      remove: ['lease'],
      returns: 'NONE',
      ...ifLease(id),
    }),

  /** Ends a delivery. Without a try, the service has a reason to make none. */
  end: ({ delivery, id }: Claim, state: 'succeeded' | 'failed', lastTry: DeliveryTry, { isTry = true } = {}) =>
    updateItem(db, keyOf(delivery), {
      set: { ...(isTry ? triedBy(delivery, lastTry) : { lastTry }), state, nextTryAt: null },
      remove: ['lease', 'open', 'dueAt'],
      returns: 'NONE',
      ...ifLease(id),
    }),

  /** Makes a finished delivery due once more. Returns undefined if it is pending. */
  redeliver: (delivery: DeliveryItem, now: Date): Promise<DeliveryItem | undefined> => redeliver(db, delivery, now),

  /** Deletes a delivery whose webhook is gone. */
  delete: (ref: DeliveryRef): Promise<boolean> => deleteItem(db, keyOf(ref), ifExists),

  /** Takes a closed check out of the index of open items, after its deliveries were made. */
  settleCheck: ({ id, createId }: CheckItem) =>
    updateItem(db, checkKey(id), {
      remove: ['open', 'dueAt'],
      returns: 'NONE',
      ...allOf(ifCreateId(createId), anyOf(['completedAt', '<>', null])),
    }),
});

const newItem = (db: Db, delivery: NewDelivery, now: Date): DeliveryItem & { open: string } => ({
  ...delivery,
  state: 'pending',
  isByHand: delivery.event === TEST_EVENT,
  tries: 0,
  waits: 0,
  nextTryAt: now.toISOString(),
  lastTry: null,
  open: openPartitionOf(db, 'deliveries', delivery.id),
  dueAt: toIso(now.getTime() + HOLD_MS),
  expiresAt: expiryAt(now),
});

const triedBy = ({ tries }: DeliveryItem, lastTry: DeliveryTry) => ({ tries: tries + 1, waits: 0, lastTry });

export const jobOf = ({ owner, webhookId, id, createdAt, tries }: DeliveryItem): DeliveryJob => ({
  owner,
  webhookId,
  deliveryId: id,
  createdAt,
  tries,
});

const list = async (db: Db, webhookId: string): Promise<DeliveryItem[]> => {
  const newest = { partition: partitionOf(webhookId), newestFirst: true, limit: LISTED_DELIVERIES };
  return (await firstIn(db, newest)).items.map((item) => parse(DeliveryItem, item));
};

const hold = async (db: Db, { pk, sk, dueAt: listed }: Due, now: Date): Promise<DeliveryJob | undefined> => {
  const dueAt = toIso(now.getTime() + DELIVERY_RESEND_MS);
  const item = await updateOnce(db, { pk, sk }, { set: { dueAt }, ...ifDueAt(listed) });
  if (!item) return undefined;
  if (sk !== 'CHECK') return jobOf(parse(DeliveryItem, item));
  return { owner: String(item.owner), checkId: String(item.id) };
};

const claim = async (db: Db, delivery: DeliveryItem, id: string, now: Date): Promise<Claim | undefined> => {
  const lease = { id, until: toIso(now.getTime() + DELIVERY_LEASE_MS) };
  const dueAt = toIso(now.getTime() + DELIVERY_LEASE_MS + LEASE_SLACK_MS);
  const claimed = await updateOnce(db, keyOf(delivery), { set: { lease, dueAt }, ...isUntried(delivery, now) }, id);
  return claimed && { delivery: parse(DeliveryItem, claimed), id };
};

const redeliver = async (db: Db, delivery: DeliveryItem, now: Date): Promise<DeliveryItem | undefined> => {
  const { state, waits, nextTryAt, open, dueAt, expiresAt } = newItem(db, delivery, now);
  const set = { state, isByHand: true, waits, nextTryAt, open, dueAt, expiresAt };
  const item = await updateOnce(db, keyOf(delivery), { set, ...anyOf(['state', '<>', 'pending']) });
  return item && parse(DeliveryItem, item);
};
