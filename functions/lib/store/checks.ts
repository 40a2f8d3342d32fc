import { z } from 'zod';
import type { CheckAssertions } from '../../../shared/assertions/sets.ts';
import type { Check } from '../../../shared/check.ts';
import type { FieldData } from '../../../shared/field-data-schemas.ts';
import { SettledOptions } from '../../../shared/options/audit-options-schemas.ts';
import { pick } from '../../../shared/pick.ts';
import type { Run } from '../../../shared/run.ts';
import { CHECK_LOOK_MS } from '../../../shared/service/due-times.ts';
import { isFinished } from '../../../shared/states.ts';
import { announceChange } from './changes.ts';
import { closeIfFinished } from './closing.ts';
import type { Db, Item, Key } from './dynamodb.ts';
import { getItem, ifReadable, parse, putItem, updateItem } from './dynamodb.ts';
import { anyOf } from './expressions.ts';
import { findCheck, findOrErased, type StoredCheck } from './find-check.ts';
import {
  type CheckItem,
  checkKey,
  type Erasable,
  findRun,
  firstDueAt,
  ifAbsentOrExpired,
  ifCreateId,
  ifState,
  isExpired,
  ofAnyOwner,
  openPartitionOf,
  pointerKey,
  type RunItem,
  type RunRef,
  readItems,
  runKey,
  toIso,
  updateRun,
  withoutNulls,
} from './items.ts';
import { findShare, type ShareItem } from './links.ts';
import { listedNewCheck } from './lists.ts';
import { putOpenCheck } from './open-checks.ts';
import { CheckFields, textOf, withLabelsAsText } from './stored.ts';
import { putEmptyTrend } from './trends.ts';

/** A check to store. A run whose report was uploaded is finished. */
export type NewCheck = Omit<Check, 'runs'> & { runs: (Run & Pick<RunItem, 'report'>)[] };

/** Facts about a create that are stored with its check. */
export type Creation = {
  owner: string;
  correlationId: string;
  /** Hash of the request's body. A repeated create must have the same. */
  fingerprint: string;
  /** New for each create, so that a create recognises its own writes. */
  createId: string;
  /** Key of the object with the secrets of the check. */
  secretsKey?: string | undefined;
  expiresAt: Date;
  /** Life of its reports, in days. */
  retentionDays: number;
  /** When the entries of the check's runs in the series of its URL expire. */
  trendExpiresAt: Date;
  /** True if the check counts towards its owner's plan while it is open. */
  countsAsOpen?: boolean;
  /** Tokens that the check took for the most audits that automatic samples can need. */
  reserved?: CheckItem['reserved'];
};

export type CheckStore = ReturnType<typeof checkStore>;

/** Stores checks, for the API functions and the sweeper. */
export const checkStore = (db: Db) => ({
  /** Stores a new check. Returns its runs, or undefined if a check with this id exists or is being erased. */
  create: (check: NewCheck, creation: Creation) => create(db, check, creation),

  /** Returns a check of this owner and its runs. Ignores expired checks. */
  find: (checkId: string, owner: string, now: Date): Promise<StoredCheck | undefined> =>
    findCheck(db, checkId, { owner }, now),

  /** Does the same, but returns `erased` for a mark. The id of an erased check is free when its mark is deleted. */
  findOrErased: (checkId: string, owner: string, now: Date): Promise<StoredCheck | 'erased' | undefined> =>
    findOrErased(db, checkId, { owner }, now),

  /** Returns a check of any owner, also an expired one. For share links, whose token proves the right to read. */
  findOfAnyOwner: (checkId: string): Promise<StoredCheck | undefined> => findCheck(db, checkId, ofAnyOwner),

  /** Returns what an erasure needs to know of a check, also if the check can't be read. Ignores expired checks. */
  findErasable: (checkId: string, owner: string, now: Date) => findErasable(db, checkId, owner, now),

  /** Returns the secret of a check's share links, of any owner. */
  findShare: (checkId: string): Promise<ShareItem | undefined> => findShare(db, checkId),

  /** Returns the id of the check that this owner's run belongs to. */
  checkIdOfRun: async (runId: string, owner: string): Promise<string | undefined> => {
    const pointer = await getItem(db, pointerKey(runId));
    return pointer?.owner === owner ? z.uuid().parse(pointer.checkId) : undefined;
  },

  /** Returns the run of a job in any state. Ignores the run of another create. */
  findRunOfAnyOwner: (run: RunRef & { createId: string }) => findRunOf(db, run),

  /** Returns the assertions of a check of any owner, for workers. Returns undefined if the check is gone or unreadable. */
  assertionsOf: async (checkId: string): Promise<CheckAssertions | undefined> => {
    const item = await getItem(db, checkKey(checkId));
    try {
      return item && parse(CheckFields.pick({ assertions: true }), item).assertions;
    } catch (error) {
      return ifReadable(error);
    }
  },

  /** Gives a check its field data, unless the check was erased. Safe to repeat. */
  setFieldData: async ({ id, createId }: Pick<CheckItem, 'id' | 'createId'>, fieldData: FieldData): Promise<void> => {
    await updateItem(db, checkKey(id), { set: { fieldData }, ...ifCreateId(createId), returns: 'NONE' });
    announceChange(id);
  },

  /** Closes a check if all its runs are finished. Returns true if the check is closed. */
  closeIfFinished: (checkId: string, now: Date) => closeIfFinished(db, checkId, now),
});

/**
 * Returns a run, or undefined for a run that can't be read, because the sweeper reports it. Ignores a run of another
 * create: a create that repeats an erased check writes the same ids, and a late job must not touch its runs.
 */
const findRunOf = async (db: Db, { createId, ...ref }: RunRef & { createId: string }) => {
  const run = await findRun(db, ref).catch(ifReadable);
  if (!run || run.createId === createId) return run;
  // A repeated create takes a run over before it finds the check.
  return (await getItem(db, checkKey(run.checkId)))?.createId === createId ? run : undefined;
};

/** Writes the runs with their pointers and entries first and the check last, so that a visible check has all its runs. */
const create = async (db: Db, check: NewCheck, creation: Creation): Promise<RunItem[] | undefined> => {
  const { owner, correlationId, fingerprint, createId, secretsKey, countsAsOpen, retentionDays, reserved } = creation;
  const now = new Date(check.createdAt);
  const seconds = inSeconds(creation.expiresAt);
  const dueAt = firstDueAt(check);
  const options = SettledOptions.parse(check);
  const counts = { sends: 1, sentAt: check.createdAt, tries: 0, lostLeases: 0 }; // as if sent, to save a write later
  const common = { checkId: check.id, owner, options, correlationId, createId, secretsKey, ...counts };
  const expiry = { expiresAt: seconds, trendExpiresAt: inSeconds(creation.trendExpiresAt), retentionDays };
  const regionCount = check.runs.length;
  const ofCheck = {
    labels: check.labels,
    ...(check.assertions && { isAsserted: true }),
    ...(check.against && regionCount > 1 && { regionCount }),
  };
  const runs = check.runs.map((run) => ({
    ...run,
    ...common,
    ...expiry,
    ...ofCheck,
    ...(!isFinished(run.state) && { dueAt }),
  }));
  const written = await Promise.allSettled(
    runs.map(async (run) => {
      await putRun(db, run, now);
      await putPointer(db, run, seconds);
      await putEmptyTrend(db, run, now);
    }),
  );
  // Wait for every write before throwing. A late write would survive the deletion of the orphans.
  for (const each of written) if (each.status === 'rejected') throw each.reason;
  const item: CheckItem = {
    ...pick(check, CheckFields.keyof().options),
    owner,
    fingerprint,
    createId,
    secretsKey,
    countsAsOpen,
    retentionDays,
    reserved,
    runIds: runs.map((run) => run.id),
    completedAt: null,
    dueAt: toIso(now.getTime() + CHECK_LOOK_MS),
    expiresAt: seconds,
  };
  if (countsAsOpen) await putOpenCheck(db, { owner, id: check.id, createId, expiresAt: seconds });
  const key = checkKey(check.id);
  const indexed = { open: openPartitionOf(db, 'checks', check.id), ...listedNewCheck(check, owner, seconds) };
  const stored = {
    ...withLabelsAsText(item),
    assertions: textOf(item.assertions),
    fieldData: item.fieldData ?? undefined,
  };
  if (await putItem(db, { ...key, ...indexed, ...stored }, ifAbsentOrExpired(now))) return runs;
  // The SDK retries a write whose response was lost. The retry fails because the first write succeeded.
  return (await getItem(db, key))?.createId === createId ? runs : undefined;
};

const inSeconds = (date: Date): number => Math.floor(date.getTime() / 1000);

/** Writes a run, or takes over the run of an earlier create that failed, so that the sweeper does not delete it. */
const putRun = async (db: Db, run: RunItem, now: Date): Promise<void> => {
  const stored = { ...runKey(run.checkId, run.id), ...withoutNulls(withLabelsAsText(run)) };
  if (isFinished(run.state)) return putFinished(db, stored, run);
  const item = { ...stored, open: openPartitionOf(db, run.region, run.id) };
  for (let tries = 0; tries < 3; tries++) {
    if (await putItem(db, item, ifAbsentOrExpired(now))) return;
    const { dueAt, createId, secretsKey, retentionDays } = run;
    if (await updateRun(db, run, { set: { dueAt, createId, secretsKey, retentionDays }, ...ifState('created') }))
      return;
  }
  throw new Error(`could not write run ${run.id}: a run with this id is at work or finished`);
};

/** Writes the run of uploaded reports. A repeated upload writes the same again. */
const putFinished = async (db: Db, item: Key & Item, { id, createId }: RunItem): Promise<void> => {
  const ofCreate = anyOf(['pk', 'absent'], ['createId', '=', createId]);
  if (!(await putItem(db, item, ofCreate))) throw new Error(`could not write run ${id}: another create has its id`);
};

const putPointer = async (db: Db, run: RunItem, expiresAt: number): Promise<void> => {
  const { id, checkId, owner, createId } = run;
  const written = await putItem(
    db,
    { ...pointerKey(id), checkId, owner, createId, expiresAt },
    anyOf(['pk', 'absent'], ['checkId', '=', checkId]),
  );
  if (!written) throw new Error(`could not write the pointer of run ${id}: it belongs to another check`);
};

const findErasable = async (db: Db, id: string, owner: string, now: Date): Promise<Erasable | undefined> => {
  const { check } = await readItems(db, id, { owner });
  if (!check || check.erasedAt || isExpired({ expiresAt: check.expiresAt as number | undefined }, now))
    return undefined;
  const { createdAt, retentionDays } = check;
  return { id, owner, createdAt, retentionDays };
};
