import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { DELIVERY_LEASE_MS, DISABLE_AFTER_MS, HOLD_MS } from '../../../shared/service/due-times.ts';
import { partitions } from '../../../shared/service/partitions.ts';
import { latest, unlessAhead } from '../../../shared/times.ts';
import { type DisabledReason, ROTATION_HOURS } from '../../../shared/webhooks.ts';
import { type Db, deleteItem, getItem, type Key, parse, putItem, putOnce, updateItem } from './dynamodb.ts';
import { allOf, anyOf, type Condition, ifAbsent } from './expressions.ts';
import { ifEqual, toIso, webhooksMarkKey } from './items.ts';
import { allIn } from './query.ts';

/*
 * Each webhook has one of the places of its owner, so that a conditional put bounds their number. Its secrets are in its item,
 * so that they are erased with it. Only the functions `webhooks` and `deliver-webhook` have a right to these items: the
 * functions that close a check run beside hostile pages, and read the mark of the owner instead.
 *
 * `tries` has the tries at work, by lane. A webhook has few lanes, so that a receiver that hangs can't hold all consumers of
 * the queue.
 */

/** Tries to one webhook at the same time. A webhook whose last try failed has one lane. */
const LANES = ['a', 'b', 'c'] as const;
/** Secrets that may sign at the same time, after many rotations within a day. */
const MAX_SECRETS = 8;

const time = z.iso.datetime();
export const WebhookItem = z.object({
  sk: z.string(), // its place
  id: z.uuid(),
  owner: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  format: z.string().default('standard'), // an item of an earlier release has none
  createdAt: time,
  secrets: z.array(z.object({ secret: z.string(), until: time.nullable() })).min(1), // the newest first
  rotations: z.int(),
  failingSince: time.optional(),
  failingMs: z.number().optional(), // time of retries since the last success
  failingUntil: time.optional(), // end of that time
  disabledAt: time.optional(),
  disabledReason: z.string().optional(),
  tries: z.record(z.string(), z.object({ id: z.string(), startedAt: time })),
});
export type WebhookItem = z.infer<typeof WebhookItem>;
export type Lane = (typeof LANES)[number];

const keyOf = ({ owner, sk }: Pick<WebhookItem, 'owner' | 'sk'>): Key => ({ pk: `${partitions.webhook}${owner}`, sk });
/** Holds if the place still has this webhook. */
const ifSame = ({ id }: Pick<WebhookItem, 'id'>): Condition => ifEqual('id', id);

type NewWebhook = Pick<WebhookItem, 'id' | 'owner' | 'url' | 'events'> & Partial<Pick<WebhookItem, 'format'>>;

export type WebhookStore = ReturnType<typeof webhookStore>;

/** Stores webhooks, with their secrets. */
export const webhookStore = (db: Db) => ({
  /** Returns the webhooks of an owner, oldest first. */
  list: (owner: string): Promise<WebhookItem[]> => list(db, owner),

  find: async (owner: string, id: string): Promise<WebhookItem | undefined> =>
    (await list(db, owner)).find((webhook) => webhook.id === id),

  /** Creates a webhook. Returns undefined if its owner has as many as `max`. */
  create: (webhook: NewWebhook, max: number, now: Date) => create(db, webhook, max, now),

  /** Erases a webhook with its secrets. Its deliveries expire, and nobody can read them. Safe to repeat. */
  delete: (webhook: WebhookItem): Promise<boolean> => deleteItem(db, keyOf(webhook), ifSame(webhook)),

  /** Gives a webhook a new secret. Earlier secrets go on signing for a day. Returns undefined if it has changed meanwhile. */
  rotate: (webhook: WebhookItem, now: Date) => rotate(db, webhook, now),

  /** Takes a lane of a webhook for a try. Returns undefined if all lanes are taken, or another try was faster. */
  takeLane: (webhook: WebhookItem, id: string, now: Date) => takeLane(db, webhook, id, now),

  /** Frees the lane of a try that was not made. */
  freeLane: (webhook: WebhookItem, lane: Lane) =>
    updateItem(db, keyOf(webhook), { remove: [`tries.${lane}`], returns: 'NONE', ...ifSame(webhook) }),

  /** Records the end of a try and frees its lane. Returns why that disabled the webhook, or undefined. */
  recordTry: (webhook: WebhookItem, lane: Lane, outcome: TryOutcome, now: Date) =>
    recordTry(db, webhook, lane, outcome, now),
});

/** Result of a try. `final`: it was the last one of its delivery. By hand, it can't disable the webhook. */
export type TryOutcome = {
  result: 'succeeded' | 'failed' | 'gone';
  isFinal: boolean;
  isByHand: boolean;
  /** Planned wait before this try, after one that failed. */
  waited?: { from: string; until: string } | undefined;
};

/** Returns true if an owner has or had webhooks. For closing a check. */
export const hasWebhooks = async (db: Db, owner: string): Promise<boolean> =>
  Boolean(await getItem(db, webhooksMarkKey(owner)));

const list = async (db: Db, owner: string): Promise<WebhookItem[]> => {
  const items = await allIn(db, { partition: `${partitions.webhook}${owner}` });
  return items.map((item) => parse(WebhookItem, item)).sort((a, b) => a.createdAt.localeCompare(b.createdAt));
};

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const create = async (db: Db, webhook: NewWebhook, max: number, now: Date): Promise<WebhookItem | undefined> => {
  // First, so that each check that closes after the answer has its delivery.
  await putItem(db, { ...webhooksMarkKey(webhook.owner), createdAt: now.toISOString() }, ifAbsent);
  const item = {
    format: 'standard',
    ...webhook,
    createdAt: now.toISOString(),
    secrets: [{ secret: newSecret(), until: null }],
    rotations: 0,
    tries: {},
  };
  for (let place = 0; place < max; place++) {
    const sk = String(place);
    if (await putOnce(db, { ...keyOf({ owner: webhook.owner, sk }), ...item }, ifAbsent)) return { ...item, sk };
  }
  return undefined;
};

const rotate = async (db: Db, webhook: WebhookItem, now: Date) => {
  const earlierUntil = toIso(now.getTime() + ROTATION_HOURS * 3600 * 1000);
  const secret = newSecret();
  const until = (each: string | null) => (each === null || each > earlierUntil ? earlierUntil : each);
  const earlier = validSecrets(webhook, now).map((each) => ({ ...each, until: until(each.until) }));
  const secrets = [{ secret, until: null }, ...earlier].slice(0, MAX_SECRETS);
  const isUnchanged = allOf(ifSame(webhook), ifEqual('rotations', webhook.rotations));
  const set = { secrets, rotations: webhook.rotations + 1 };
  const written = await updateItem(db, keyOf(webhook), { set, returns: 'NONE', ...isUnchanged });
  return written && { secret, earlierUntil };
};

/** Returns the secrets that sign at a time, the newest first. */
export const validSecrets = ({ secrets }: WebhookItem, now: Date) =>
  secrets.filter(({ until }) => until === null || until > now.toISOString());

const isTaken = ({ tries }: WebhookItem, lane: Lane, now: Date): boolean => {
  const startedAt = unlessAhead(tries[lane]?.startedAt, DELIVERY_LEASE_MS, now);
  return startedAt !== undefined && Date.parse(startedAt) > now.getTime() - DELIVERY_LEASE_MS;
};

const lanesOf = ({ failingSince }: WebhookItem): readonly Lane[] => (failingSince ? LANES.slice(0, 1) : LANES);

/** Returns true if each lane of a webhook has been taken for some time. */
export const isSlow = (webhook: WebhookItem, ms: number, now: Date): boolean =>
  lanesOf(webhook).every(
    (lane) => isTaken(webhook, lane, now) && Date.parse(webhook.tries[lane]?.startedAt ?? '') < now.getTime() - ms,
  );

const takeLane = async (db: Db, webhook: WebhookItem, id: string, now: Date): Promise<Lane | undefined> => {
  const lane = lanesOf(webhook).find((each) => !isTaken(webhook, each, now));
  if (!lane) return undefined;
  const [expired, ahead] = [toIso(now.getTime() - DELIVERY_LEASE_MS + 1), toIso(now.getTime() + DELIVERY_LEASE_MS)];
  const isFree = anyOf([`tries.${lane}`, 'absent'], [`tries.${lane}.startedAt`, 'outside', expired, ahead]);
  const set = { [`tries.${lane}`]: { id, startedAt: now.toISOString() } };
  const taken = await updateItem(db, keyOf(webhook), { set, returns: 'NONE', ...allOf(ifSame(webhook), isFree) });
  return taken && lane;
};

const recordTry = async (db: Db, webhook: WebhookItem, lane: Lane, outcome: TryOutcome, now: Date) => {
  const { result, isByHand } = outcome;
  const failing = withWait(webhook, outcome, now);
  const reason = webhook.disabledAt || isByHand ? undefined : reasonToDisable(outcome, { ...webhook, ...failing });
  const at = now.toISOString();
  await updateItem(db, keyOf(webhook), {
    ...(result !== 'succeeded' && {
      setIfAbsent: { failingSince: at },
      set: { ...failing, ...(reason && { disabledAt: at, disabledReason: reason }) },
    }),
    remove: [
      `tries.${lane}`,
      ...(result === 'succeeded' ? ['failingSince', 'failingMs', 'failingUntil', 'disabledAt', 'disabledReason'] : []),
    ],
    returns: 'NONE',
    ...ifSame(webhook),
  });
  return reason;
};

/**
 * Adds the wait before a failed try to the time of retries. Waits of several deliveries at the same time count once. The wait
 * is the planned one, so that neither idle time nor a stopped service nor a clock that was set counts.
 */
const withWait = ({ failingMs = 0, failingUntil }: WebhookItem, { result, waited }: TryOutcome, now: Date) => {
  const counted = unlessAhead(failingUntil, HOLD_MS, now);
  if (result === 'succeeded' || !waited || waited.until <= (counted ?? '')) return {};
  const from = latest(waited.from, counted);
  return { failingMs: failingMs + Date.parse(waited.until) - Date.parse(from), failingUntil: waited.until };
};

const reasonToDisable = (
  { result, isFinal }: TryOutcome,
  { failingMs = 0 }: Pick<WebhookItem, 'failingMs'>,
): DisabledReason | undefined => {
  if (result === 'gone') return 'gone';
  return result === 'failed' && isFinal && failingMs >= DISABLE_AFTER_MS ? 'failing' : undefined;
};
