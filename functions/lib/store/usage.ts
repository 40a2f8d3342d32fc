import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../../shared/keys.ts';
import {
  type Bounds,
  type Buckets,
  type Decision,
  decideCreate,
  fillBuckets,
  isForgotten,
  rateLimitHeaders,
  type Usage,
} from '../../../shared/limits.ts';
import type { PlanName } from '../../../shared/plans.ts';
import { ApiProblem } from '../../../shared/problems.ts';
import { log } from '../log.ts';
import { allOf, type Condition, type Db, getItem, type Item, ifAbsent, updateItem } from './dynamodb.ts';
import { usageKey } from './items.ts';

/*
 * Attributes of an owner's usage:
 * tokens-<plan>  token buckets of the owner's keys of this plan. Each plan has its own, because its quotas are its own.
 * open-<date>    number of open checks that were created on this day, by keys of any plan
 * stamp          a new UUID with each create and each refund
 *
 * A check stores the day that counts it. Closing or erasing the check lowers the count of that day. If a process dies
 * before it lowers the count, the count is too high. After two days no check of that day can be open, so the count is
 * ignored.
 */
const tokensOf = (plan: PlanName) => `tokens-${plan}`;
const OPEN = 'open-';

/** Permission for a create. `openCheckDay` is the day that counts its check as open. `headers` are for the client. */
export type Allowed = { openCheckDay?: string; headers: Record<string, string>; refund: () => Promise<void> };

export type UsageStore = ReturnType<typeof usageStore>;

/** Stores how much of its plans each owner uses. */
export const usageStore = (db: Db) => ({
  /** Takes a token for each run and counts one more open check. Throws the problem if a limit is reached. */
  take: async ({ owner, plan }: Caller, runs: number, now: Date): Promise<Allowed> => {
    if (!plan) return { headers: {}, refund: async () => {} };
    const { buckets, openCheckDay } = await take(db, { owner, plan }, runs, now);
    return {
      openCheckDay,
      headers: rateLimitHeaders(fillBuckets(buckets, plan, now), plan),
      refund: () => refund(db, { owner, plan }, runs, openCheckDay),
    };
  },
});

/** Lowers the count of open checks. If that fails, the count is too high for two days. */
export const uncountOpenCheck = (db: Db, owner: string, openCheckDay: string) =>
  updateItem(db, usageKey(owner), {
    add: { [OPEN + openCheckDay]: -1 },
    condition: `#${OPEN + openCheckDay} > :none`,
    values: { ':none': 0 },
  }).catch((error) => log.warn('could not uncount a closed check; it counts as open for two days', { owner, error }));

const MAX_TRIES = 30;
const FIRST_BACKOFF_MS = 10;
const LONGEST_BACKOFF_MS = 200;

/** Reads the usage, decides and writes. Repeats this if other creates came in between. Returns the stored buckets. */
const take = async (
  db: Db,
  { owner, plan }: LimitedCaller,
  runs: number,
  now: Date,
): Promise<{ buckets?: Buckets; openCheckDay: string }> => {
  let sent: { stamp: string; openCheckDay: string } | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const read = usageFrom(plan, await getItem(db, usageKey(owner)));
    // The SDK retries a write whose response was lost. The retry fails, but the first write has left its stamp.
    if (sent && sent.stamp === read.stamp) return { ...read, ...sent };
    const decision = decideCreate(plan, runs, now, read);
    if ('refused' in decision) throw tooManyRequests(plan, decision.refused);
    const { openCheckDay } = decision.allowed;
    sent = { stamp: randomUUID(), openCheckDay };
    const written = await write(db, { owner, plan }, runs, read, decision.allowed, sent.stamp);
    if (written) return { ...usageFrom(plan, written), openCheckDay };
    await sleep(Math.random() * Math.min(FIRST_BACKOFF_MS * 2 ** tries, LONGEST_BACKOFF_MS));
  }
  throw new ApiProblem('unavailable', 'Too many checks are being created with keys of this owner at once. Try again.', {
    headers: { 'retry-after': '1' },
  });
};

/**
 * Takes the tokens and counts the check. With bounds it subtracts the tokens, so that concurrent creates don't reject
 * each other. Without bounds it overwrites the buckets, which fails if another create or refund has changed the stamp.
 */
const write = (
  db: Db,
  { owner, plan }: LimitedCaller,
  runs: number,
  read: StoredUsage,
  allowed: Allowance,
  stamp: string,
) => {
  const { buckets, openCheckDay, bounds } = allowed;
  const tokens = tokensOf(plan);
  // After three days the buckets are full and no day counts. The tokens of another plan may need a later date.
  const expiresAt = Math.max(read.expiresAt, Math.floor(buckets.at / 1000) + 3 * 24 * 3600);
  const forgotten = Object.keys(read.openChecks).filter((day) => isForgotten(day, buckets.at));
  const remove = forgotten.map((day) => OPEN + day);
  if (bounds) {
    return updateItem(db, usageKey(owner), {
      set: { stamp, expiresAt },
      add: { [`${tokens}.minute`]: -runs, [`${tokens}.day`]: -runs, [OPEN + openCheckDay]: 1 },
      remove,
      ...allOf(ifStampIsNot(stamp), ...ifWithin(bounds, tokens)),
    });
  }
  return updateItem(db, usageKey(owner), {
    set: { [tokens]: buckets, stamp, expiresAt },
    add: { [OPEN + openCheckDay]: 1 },
    remove,
    ...(read.stamp ? ifStamp(read.stamp) : ifAbsent),
  });
};

const ifWithin = ({ at, minTokens, maxOpenChecks }: Bounds, tokens: string): Condition[] => [
  {
    condition: `#${tokens}.#at = :at AND #${tokens}.#minute >= :minute AND #${tokens}.#day >= :day`,
    values: { ':at': at, ':minute': minTokens.minute, ':day': minTokens.day },
  },
  ...Object.entries(maxOpenChecks).map(([day, max], i) => ({
    condition: `attribute_not_exists(#${OPEN + day}) OR #${OPEN + day} <= :open${i}`,
    values: { [`:open${i}`]: max },
  })),
];

const ifStamp = (stamp: string): Condition => ({ condition: '#stamp = :read', values: { ':read': stamp } });
/** Fails if this write succeeded before and the SDK retries it because its response was lost. */
const ifStampIsNot = (stamp: string): Condition => ({ condition: '#stamp <> :own', values: { ':own': stamp } });

/** Returns the tokens of a check that was not stored. If that fails, the buckets refill with time. */
const refund = async (db: Db, { owner, plan }: LimitedCaller, runs: number, openCheckDay: string): Promise<void> => {
  const [tokens, open] = [tokensOf(plan), OPEN + openCheckDay];
  await updateItem(db, usageKey(owner), {
    set: { stamp: randomUUID() },
    add: { [`${tokens}.minute`]: runs, [`${tokens}.day`]: runs, [open]: -1 },
    condition: `attribute_exists(#${open})`,
  }).catch((error) => log.warn('could not refund a create; its tokens come back with time', { owner, error }));
};

type LimitedCaller = Required<Caller>;
type Refusal = Extract<Decision, { refused: unknown }>['refused'];
type Allowance = Extract<Decision, { allowed: unknown }>['allowed'];
type StoredUsage = Usage & { stamp: string | undefined; expiresAt: number };

const usageFrom = (plan: PlanName, item: Item = {}): StoredUsage => ({
  buckets: item[tokensOf(plan)] as Usage['buckets'],
  stamp: item.stamp as StoredUsage['stamp'],
  expiresAt: (item.expiresAt ?? 0) as number,
  openChecks: Object.fromEntries(
    Object.entries(item).flatMap(([name, n]) =>
      name.startsWith(OPEN) ? [[name.slice(OPEN.length), n as number]] : [],
    ),
  ),
});

const tooManyRequests = (plan: PlanName, { limit, quota, retryAfterSeconds, buckets }: Refusal): ApiProblem => {
  const allowance = limit === 'openChecks' ? `${quota} checks open at once` : `${quota} runs a ${limit}`;
  return new ApiProblem('too-many-requests', `The plan allows ${allowance}. Try again in ${retryAfterSeconds} s.`, {
    headers: { ...rateLimitHeaders(buckets, plan), 'retry-after': String(retryAfterSeconds) },
  });
};
