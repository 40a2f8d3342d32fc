import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOLD_MS } from '../../../shared/due-times.ts';
import type { Caller } from '../../../shared/keys.ts';
import {
  type Bounds,
  type Buckets,
  type Decision,
  decideCreate,
  fillBuckets,
  rateLimitHeaders,
} from '../../../shared/limits.ts';
import { type PlanName, plans } from '../../../shared/plans.ts';
import { ApiProblem } from '../../../shared/problems.ts';
import { log } from '../log.ts';
import { allOf, type Condition, type Db, getItem, type Item, ifAbsent, updateItem } from './dynamodb.ts';
import { checkKey, usageKey } from './items.ts';

/*
 * Attributes of an owner's usage:
 * tokens-<plan>  token buckets of the owner's keys of this plan. Each plan has its own, because its quotas are its own.
 * openChecks     the open checks that keys of any plan created: { <checkId>: { at: time of the create, audits } }
 * stamp          a new UUID with each create and each refund
 *
 * Adding and removing an entry of `openChecks` can be repeated, so a lost response or a retry counts no check twice. An
 * entry also says that the tokens of its check are taken. Entries are removed before a check closes and before the mark
 * of an erased check is deleted, so the sweeper repeats a removal that fails. A create that dies before it stores its
 * check leaves an entry. A later create that meets the limit removes such entries.
 *
 * An entry has 60 bytes. A write costs one unit per KB of the item, so shared/plans.ts must keep the item well below
 * DynamoDB's limit of 400 KB.
 */
const tokensOf = (plan: PlanName) => `tokens-${plan}`;
const entryOf = (checkId: string) => `openChecks.${checkId}`;

/**
 * Entry of an open check. `at` is the time of the create that wrote it last, in milliseconds. Its random fraction tells
 * creates of one millisecond apart.
 */
type Entry = { at: number; audits: number };
/** Entries of an earlier release have the number of runs instead, for which they took tokens. */
type OpenChecks = Readonly<Record<string, Entry | { at: number; runs: number }>>;

/** Permission for a create. `headers` are for the client. `refund` takes back what this create took; safe to repeat. */
export type Allowed = { countsAsOpen: boolean; headers: Record<string, string>; refund: () => Promise<void> };

export type UsageStore = ReturnType<typeof usageStore>;

/** Stores how much of its plans each owner uses. */
export const usageStore = (db: Db) => ({
  /**
   * Takes a token for each audit and counts the check as open. Throws the problem if a limit is reached. Takes nothing that
   * an earlier create of this check took.
   */
  take: async ({ owner, plan }: Caller, check: Wanted, now: Date): Promise<Allowed> => {
    if (!plan) return { countsAsOpen: false, headers: {}, refund: async () => {} };
    const create = { owner, plan, ...check, at: now.getTime() + Math.random() };
    const buckets = await take(db, create);
    return {
      countsAsOpen: true,
      headers: rateLimitHeaders(fillBuckets(buckets, plan, now), plan),
      refund: () => refund(db, create),
    };
  },
});

/** Removes a check from the open checks of its owner. Safe to repeat. */
export const removeOpenCheck = (db: Db, owner: string, checkId: string) =>
  updateItem(db, usageKey(owner), {
    returns: 'NONE',
    remove: [entryOf(checkId)],
    condition: `attribute_exists(#openChecks.#${checkId})`,
  });

type Wanted = { id: string; audits: number };

/** Returns the tokens that a check has taken. */
const takenBy = (entry: OpenChecks[string] | undefined): number => {
  if (!entry) return 0;
  return 'audits' in entry ? entry.audits : entry.runs;
};

type Create = Required<Pick<Caller, 'owner' | 'plan'>> & Wanted & Pick<Entry, 'at'>;

const MAX_TRIES = 30;
const FIRST_BACKOFF_MS = 10;
const LONGEST_BACKOFF_MS = 200;

/** Reads the usage, decides and writes. Repeats this if other creates came in between. Returns the stored buckets. */
const take = async (db: Db, create: Create): Promise<Buckets | undefined> => {
  const { owner, plan, id, audits, at } = create;
  let looked = false;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const read = usageFrom(plan, await getItem(db, usageKey(owner)));
    const entry = read.openChecks?.[id];
    // The SDK retries a write whose response was lost. The retry fails, but the first write has left the entry.
    if (entry?.at === at) return read.buckets;
    const missing = Math.max(0, audits - takenBy(entry));
    const openChecks = entry ? 0 : Object.keys(read.openChecks ?? {}).length;
    const decision = decideCreate(plan, missing, new Date(at), { buckets: read.buckets, openChecks });
    if ('refused' in decision) {
      const look = decision.refused.limit === 'openChecks' && !looked;
      looked = true;
      if (look && (await removeStale(db, owner, read.openChecks ?? {}, at))) continue;
      throw tooManyRequests(plan, missing, decision.refused);
    }
    const written = await write(db, create, missing, read, decision.allowed).catch(async (error) => {
      await refund(db, create); // a write without a response may have succeeded
      throw error;
    });
    if (written) return { ...read.buckets, ...(written[tokensOf(plan)] as Buckets) };
    await sleep(Math.random() * Math.min(FIRST_BACKOFF_MS * 2 ** tries, LONGEST_BACKOFF_MS));
  }
  throw new ApiProblem('unavailable', 'Too many checks are being created with keys of this owner at once. Try again.', {
    headers: { 'retry-after': '1' },
  });
};

/**
 * Takes the missing tokens and counts the check. With bounds it subtracts the tokens, so that concurrent creates don't
 * reject each other. Without bounds it overwrites the buckets, which fails if another create or refund has changed the
 * stamp.
 */
const write = (
  db: Db,
  { owner, plan, id, audits, at }: Create,
  missing: number,
  { openChecks, ...read }: StoredUsage,
  { buckets, bounds }: Extract<Decision, { allowed: unknown }>['allowed'],
) => {
  const tokens = tokensOf(plan);
  const entry: Entry = { at, audits: Math.max(audits, takenBy(openChecks?.[id])) };
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
      add: { [`${tokens}.minute`]: -missing, [`${tokens}.day`]: -missing },
      ...allOf(ifWithin(bounds, tokens), ifCountable),
    });
  }
  return updateItem(db, usageKey(owner), {
    returns,
    set: { ...counted, [tokens]: buckets },
    ...allOf(read.stamp ? ifStamp(read.stamp) : ifAbsent, ifCountable),
  });
};

const ifWithin = ({ at, minTokens }: Bounds, tokens: string): Condition => ({
  condition: `#${tokens}.#at = :at AND #${tokens}.#minute >= :minute AND #${tokens}.#day >= :day`,
  values: { ':at': at, ':minute': minTokens.minute, ':day': minTokens.day },
});
const ifStamp = (stamp: string): Condition => ({ condition: '#stamp = :stamp', values: { ':stamp': stamp } });
/** Holds if the check has no entry and the owner may have one more. */
const ifRoom = (checkId: string, quota: number): Condition => ({
  condition: `attribute_not_exists(#openChecks.#${checkId}) AND size(#openChecks) < :quota`,
  values: { ':quota': quota },
});
/** Holds if the check has this entry. */
const ifEntry = (checkId: string, { at }: Pick<Entry, 'at'>): Condition => ({
  condition: `#openChecks.#${checkId}.#at = :entry`,
  values: { ':entry': at },
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

/** Returns what a create took. If that fails, the tokens come back with time, and a later create removes the entry. */
const refund = async (db: Db, { owner, plan, id, audits, at }: Create): Promise<void> => {
  const tokens = tokensOf(plan);
  await updateItem(db, usageKey(owner), {
    returns: 'NONE',
    set: { stamp: randomUUID() },
    add: { [`${tokens}.minute`]: audits, [`${tokens}.day`]: audits },
    remove: [entryOf(id)],
    ...ifEntry(id, { at }),
  }).catch((error) => log.warn('could not refund a create; its tokens come back with time', { owner, error }));
};

type Refusal = Extract<Decision, { refused: unknown }>['refused'];
type StoredUsage = {
  buckets: Buckets | undefined;
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

const tooManyRequests = (plan: PlanName, audits: number, refusal: Refusal): ApiProblem => {
  const { limit, quota, retryAfterSeconds, buckets } = refusal;
  const allowance =
    limit === 'openChecks'
      ? `${quota} checks open at once`
      : `${quota} audits a ${limit}, and this check needs ${audits}`;
  return new ApiProblem('too-many-requests', `The plan allows ${allowance}. Retry in ${retryAfterSeconds} s.`, {
    headers: { ...rateLimitHeaders(buckets, plan), 'retry-after': String(retryAfterSeconds) },
  });
};
