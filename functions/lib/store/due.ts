import type { RunError } from '../../../shared/problems.ts';
import { follows } from '../../../shared/run.ts';
import { ASIDE_MS, HOLD_MS, LEASE_SLACK_MS, RENEW_MS, TRY_MS } from '../../../shared/service/due-times.ts';
import { partitions } from '../../../shared/service/partitions.ts';
import { latest } from '../../../shared/times.ts';
import { announceEnd, closeAfterRun } from './closing.ts';
import { type Db, deleteItem, getItem, type Key, parse, updateItem, updateOnce } from './dynamodb.ts';
import { allOf, anyOf } from './expressions.ts';
import {
  CheckItem,
  checkKey,
  type ErasedItem,
  findRun,
  ifCreateId,
  ifDueAt,
  ifLease,
  ifNoLease,
  ifNoMark,
  ifState,
  ifUntouched,
  type OpenKind,
  openPartition,
  pointerKey,
  RunItem,
  runKey,
  toIso,
  trendKey,
  updateRun,
  withSamples,
} from './items.ts';
import { openCheckCreate, removeOpenCheckOf } from './open-checks.ts';
import { firstIn } from './query.ts';
import { removeSecrets } from './remove-secrets.ts';

/** A partition of the index of open items. */
export type Shard = { kind: OpenKind; shard: number };
/** Key of a due item, and its `dueAt` and its lease when it was listed. */
export type Due = { pk: string; sk: string; dueAt: string; lease?: { id: string } };
/** An item that a sweep has reserved until `dueAt`. */
export type Held = ({ check: CheckItem } | { erased: ErasedItem } | { run: RunItem }) & { dueAt: string };

type Order = 'oldest first' | 'latest first';
export type DueStore = ReturnType<typeof dueStore>;

/** Finds and moves on open items that are due, for the sweeper. */
export const dueStore = (db: Db) => ({
  /** Number of shards of new items. */
  shards: db.openShards,
  /** Returns at most `limit` items of a shard that are due between `from` and `until`, oldest first. */
  list: (shard: Shard, until: Date, limit: number, from?: Date, order?: Order) =>
    list(db, shard, until, limit, from, order),

  /** Reserves an item for a minute, so that one sweep acts on it. Returns undefined if the item has changed. */
  hold: async ({ pk, sk, dueAt: listed }: Due, now: Date): Promise<Held | undefined> => {
    const dueAt = toIso(now.getTime() + HOLD_MS);
    const item = await updateOnce(db, { pk, sk }, { set: { dueAt }, ...ifDueAt(listed) });
    if (!item) return undefined;
    if (sk !== 'CHECK') return { run: parse(RunItem, item), dueAt };
    if (!item.erasedAt) return { check: parse(CheckItem, item), dueAt };
    const id = pk.slice(partitions.check.length); // an unreadable mark can be erased too
    return { erased: { id, owner: String(item.owner), erasedAt: String(item.erasedAt), dueAt }, dueAt };
  },

  /** Returns true if the check of a run lists it. The check need not be readable. */
  isListed: async ({ pk, sk }: Key): Promise<boolean> => {
    const check = await getItem(db, { pk, sk: checkKey('').sk });
    return Array.isArray(check?.runIds) && check.runIds.some((id: string) => runKey('', id).sk === sk);
  },

  /** Makes an item that can't be read due in a day. Returns true for the first time. */
  setAside: (item: Due, now: Date) => setAside(db, item, now),

  /** Removes an expired lease and counts it. Returns the new run, or undefined if the run has changed. */
  countLostLease: (run: RunItem, now: Date) =>
    updateRun(db, run, {
      set: { lostLeases: run.lostLeases + 1, sends: 0, dueAt: toIso(now.getTime() + HOLD_MS + 1) },
      remove: ['lease'],
      ...ifUntouched(run),
    }),

  /** Records that a run's job was sent, unless the run has changed since it was read. */
  markSent: (run: RunItem, now: Date) => markSent(db, run, now),

  /** Moves an item's `dueAt` and sets the counts of a run, unless the item has changed since it was read. */
  postpone: (
    item: RunItem | CheckItem | ErasedItem,
    until: Date,
    counts: Partial<Pick<RunItem, 'sends' | 'tries'>> = {},
  ) =>
    updateOnce(db, 'checkId' in item ? runKey(item.checkId, item.id) : checkKey(item.id), {
      set: { ...counts, dueAt: until.toISOString() },
      ...('checkId' in item ? ifUntouched(item) : ifDueAt(item.dueAt)),
    }),

  /** Fails a run, unless it has changed since it was read. Returns true if this call failed the run. */
  abandon: (run: RunItem, error: RunError, now: Date) => abandon(db, run, error, now),

  /** Makes a check or a run due now, unless it has a lease or has changed since it was listed. Forgets a run's sends. */
  wake: ({ pk, sk, dueAt: listed }: Due, now: Date) => {
    const set = { dueAt: now.toISOString(), ...(sk !== 'CHECK' && { sends: 0, tries: 0 }) };
    return updateOnce(db, { pk, sk }, { set, returns: 'NONE', ...allOf(ifDueAt(listed), ifNoLease, ifNoMark) });
  },

  /** Makes an item that waits for a time far ahead due soon. The holder of a lease renews it before. */
  moveBack: (item: Due, now: Date) => moveBack(db, item, now),

  /** Removes a run's lease, counts it as lost and makes the run due now, unless the run has changed since it was listed. */
  dropLease: (run: Required<Due>, now: Date) => dropLease(db, run, now),

  /**
   * Deletes a run that no check lists, with its pointer, entry and secrets, and the count of its check. Keeps a run that a
   * repeated create has taken over.
   */
  deleteOrphan: (run: RunItem) => deleteOrphan(db, run),
});

const markSent = (db: Db, run: RunItem, now: Date) =>
  updateRun(db, run, {
    set: { sends: run.sends + 1, tries: run.tries, sentAt: now.toISOString(), dueAt: toIso(now.getTime() + TRY_MS) },
    ...ifUntouched(run),
  });

const moveBack = (db: Db, { pk, sk, dueAt: listed }: Due, now: Date) => {
  const dueAt = toIso(now.getTime() + RENEW_MS + LEASE_SLACK_MS);
  return updateOnce(db, { pk, sk }, { set: { dueAt }, returns: 'NONE', ...ifDueAt(listed) });
};

const dropLease = (db: Db, { pk, sk, dueAt: listed, lease }: Required<Due>, now: Date) =>
  updateOnce(
    db,
    { pk, sk },
    {
      set: { dueAt: now.toISOString(), sends: 0 },
      add: { lostLeases: 1 },
      remove: ['lease'],
      ...allOf(ifDueAt(listed), ifLease(lease.id)),
    },
  );

const setAside = async (db: Db, { pk, sk }: Due, now: Date): Promise<boolean> => {
  const dueAt = toIso(now.getTime() + ASIDE_MS);
  const isOpen = anyOf(['dueAt', 'exists']);
  const isFirst = allOf(isOpen, anyOf(['unreadableSince', 'absent']));
  const set = { dueAt, unreadableSince: now.toISOString() };
  if (await updateItem(db, { pk, sk }, { set, returns: 'NONE', ...isFirst })) return true;
  await updateItem(db, { pk, sk }, { set: { dueAt }, returns: 'NONE', ...isOpen });
  return false;
};

const deleteOrphan = async (db: Db, run: RunItem): Promise<void> => {
  const keys = [pointerKey(run.id), trendKey(run.checkId, run.id)];
  const found = await Promise.all(keys.map((key) => getItem(db, key)));
  const countedBy = await openCheckCreate(db, run.owner, run.checkId);
  // A create takes a run over before it writes the pointer. It may have died in between, so the pointer has another
  // createId than the run. If the run is unchanged after the pointer was read, no later create has written the pointer.
  // The same holds for the count as open and for the entry in the series. A filled entry stays: it is of an expired check
  // with the same id.
  const current = await findRun(db, run);
  if (current?.createId !== run.createId || current.dueAt !== run.dueAt) return;
  if (countedBy !== undefined && !(await getItem(db, checkKey(run.checkId))))
    await removeOpenCheckOf(db, { owner: run.owner, id: run.checkId, createId: countedBy });
  await removeSecrets(db, [run.secretsKey]); // each create has its own
  for (const [i, key] of keys.entries()) {
    const item = found[i];
    if (item && !item.list) await deleteItem(db, key, ifCreateId(item.createId));
  }
  await deleteItem(db, runKey(run.checkId, run.id), allOf(ifCreateId(run.createId), ifDueAt(run.dueAt)));
};

const list = async (
  db: Db,
  { kind, shard }: Shard,
  until: Date,
  limit: number,
  from = new Date(0),
  order: Order = 'oldest first',
): Promise<Due[]> => {
  const { items } = await firstIn(db, {
    index: 'open',
    partition: openPartition(kind, shard),
    limit,
    newestFirst: order === 'latest first',
    from: from.toISOString(),
    until: until.toISOString(),
  });
  return items as Due[];
};

const abandon = async (db: Db, run: RunItem, error: RunError, now: Date): Promise<boolean> => {
  const finishedAt = latest(now.toISOString(), run.updatedAt);
  await announceEnd(db, run, now);
  const written = await updateRun(db, run, {
    set: { state: 'failed', error, ...withSamples(run, []), finishedAt, updatedAt: finishedAt },
    remove: ['open', 'dueAt', 'lease'],
    ...allOf(ifUntouched(run), ifState(...follows.failed)),
  });
  if (written) await closeAfterRun(db, run, now);
  return Boolean(written);
};
