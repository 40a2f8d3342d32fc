import type { Region } from '../../../shared/regions.ts';
import {
  LEASE_MS,
  LEASE_SLACK_MS,
  MAX_TRIES,
  QUEUE_ORDER_MS,
  RENEW_MS,
  TRY_MS,
} from '../../../shared/service/due-times.ts';
import { MAX_OPEN_SHARDS } from '../../../shared/service/partitions.ts';
import type { Due } from './due.ts';
import { type Db, updateItem } from './dynamodb.ts';
import { allOf, anyOf } from './expressions.ts';
import { ifDueAt, ifNoLease, ifState, openPartition, toIso } from './items.ts';
import { allIn } from './query.ts';

/** Runs of a region that workers hold: their number, and when the oldest of their jobs was sent. */
export type AtWork = { count: number; oldestSentAt: string | undefined };

export type WaitingStore = ReturnType<typeof waitingStore>;

/** Finds out how far a region's queue is, and postpones the runs whose jobs still wait in it. */
export const waitingStore = (db: Db) => ({
  /** Returns what the workers of a region hold now, from the leases in the index. */
  atWork: (region: Region, now: Date) => atWork(db, region, now),

  /**
   * Postpones a run whose job waits, and counts a try. Returns false for another kind of item, for one that has changed since
   * it was listed, and if the last try is due. Also returns false if the job was sent before the oldest job at work.
   */
  postpone: (due: Due, oldestSentAt: string | undefined, now: Date) => postpone(db, due, oldestSentAt, now),
});

const atWork = async (db: Db, region: Region, now: Date): Promise<AtWork> => {
  const shards = Array.from({ length: MAX_OPEN_SHARDS }, (_, shard) => heldIn(db, openPartition(region, shard), now));
  const sentAt = (await Promise.all(shards)).flat();
  return { count: sentAt.length, oldestSentAt: sentAt.filter((each) => each !== undefined).sort()[0] };
};

/** Returns when the jobs of the held runs of a partition were sent. A held run is due when its lease has ended, or before the first renewal a minute after its creation. */
const heldIn = async (db: Db, open: string, now: Date): Promise<(string | undefined)[]> => {
  const renewed = toIso(now.getTime() - 2 * RENEW_MS + LEASE_MS);
  const held = await allIn(db, {
    index: 'open',
    partition: open,
    from: now.toISOString(),
    until: toIso(now.getTime() + LEASE_MS + 2 * LEASE_SLACK_MS), // clocks differ
    filter: anyOf(['lease.until', '>=', renewed]),
  });
  return held.map(({ lease }) => (lease as { sentAt?: string }).sentAt);
};

const postpone = async (db: Db, { pk, sk, dueAt }: Due, oldestSentAt: string | undefined, now: Date) => {
  const ofSentJob = allOf(anyOf(['sends', '>', 0]), anyOf(['tries', '<', MAX_TRIES - 1]));
  const waits = oldestSentAt === undefined ? [] : [sentAfter(oldestSentAt)];
  const written = await updateItem(
    db,
    { pk, sk },
    {
      set: { dueAt: toIso(now.getTime() + TRY_MS) },
      add: { tries: 1 },
      returns: 'NONE',
      ...allOf(ifDueAt(dueAt), ifState('created'), ifNoLease, ofSentJob, ...waits),
    },
  );
  return written !== undefined;
};

const sentAfter = (oldestSentAt: string) => anyOf(['sentAt', '>', toIso(Date.parse(oldestSentAt) - QUEUE_ORDER_MS)]);
