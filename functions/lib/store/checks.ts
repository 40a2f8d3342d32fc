import { z } from 'zod';
import { AuditOptions } from '../../../shared/audit-options.ts';
import { type Check, optionNames } from '../../../shared/check.ts';
import { HOLD_MS, recheckAfter, resendAt } from '../../../shared/due-times.ts';
import { pick } from '../../../shared/pick.ts';
import { isFinished } from '../../../shared/run.ts';
import { type Db, getItem, parse, putItem, updateItem } from './dynamodb.ts';
import {
  CheckItem,
  checkFields,
  checkKey,
  findRun,
  ifAbsentOrExpired,
  ifDueAt,
  ifState,
  isExpired,
  openPartition,
  pointerKey,
  RunItem,
  type RunRef,
  readItems,
  runKey,
  toIso,
  updateRun,
} from './items.ts';
import { uncountOpenCheck } from './usage.ts';

/** A check with its runs in the order of its regions, as stored. */
export type StoredCheck = { item: CheckItem; runs: RunItem[] };

/**
 * What a create notes beside the check: `fingerprint` tells its body from others, `createId` this try from others;
 * `openCheckDay` where its owner has a limit of open checks.
 */
export type Creation = {
  owner: string;
  correlationId: string;
  fingerprint: string;
  createId: string;
  expiresAt: Date;
  openCheckDay?: string | undefined;
};

export type CheckStore = ReturnType<typeof checkStore>;

/** Where checks and runs are kept. Each write states the condition under which it is true; a refused one says so. */
export const checkStore = (db: Db) => ({
  /** Records a new check. Undefined where a check with this id stands already, or is being erased. */
  create: (check: Check, creation: Creation) => create(db, check, creation),

  /**
   * A check and its runs in one consistent read; undefined where there is none, none of this owner, or none any more. What
   * has expired is no owner's any more.
   */
  find: (checkId: string, owner?: string) => find(db, checkId, owner),

  /** The same, and where a check was just erased the word for that: until its mark is gone its id is not free. */
  findOrErased: (checkId: string, owner?: string) => findOrErased(db, checkId, owner),

  /** The check that a run of this owner belongs to, as its pointer says. */
  checkIdOfRun: async (runId: string, owner: string): Promise<string | undefined> => {
    const pointer = await getItem(db, pointerKey(runId));
    return pointer?.owner === owner ? z.uuid().parse(pointer.checkId) : undefined;
  },

  /** A run as it stands, whoever works on it. */
  findRun: (run: RunRef) => findRun(db, run),

  /** Notes that a run's job is in its queue, unless somebody acted on the run since `run` was read. */
  markSent: (run: RunItem, now: Date) =>
    updateRun(db, run, {
      set: { sends: run.sends + 1, dueAt: toIso(resendAt(run, now)) },
      ...ifDueAt(run.dueAt),
    }),

  /** Closes a check whose runs are all finished. Whether it is closed now. */
  closeIfFinished: (checkId: string, now: Date) => closeIfFinished(db, checkId, now),
});

/** Runs first, then their pointers, the check last: a check that anyone can see has all its runs. */
const create = async (
  db: Db,
  check: Check,
  { owner, correlationId, fingerprint, createId, expiresAt, openCheckDay }: Creation,
): Promise<RunItem[] | undefined> => {
  const created = Date.parse(check.createdAt);
  const seconds = Math.floor(expiresAt.getTime() / 1000);
  const dueAt = toIso(created + HOLD_MS);
  const options = AuditOptions.parse(pick(check, optionNames));
  const common = { checkId: check.id, owner, options, correlationId, createId, sends: 0, lostLeases: 0, dueAt };
  const runs = check.runs.map((run) => ({ ...run, ...common }));
  const written = await Promise.allSettled(
    runs.map(async (run) => {
      await putRun(db, run, seconds);
      await putPointer(db, run, seconds);
    }),
  );
  // Not before every write has ended: none may come late, after its remains were cleared.
  for (const each of written) if (each.status === 'rejected') throw each.reason;
  const item: CheckItem = {
    ...pick(check, checkFields.keyof().options),
    owner,
    fingerprint,
    createId,
    runIds: runs.map((run) => run.id),
    completedAt: null,
    openCheckDay,
    dueAt: toIso(created + recheckAfter(0)),
    expiresAt: seconds,
  };
  const key = checkKey(check.id);
  if (await putItem(db, { ...key, open: openPartition('checks'), ...item }, ifAbsentOrExpired())) return runs;
  // The SDK sends again what was not answered: then it is our own write that stands in the way.
  return (await getItem(db, key))?.createId === createId ? runs : undefined;
};

/** Puts a run where none stands. One that stands is left of a create that broke off: it is kept from being cleared. */
const putRun = async (db: Db, run: RunItem, expiresAt: number): Promise<void> => {
  const item = { ...runKey(run.checkId, run.id), open: openPartition(run.region), expiresAt, ...run };
  for (let tries = 0; tries < 3; tries++) {
    if (await putItem(db, item, ifAbsentOrExpired())) return;
    const { dueAt, createId } = run;
    if (await updateRun(db, run, { set: { dueAt, createId }, ...ifState('created') })) return;
  }
  throw new Error(`run ${run.id} could not be put`);
};

const putPointer = async (db: Db, run: RunItem, expiresAt: number): Promise<void> => {
  const { id, checkId, owner, createId } = run;
  const written = await putItem(
    db,
    { ...pointerKey(id), checkId, owner, createId, expiresAt },
    { condition: 'attribute_not_exists(#pk) OR #checkId = :checkId', values: { ':checkId': checkId } },
  );
  if (!written) throw new Error(`run ${id} is of another check`);
};

const find = async (db: Db, checkId: string, owner?: string): Promise<StoredCheck | undefined> => {
  const found = await findOrErased(db, checkId, owner);
  return found === 'erased' ? undefined : found;
};

const findOrErased = async (
  db: Db,
  checkId: string,
  owner?: string,
  again = false,
): Promise<StoredCheck | 'erased' | undefined> => {
  const { check, runs } = await readItems(db, checkId, owner);
  if (!check) return undefined; // its create has not ended, or never will
  if (check.erasedAt) return 'erased';
  const item = parse(CheckItem, check);
  if (owner !== undefined && isExpired(item)) return undefined;
  const found = item.runIds.map((id) => runs.find(({ sk }) => sk === `RUN#${id}`));
  const missing = found.findIndex((run) => !run);
  if (missing < 0) return { item, runs: found.map((run) => parse(RunItem, run as Record<string, unknown>)) };
  if (again) throw new Error(`check ${checkId} has lost its run ${item.runIds[missing]}`);
  return findOrErased(db, checkId, owner, true); // a query is no snapshot: it may see a check before its erasure, and its runs after
};

/** Closes a check whose runs are all finished. Whether it is closed now. */
export const closeIfFinished = async (db: Db, checkId: string, now: Date): Promise<boolean> => {
  const found = await find(db, checkId);
  if (!found?.runs.every((run) => isFinished(run.state))) return false;
  if (found.item.completedAt) return true;
  const closed = await updateItem(db, checkKey(checkId), {
    set: { completedAt: now.toISOString() },
    remove: ['open', 'dueAt'],
    condition: '#completedAt = :null', // which the mark of an erased check has not
    values: { ':null': null },
  });
  const { owner, openCheckDay } = found.item;
  if (closed && openCheckDay) await uncountOpenCheck(db, owner, openCheckDay);
  return true;
};
