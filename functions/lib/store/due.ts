import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { HOLD_MS } from '../../../shared/due-times.ts';
import type { RunError } from '../../../shared/problems.ts';
import type { Region } from '../../../shared/regions.ts';
import { follows } from '../../../shared/run.ts';
import { closeIfFinished } from './checks.ts';
import { allOf, type Db, deleteItem, parse, updateItem } from './dynamodb.ts';
import {
  CheckItem,
  checkKey,
  ErasedItem,
  ifCreateId,
  ifDueAt,
  ifLease,
  ifNoLease,
  ifState,
  openPartition,
  pointerKey,
  RunItem,
  runKey,
  toIso,
  updateRun,
} from './items.ts';

/** Something open that is due: its key, and the dueAt that was seen. */
export type Due = { pk: string; sk: string; dueAt: string };
/** What a sweep holds for a moment: nobody else acts on it until `dueAt`. */
export type Held = ({ check: CheckItem } | { erased: ErasedItem } | { run: RunItem }) & { dueAt: string };

export type DueStore = ReturnType<typeof dueStore>;

/** What is open, by its due times. Each write states the condition under which it is true; a refused one says so. */
export const dueStore = (db: Db) => ({
  /** What is due in a region, or among the checks, oldest first: at most `limit` items. */
  list: (of: Region | 'checks', until: Date, limit: number, from?: Date) => list(db, of, until, limit, from),

  /** Holds something due for a minute, so that one sweep acts on it. Undefined where somebody else was first. */
  hold: async ({ pk, sk, dueAt: seen }: Due, now: Date): Promise<Held | undefined> => {
    const dueAt = toIso(now.getTime() + HOLD_MS);
    const item = await updateItem(db, { pk, sk }, { set: { dueAt }, ...ifDueAt(seen) });
    if (!item) return undefined;
    if (sk !== 'CHECK') return { run: parse(RunItem, item), dueAt };
    return item.erasedAt ? { erased: parse(ErasedItem, item), dueAt } : { check: parse(CheckItem, item), dueAt };
  },

  /** Counts a lease that ran out, and lets the run be taken again. Undefined where somebody acted on it since. */
  countLostLease: (run: RunItem, now: Date) =>
    updateRun(db, run, {
      set: { lostLeases: run.lostLeases + 1, dueAt: toIso(now.getTime() + HOLD_MS + 1) },
      remove: ['lease'],
      ...allOf(ifDueAt(run.dueAt), ifLease(run.lease?.id)),
    }),

  /** Looks at a run or a check again at a time, unless somebody acted on it since it was read. */
  postpone: (item: RunItem | CheckItem | ErasedItem, until: Date) =>
    updateItem(db, 'checkId' in item ? runKey(item.checkId, item.id) : checkKey(item.id), {
      set: { dueAt: until.toISOString() },
      ...ifDueAt(item.dueAt),
    }),

  /** Fails a run that nobody is at work on, unless somebody acted on it since it was read. */
  abandon: (run: RunItem, error: RunError, now: Date) => abandon(db, run, error, now),

  /** Makes a waiting run due at once; leaves alone what has a lease, or was acted on since it was seen. */
  wake: ({ pk, sk, dueAt: seen }: Due, now: Date) =>
    updateItem(db, { pk, sk }, { set: { dueAt: now.toISOString() }, ...allOf(ifDueAt(seen), ifNoLease) }),

  /** Deletes a run that no check lists, and its pointer, unless a create came back for it since it was read. */
  deleteOrphan: async (run: RunItem): Promise<void> => {
    await deleteItem(db, pointerKey(run.id), ifCreateId(run.createId));
    await deleteItem(db, runKey(run.checkId, run.id), allOf(ifCreateId(run.createId), ifDueAt(run.dueAt)));
  },
});

const list = async (db: Db, of: Region | 'checks', until: Date, limit: number, from = new Date(0)): Promise<Due[]> => {
  const { Items } = await db.client.send(
    new QueryCommand({
      TableName: db.table,
      IndexName: 'open',
      KeyConditionExpression: '#open = :open AND dueAt BETWEEN :from AND :until',
      ExpressionAttributeNames: { '#open': 'open' },
      ExpressionAttributeValues: {
        ':open': openPartition(of),
        ':from': from.toISOString(),
        ':until': until.toISOString(),
      },
      Limit: limit,
    }),
  );
  return (Items ?? []) as Due[];
};

const abandon = async (db: Db, run: RunItem, error: RunError, now: Date): Promise<boolean> => {
  const nowIso = now.toISOString();
  const failed = await updateRun(db, run, {
    set: { state: 'failed', error, finishedAt: nowIso, updatedAt: nowIso },
    remove: ['open', 'dueAt', 'lease'],
    ...allOf(ifDueAt(run.dueAt), ifState(...follows.failed)),
  });
  if (failed) await closeIfFinished(db, run.checkId, now).catch(() => false);
  return Boolean(failed);
};
