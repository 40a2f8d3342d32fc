import { HOLD_MS, LONGEST_WAIT_MS } from '../../../shared/service/due-times.ts';
import { log } from '../log.ts';
import { nextTime } from '../schedules/schedule-times.ts';
import { settleAll } from '../settle-all.ts';
import type { Due, DueStore } from '../store/due.ts';
import type { OpenKind } from '../store/items.ts';
import type { ScheduleStore } from '../store/schedules.ts';
import { logFailures } from './log-failures.ts';
import { allShards, kinds } from './shards.ts';

type Deps = {
  due: Pick<DueStore, 'list' | 'moveBack'>;
  schedules: Pick<ScheduleStore, 'read' | 'moveOn'>;
  now: () => Date;
};

const PAGE_SIZE = 100;
const AT_ONCE = 5; // all kinds at once stay below the 50 sockets of the SDK
/** Time between two looks of one process. A clock that was set back by more is seen at once. */
const LOOK_MS = 3600_000;
/** The last time that sorts as a text. */
const END = new Date('9999-12-31T23:59:59.999Z');

/**
 * Returns a function that moves back the due times that a clock ahead has written, because nothing would happen until then. It looks at
 * the first sweep of a process, then hourly, and at once after the clock was set by an hour or more.
 */
export const moveBackAhead = (deps: Deps) => {
  let lookedAt: number | undefined;
  return async (): Promise<void> => {
    const now = deps.now().getTime();
    if (lookedAt !== undefined && Math.abs(now - lookedAt) < LOOK_MS) return;
    const looks = await Promise.allSettled(kinds.map((kind) => moveBackKind(deps, kind)));
    for (const [i, look] of looks.entries())
      logFailures('Could not look for due times ahead.', kinds[i] as OpenKind, [look]);
    if (looks.every(({ status }) => status === 'fulfilled')) lookedAt = now;
  };
};

/** Time after which a look begins no further item. The latest come first, because they were written furthest ahead. */
const BUDGET_MS = 20_000;

const moveBackKind = async (deps: Deps, kind: OpenKind): Promise<void> => {
  const budget = AbortSignal.timeout(BUDGET_MS);
  const wait = kind === 'schedules' ? 2 * HOLD_MS : LONGEST_WAIT_MS;
  const move = kind === 'schedules' ? moveScheduleBack : moveItemBack;
  let moved = 0;
  for (const shard of allShards) {
    const from = new Date(deps.now().getTime() + wait);
    let until = END;
    for (let left = true; left && !budget.aborted; ) {
      const found = await deps.due.list({ kind, shard }, until, PAGE_SIZE, from, 'latest first');
      const handled = await settleAll(found, AT_ONCE, (due) => move(deps, due), budget);
      logFailures('Could not move back the due time of an open item.', kind, handled);
      moved += handled.filter((each) => each.status === 'fulfilled' && each.value).length;
      const last = new Date(found.at(-1)?.dueAt ?? from);
      left = found.length === PAGE_SIZE && last < until;
      until = last;
    }
  }
  if (moved > 0) log.warn('A clock was ahead. The sweeper has moved due times back.', { kind, moved });
};

const moveItemBack = async ({ due, now }: Deps, item: Due): Promise<boolean> =>
  Boolean(await due.moveBack(item, now()));

/** Moves a schedule back to its next time from now, if it waits for a later one. */
const moveScheduleBack = async ({ schedules, now }: Deps, due: Due): Promise<boolean> => {
  const schedule = await schedules.read(due);
  if (!schedule) return false;
  const next = nextTime(schedule.every, new Date(schedule.createdAt), now());
  return due.dueAt > next.toISOString() && Boolean(await schedules.moveOn(schedule, next));
};
