import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bounds, type Buckets, type Decision, decideCreate, fillBuckets } from '../../../shared/service/limits.ts';
import { bucketNames, type PlanName, plans, tokensOf } from '../../../shared/service/plans.ts';
import { log } from '../log.ts';
import { type Db, updateItem } from './dynamodb.ts';
import { allOf, anyOf, type Condition, ifAbsent } from './expressions.ts';
import { ifEqual, usageKey } from './items.ts';
import { removeOpenCheckOf } from './open-checks.ts';
import { type Entry, entryOf, ifEntry, ifUses, nameOf, readUsage, recount, type StoredUsage } from './stored-usage.ts';

/** A create that asks for tokens. No other create has its `createId`. */
type Wanted = { id: string; createId: string; audits: number };

/** The limit that refuses a create, and the number of audits that the create needs. */
export type Refusal = Extract<Decision, { refused: unknown }>['refused'] & { audits: number };

/** Tokens that a create has taken, and the calls that end the create. Each can be repeated. */
export type Allowed = {
  buckets: Buckets;
  /** Says that the check is stored, so that it counts by its own item. */
  settle: () => Promise<void>;
  /** Takes back what the create took, because no check is stored. */
  refund: () => Promise<void>;
  /** Takes back what the create took, unless it shares that with the create that has stored the check. */
  join: (storedBy: string) => Promise<void>;
};

/** Result of asking for tokens. A create is `crowded-out` if other creates of its owner came first in every try. */
export type Taken = { allowed: Allowed } | { refused: Refusal | 'crowded-out' };

export type UsageStore = ReturnType<typeof usageStore>;

/** Stores how much of its plans each owner uses. */
export const usageStore = (db: Db) => ({
  /**
   * Takes a token for each audit and counts the check as open, unless a limit is reached. Takes nothing that an earlier
   * create of this check took.
   */
  take: (user: { owner: string; plan: PlanName }, create: Wanted, now: Date): Promise<Taken> =>
    take(db, { ...user, ...create, by: nameOf(create.createId), at: now.getTime() }),
});

type Create = { owner: string; plan: PlanName; at: number; by: string } & Wanted;

const MAX_TRIES = 30;
const FIRST_BACKOFF_MS = 10;
const LONGEST_BACKOFF_MS = 200;

/** Reads the usage, decides and writes. Repeats this if other creates came in between. */
const take = async (db: Db, create: Create): Promise<Taken> => {
  const { owner, plan, id, audits, at, by } = create;
  const now = new Date(at);
  const allowed = (buckets: Buckets | undefined): Taken => ({
    allowed: {
      buckets: fillBuckets(buckets, plan, now),
      settle: () => settle(db, create),
      refund: async () => {
        await refund(db, create, ifEntry(id, create));
        await uncount(db, create);
      },
      join: (storedBy) => refund(db, create, allOf(ifUses(id, by), ifUsesNot(id, nameOf(storedBy)))),
    },
  });
  let recounted = false;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const read = await readUsage(db, create);
    const entry = read.creating?.[id];
    // The SDK retries a write whose response was lost. The retry fails, but the first write has left the entry.
    if (entry?.creates.includes(by)) return allowed(read.buckets);
    const missing = Math.max(0, audits - (entry?.audits ?? 0));
    const decision = decideCreate(plan, missing, now, {
      buckets: read.buckets,
      openChecks: entry ? 0 : read.openAtMost,
    });
    if ('refused' in decision) {
      const count = decision.refused.limit === 'openChecks' && !recounted;
      recounted = true;
      if (count && (await recount(db, owner, read, now))) continue;
      return { refused: { ...decision.refused, audits: missing } };
    }
    const written = await write(db, create, missing, read, decision.allowed).catch(async (error) => {
      await refund(db, create, ifEntry(id, create)); // a write without a response may have succeeded
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
  { creating, ...read }: StoredUsage,
  { buckets, bounds }: Extract<Decision, { allowed: unknown }>['allowed'],
) => {
  const tokens = tokensOf(plan);
  const { audits: taken = 0, creates = [] } = creating?.[id] ?? {};
  const entry: Entry = { at, by, creates: [...creates, by], audits: Math.max(audits, taken) };
  // After three days the buckets are full. The tokens of another plan may need a later date.
  const expiresAt = Math.max(read.expiresAt, Math.floor(buckets.at / 1000) + 3 * 24 * 3600);
  const set = { stamp: randomUUID(), expiresAt };
  const returns = 'UPDATED_NEW'; // without the other creates
  const ifUnchanged = read.stamp ? ifEqual('stamp', read.stamp) : ifAbsent;
  if (!creating) {
    const first = { creating: { [id]: entry }, openAtMost: read.openAtMost + 1 };
    return updateItem(db, usageKey(owner), { returns, set: { ...set, [tokens]: buckets, ...first }, ...ifUnchanged });
  }
  const counted = { ...set, [entryOf(id)]: entry };
  const more: Record<string, number> = creating[id] ? {} : { openAtMost: 1 };
  const ifCountable = creating[id] ? ifEntry(id, creating[id]) : ifRoom(id, plans[plan].openChecks);
  if (bounds) {
    return updateItem(db, usageKey(owner), {
      returns,
      set: counted,
      add: { ...changeOf(tokens, -missing), ...more },
      ...allOf(ifWithin(bounds, tokens), ifCountable),
    });
  }
  return updateItem(db, usageKey(owner), {
    returns,
    set: { ...counted, [tokens]: buckets },
    add: more,
    ...allOf(ifUnchanged, ifCountable),
  });
};

const changeOf = (tokens: string, change: number): Record<string, number> =>
  Object.fromEntries(bucketNames.map((name) => [`${tokens}.${name}`, change]));

const ifWithin = ({ at, minTokens }: Bounds, tokens: string): Condition =>
  allOf(ifEqual(`${tokens}.at`, at), ...bucketNames.map((name) => anyOf([`${tokens}.${name}`, '>=', minTokens[name]])));
/** Holds if no create of the check is at work and the owner may have one more. */
const ifRoom = (checkId: string, quota: number): Condition =>
  allOf(anyOf([entryOf(checkId), 'absent']), anyOf(['openAtMost', '<', quota]));

/** Holds if another create does not use the entry of the check. */
const ifUsesNot = (checkId: string, other: string): Condition => anyOf([`${entryOf(checkId)}.creates`, 'lacks', other]);

/** Returns what a create took. If that fails, the tokens return with time, and a later create removes the entry. */
const refund = async (db: Db, create: Create, condition: Condition): Promise<void> => {
  const { owner, plan, id, audits } = create;
  await updateItem(db, usageKey(owner), {
    returns: 'NONE',
    set: { stamp: randomUUID() },
    add: { ...changeOf(tokensOf(plan), audits), openAtMost: -1 },
    remove: [entryOf(id)],
    ...condition,
  }).catch((error) => log.warn('Could not refund the create. Its tokens return with time.', { owner, error }));
};

/** Removes the open check of a create that has failed after it wrote it. If that fails, the sweeper does it. */
const uncount = (db: Db, create: Create): Promise<unknown> =>
  removeOpenCheckOf(db, create).catch((error) =>
    log.warn('Could not remove the open check of a failed create.', { owner: create.owner, error }),
  );

/** Removes the entry of a create whose check is stored. If that fails, a create after a minute does it. */
const settle = async (db: Db, create: Create): Promise<void> => {
  const change = { remove: [entryOf(create.id)], ...ifUses(create.id, create.by) };
  await updateItem(db, usageKey(create.owner), { returns: 'NONE', ...change }).catch((error) =>
    log.warn('Could not remove the entry of a create. A later create removes it.', { owner: create.owner, error }),
  );
};
