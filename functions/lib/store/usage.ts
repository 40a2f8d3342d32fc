import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOLD_MS } from '../../../shared/due-times.ts';
import {
  type Bounds,
  type Buckets,
  type Decision,
  decideCreate,
  fillBuckets,
  type StoredBuckets,
} from '../../../shared/limits.ts';
import { bucketNames, type PlanName, plans } from '../../../shared/plans.ts';
import { log } from '../log.ts';
import { allOf, type Condition, type Db, getItem, type Item, ifAbsent, updateItem } from './dynamodb.ts';
import { checkKey, usageKey } from './items.ts';

/*
 * Attributes of an owner's usage:
 * tokens-<plan>  token buckets of the owner's keys of this plan. Each plan has its own, because its quotas are its own.
 * openChecks     the open checks that keys of any plan created: { <checkId>: { at: time of the create, by: its id, audits } }
 * stamp          a new UUID with each create and each refund
 *
 * Adding and removing an entry of `openChecks` can be repeated, so a lost response or a retry counts no check twice. An
 * entry also says that the tokens of its check are taken. Entries are removed before a check closes and before the mark
 * of an erased check is deleted, so the sweeper repeats a removal that fails. A create that dies before it stores its
 * check leaves an entry. A later create that meets the limit removes such entries.
 *
 * An entry has 70 bytes. A write costs one unit per KB of the item, so shared/plans.ts must keep the item well below
 * DynamoDB's limit of 400 KB.
 */
const tokensOf = (plan: PlanName) => `tokens-${plan}`;
const entryOf = (checkId: string) => `openChecks.${checkId}`;

/**
 * Entry of an open check. `at` is the time of the create that wrote it last, in milliseconds. `by` is the beginning of
 * that create's id, which keeps the item small.
 */
type Entry = { at: number; by: string; audits: number };
/** Entries of earlier releases have no `by`. The oldest have the number of runs, for which they took tokens. */
type OldEntry = { at: number; by?: undefined } & ({ audits: number } | { runs: number });
type OpenChecks = Readonly<Record<string, Entry | OldEntry>>;

/** A create that asks for tokens. No other create has its `createId`. */
type Wanted = { id: string; createId: string; audits: number };

/** The limit that refuses a create, and the number of audits that the create needs. */
export type Refusal = Extract<Decision, { refused: unknown }>['refused'] & { audits: number };

/**
 * Result of asking for tokens. `refund` takes back what the create took; safe to repeat. A create is `crowded-out` if
 * other creates of its owner came first in every try.
 */
export type Taken =
  | { allowed: { buckets: Buckets; refund: () => Promise<void> } }
  | { refused: Refusal | 'crowded-out' };

export type UsageStore = ReturnType<typeof usageStore>;

/** Stores how much of its plans each owner uses. */
export const usageStore = (db: Db) => ({
  /**
   * Takes a token for each audit and counts the check as open, unless a limit is reached. Takes nothing that an earlier
   * create of this check took.
   */
  take: (user: { owner: string; plan: PlanName }, { createId, ...check }: Wanted, now: Date): Promise<Taken> =>
    take(db, { ...user, ...check, by: createId.slice(0, 8), at: now.getTime() }),
});

/** Removes a check from the open checks of its owner. Safe to repeat. */
export const removeOpenCheck = (db: Db, owner: string, checkId: string) =>
  updateItem(db, usageKey(owner), {
    returns: 'NONE',
    remove: [entryOf(checkId)],
    condition: `attribute_exists(#openChecks.#${checkId})`,
  });

/** Returns the tokens that a check has taken. */
const takenBy = (entry: OpenChecks[string] | undefined): number => {
  if (!entry) return 0;
  return 'audits' in entry ? entry.audits : entry.runs;
};

type Create = { owner: string; plan: PlanName; id: string } & Entry;

const MAX_TRIES = 30;
const FIRST_BACKOFF_MS = 10;
const LONGEST_BACKOFF_MS = 200;

/** Reads the usage, decides and writes. Repeats this if other creates came in between. */
const take = async (db: Db, create: Create): Promise<Taken> => {
  const { owner, plan, id, audits, at, by } = create;
  const now = new Date(at);
  const allowed = (buckets: StoredBuckets | undefined): Taken => ({
    allowed: { buckets: fillBuckets(buckets, plan, now), refund: () => refund(db, create) },
  });
  let looked = false;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const read = usageFrom(plan, await getItem(db, usageKey(owner)));
    const entry = read.openChecks?.[id];
    // The SDK retries a write whose response was lost. The retry fails, but the first write has left the entry.
    if (entry?.by === by) return allowed(read.buckets);
    const missing = Math.max(0, audits - takenBy(entry));
    const openChecks = entry ? 0 : Object.keys(read.openChecks ?? {}).length;
    const decision = decideCreate(plan, missing, now, { buckets: read.buckets, openChecks });
    if ('refused' in decision) {
      const look = decision.refused.limit === 'openChecks' && !looked;
      looked = true;
      if (look && (await removeStale(db, owner, read.openChecks ?? {}, at))) continue;
      return { refused: { ...decision.refused, audits: missing } };
    }
    const written = await write(db, create, missing, read, decision.allowed).catch(async (error) => {
      await refund(db, create); // a write without a response may have succeeded
      throw error;
    });
    if (written) return allowed({ ...read.buckets, ...(written[tokensOf(plan)] as Buckets) });
    await sleep(Math.random() * Math.min(FIRST_BACKOFF_MS * 2 ** tries, LONGEST_BACKOFF_MS));
  }
  return { refused: 'crowded-out' };
};

/**
 * Takes the missing tokens and counts the check. With bounds it subtracts the tokens, so that concurrent creates don't
 * reject each other. Without bounds it overwrites the buckets, which fails if another create or refund has changed the
 * stamp.
 */
const write = (
  db: Db,
  { owner, plan, id, audits, at, by }: Create,
  missing: number,
  { openChecks, ...read }: StoredUsage,
  { buckets, bounds }: Extract<Decision, { allowed: unknown }>['allowed'],
) => {
  const tokens = tokensOf(plan);
  const entry: Entry = { at, by, audits: Math.max(audits, takenBy(openChecks?.[id])) };
  // After three days the buckets are full and no check is open. The tokens of another plan may need a later date.
  const expiresAt = Math.max(read.expiresAt, Math.floor(buckets.at / 1000) + 3 * 24 * 3600);
  const set = { stamp: randomUUID(), expiresAt };
  const returns = 'UPDATED_NEW'; // without the other open checks
  if (!openChecks) {
    return updateItem(db, usageKey(owner), {
      returns,
      set: { ...set, [tokens]: buckets, openChecks: { [id]: entry } },
      ...(read.stamp ? ifStamp(read.stamp) : ifAbsent),
    });
  }
  const ifCountable = openChecks[id] ? ifEntry(id, openChecks[id]) : ifRoom(id, plans[plan].openChecks);
  const counted = { ...set, [entryOf(id)]: entry };
  if (bounds) {
    return updateItem(db, usageKey(owner), {
      returns,
      set: counted,
      add: changeOf(tokens, -missing),
      ...allOf(ifWithin(bounds, tokens), ifCountable),
    });
  }
  return updateItem(db, usageKey(owner), {
    returns,
    set: { ...counted, [tokens]: buckets },
    ...allOf(read.stamp ? ifStamp(read.stamp) : ifAbsent, ifCountable),
  });
};

const changeOf = (tokens: string, change: number): Record<string, number> =>
  Object.fromEntries(bucketNames.map((name) => [`${tokens}.${name}`, change]));

const ifWithin = ({ at, minTokens }: Bounds, tokens: string): Condition => ({
  condition: [`#${tokens}.#at = :at`, ...bucketNames.map((name) => `#${tokens}.#${name} >= :${name}`)].join(' AND '),
  values: { ':at': at, ...Object.fromEntries(bucketNames.map((name) => [`:${name}`, minTokens[name]])) },
});
const ifStamp = (stamp: string): Condition => ({ condition: '#stamp = :stamp', values: { ':stamp': stamp } });
/** Holds if the check has no entry and the owner may have one more. */
const ifRoom = (checkId: string, quota: number): Condition => ({
  condition: `attribute_not_exists(#openChecks.#${checkId}) AND size(#openChecks) < :quota`,
  values: { ':quota': quota },
});
/** Holds if the check has this entry. */
const ifEntry = (checkId: string, { by, at }: Entry | OldEntry): Condition => ({
  condition: `#openChecks.#${checkId}.#${by === undefined ? 'at' : 'by'} = :entry`,
  values: { ':entry': by ?? at },
});

const MAX_LOOKUPS = 25; // bounds the cost of a refusal

/**
 * Removes the entries whose check is closed, erased or was never stored. Looks at the oldest ones, but at none whose create
 * may be at work. Returns true if it found such an entry.
 */
const removeStale = async (db: Db, owner: string, openChecks: OpenChecks, now: number): Promise<boolean> => {
  const oldest = Object.entries(openChecks)
    .filter(([, { at }]) => at + HOLD_MS < now)
    .sort(([, a], [, b]) => a.at - b.at)
    .slice(0, MAX_LOOKUPS);
  const found = await Promise.all(
    oldest.map(async ([id, entry]) => {
      const check = await getItem(db, checkKey(id));
      if (check?.completedAt === null) return false; // undefined in a mark
      await updateItem(db, usageKey(owner), { returns: 'NONE', remove: [entryOf(id)], ...ifEntry(id, entry) });
      return true;
    }),
  );
  return found.some(Boolean);
};

/** Returns what a create took. If that fails, the tokens return with time, and a later create removes the entry. */
const refund = async (db: Db, create: Create): Promise<void> => {
  const { owner, plan, id, audits } = create;
  const tokens = tokensOf(plan);
  await updateItem(db, usageKey(owner), {
    returns: 'NONE',
    set: { stamp: randomUUID() },
    add: changeOf(tokens, audits),
    remove: [entryOf(id)],
    ...ifEntry(id, create),
  }).catch((error) => log.warn('Could not refund the create. Its tokens return with time.', { owner, error }));
};

type StoredUsage = {
  buckets: StoredBuckets | undefined;
  /** Undefined if an earlier release wrote the item. */
  openChecks: OpenChecks | undefined;
  stamp: string | undefined;
  expiresAt: number;
};

const usageFrom = (plan: PlanName, item: Item = {}): StoredUsage => ({
  buckets: item[tokensOf(plan)] as StoredUsage['buckets'],
  openChecks: item.openChecks as StoredUsage['openChecks'],
  stamp: item.stamp as StoredUsage['stamp'],
  expiresAt: (item.expiresAt ?? 0) as number,
});
