import type { LastCheck } from '../../../shared/schedules.ts';
import { HOLD_MS } from '../../../shared/service/due-times.ts';
import { secretFolders } from '../../../shared/service/secret-folders.ts';
import type { Due } from './due.ts';
import { type Db, deleteItem, getItem, parse, putOnce, updateItem, updateOnce } from './dynamodb.ts';
import { allOf, anyOf, type Change, ifAbsent } from './expressions.ts';
import { ifDueAt, ifEqual, openPartitionOf, toIso } from './items.ts';
import { allIn } from './query.ts';
import { removeSecrets } from './remove-secrets.ts';
import { ifSame, ifShown, keyOf, type NewSchedule, partitionOf, ScheduleItem, timesOf } from './schedule-items.ts';

/*
 * Each schedule has one of the places of its owner, so that a conditional put bounds their number. The secrets of its checks are
 * an object of their own. A hidden schedule is one that is being created or erased: the sweeper erases it with its secrets if
 * the request that should do so has died.
 */
/** Changed parts of a schedule. `next` is its next time. */
export type ScheduleEdit = Partial<Pick<ScheduleItem, 'name' | 'every' | 'body' | 'secretNames' | 'watch'>> & {
  next?: Date | undefined;
  /** New secrets, or none. Without it, the schedule keeps its own. */
  secrets?: { key: string; put: () => Promise<void> } | 'none';
};

/** Returns the key of an object with secrets of a schedule. Each edit with secrets has an object of its own. */
export const scheduleSecretsKeyOf = (scheduleId: string, editId?: string): string =>
  `${secretFolders.scheduleSecrets.prefix}${scheduleId}${editId ? `/${editId}` : ''}`;

export type ScheduleStore = ReturnType<typeof scheduleStore>;

export const scheduleStore = (db: Db) => ({
  /** Returns the schedules of an owner, oldest first. */
  list: async (owner: string): Promise<ScheduleItem[]> =>
    (await list(db, owner)).filter(({ isHidden }) => !isHidden).sort((a, b) => a.createdAt.localeCompare(b.createdAt)),

  find: async (owner: string, id: string): Promise<ScheduleItem | undefined> =>
    (await list(db, owner)).find((schedule) => schedule.id === id && !schedule.isHidden),

  /**
   * Creates a schedule. `putSecrets` stores its secrets, once the sweeper knows of them. Returns undefined if its owner has as
   * many as `max`.
   */
  create: (schedule: NewSchedule, max: number, putSecrets: (() => Promise<void>) | undefined, now: Date) =>
    create(db, schedule, max, putSecrets, now),

  /** Edits a schedule. Returns the new one, or undefined if it has changed since it was read. */
  edit: (schedule: ScheduleItem, edit: ScheduleEdit): Promise<ScheduleItem | undefined> =>
    editSchedule(db, schedule, edit),

  /** Erases a schedule with its secrets. Safe to repeat. */
  erase: (schedule: ScheduleItem, now: Date): Promise<void> => erase(db, schedule, now),

  /** Pauses a schedule. Returns undefined if it is paused, or has changed. */
  pause: (schedule: ScheduleItem, now: Date) =>
    change(db, schedule, {
      set: { pausedAt: now.toISOString() },
      remove: ['open', 'dueAt', 'nextAt'],
      ...anyOf(['pausedAt', 'absent']),
    }),

  /** Resumes a schedule. Returns undefined if it is not paused, or has changed. */
  resume: (schedule: ScheduleItem, nextAt: Date) =>
    change(db, schedule, {
      set: { ...timesOf(nextAt), open: openPartitionOf(db, 'schedules', schedule.id) },
      remove: ['pausedAt'],
      ...anyOf(['pausedAt', 'exists']),
    }),

  /** Returns a schedule of the open items, or undefined if it is gone or can't be read. */
  read: async ({ pk, sk }: Due): Promise<ScheduleItem | undefined> => {
    const item = await getItem(db, { pk, sk });
    return ScheduleItem.safeParse(item).data;
  },

  /** Reserves a due schedule for a minute, so that one sweep acts on it. Returns undefined if it has changed. */
  hold: async ({ pk, sk, dueAt: listed }: Due, now: Date): Promise<ScheduleItem | undefined> => {
    const dueAt = toIso(now.getTime() + HOLD_MS);
    const item = await updateOnce(db, { pk, sk }, { set: { dueAt }, ...ifDueAt(listed) });
    return item && parse(ScheduleItem, item);
  },

  /** Records the result of a time, unless that of a later time is known, which is past. Safe to repeat. */
  record: (schedule: ScheduleItem, last: LastCheck, now: Date) => record(db, schedule, last, now),

  /** Replaces how the pages of a schedule are. Returns false if that has changed since it was read, or if the schedule is gone. */
  putWatch: async (schedule: ScheduleItem, watch: string): Promise<boolean> => {
    const isUnchanged = allOf(ifSame(schedule), ifShown, ifEqual('watch', schedule.watch));
    return Boolean(await updateItem(db, keyOf(schedule), { set: { watch }, returns: 'NONE', ...isUnchanged }));
  },

  /** Makes a held schedule due at its next time, unless it has changed since. */
  moveOn: (schedule: ScheduleItem, nextAt: Date) =>
    updateItem(db, keyOf(schedule), {
      set: timesOf(nextAt),
      returns: 'NONE',
      ...allOf(ifSame(schedule), ifDueAt(schedule.dueAt)),
    }),
});

const record = (db: Db, schedule: ScheduleItem, last: LastCheck, now: Date) => {
  const ahead = toIso(now.getTime() + HOLD_MS);
  const path = 'last.scheduledFor';
  const isNewest = anyOf(['last', 'absent'], [path, '<=', last.scheduledFor], [path, '>', ahead]);
  return updateItem(db, keyOf(schedule), { set: { last }, returns: 'NONE', ...allOf(ifSame(schedule), isNewest) });
};

/** Changes a schedule that is shown. Returns the new one, or undefined if the condition failed. */
const change = async (db: Db, schedule: ScheduleItem, { condition, ...changes }: Change) => {
  const item = await updateOnce(db, keyOf(schedule), {
    ...changes,
    ...allOf(ifSame(schedule), ifShown, { condition }),
  });
  return item && parse(ScheduleItem, item);
};

const list = async (db: Db, owner: string): Promise<ScheduleItem[]> =>
  (await allIn(db, { partition: partitionOf(owner) })).map((item) => parse(ScheduleItem, item));

const create = async (
  db: Db,
  schedule: NewSchedule,
  max: number,
  putSecrets: (() => Promise<void>) | undefined,
  now: Date,
): Promise<ScheduleItem | undefined> => {
  const taken = new Set((await list(db, schedule.owner)).map(({ sk }) => sk));
  const places = Array.from({ length: max }, (_, place) => String(place)).filter((sk) => !taken.has(sk));
  const dueAt = putSecrets ? toIso(now.getTime() + HOLD_MS) : schedule.nextAt;
  const item = { ...schedule, dueAt, ...(putSecrets && { isHidden: true }) };
  const open = openPartitionOf(db, 'schedules', schedule.id);
  for (const sk of places) {
    const put = { ...keyOf({ owner: schedule.owner, sk }), ...item, open };
    if (!(await putOnce(db, put, ifAbsent))) continue; // another create has taken the place since
    if (!putSecrets) return { ...item, sk };
    await putSecrets();
    const show = { set: { dueAt: schedule.nextAt }, remove: ['isHidden'], ...ifSame(schedule) };
    const shown = await updateOnce(db, keyOf({ owner: schedule.owner, sk }), show);
    if (!shown) throw new Error(`the sweeper erased the schedule ${schedule.id} before its create ended`);
    return parse(ScheduleItem, shown);
  }
  return undefined;
};

/**
 * Edits a schedule. It names each object with secrets before the object exists, and as long as it may exist. The next edit or
 * the deletion of the schedule deletes what a death in between has left.
 */
const editSchedule = async (db: Db, read: ScheduleItem, { next, secrets, ...set }: ScheduleEdit) => {
  const replaced = secrets !== undefined && secrets !== 'none' ? secrets : undefined;
  const reserved = replaced
    ? await updateUnedited(db, read, { spareSecrets: [...(read.spareSecrets ?? []), replaced.key] })
    : read;
  if (!reserved) return undefined;
  await replaced?.put();
  const { secretsKey, spareSecrets = [] } = reserved;
  const spare = [...spareSecrets, ...(secrets && secretsKey ? [secretsKey] : [])].filter(
    (key) => key !== replaced?.key,
  );
  const changes = { ...set, ...(next && timesOf(next)), spareSecrets: spare, secretsKey: replaced?.key };
  const edited = await updateUnedited(db, reserved, changes, secrets === 'none' ? ['secretsKey'] : []);
  await removeSecrets(db, edited ? spare : [replaced?.key]);
  if (edited && spare.length > 0) await updateUnedited(db, edited, { spareSecrets: [] });
  return edited;
};

/** Changes a schedule, unless it was edited, paused, resumed or judged since it was read. */
const updateUnedited = async (
  db: Db,
  read: ScheduleItem,
  set: Partial<ScheduleItem>,
  remove: readonly string[] = [],
) => {
  const isUnedited = (['edits', 'pausedAt', 'watch'] as const).map((name) => ifEqual(name, read[name]));
  const edits = (read.edits ?? 0) + 1;
  const change = { set: { ...set, edits }, remove, ...allOf(ifSame(read), ifShown, ...isUnedited) };
  const item = await updateOnce(db, keyOf(read), change);
  return item && parse(ScheduleItem, item);
};

const erase = async (db: Db, schedule: ScheduleItem, now: Date): Promise<void> => {
  const { secretsKey, spareSecrets = [] } = schedule;
  if (secretsKey !== undefined || spareSecrets.length > 0) {
    const hidden = {
      isHidden: true,
      dueAt: toIso(now.getTime() + HOLD_MS),
      open: openPartitionOf(db, 'schedules', schedule.id),
    };
    const item = await updateItem(db, keyOf(schedule), { set: hidden, ...ifSame(schedule) });
    if (!item) return;
    const last = parse(ScheduleItem, item); // an edit may have changed its secrets since
    await removeSecrets(db, [last.secretsKey, ...(last.spareSecrets ?? [])]);
  }
  await deleteItem(db, keyOf(schedule), ifSame(schedule));
};
