import { mainThreadOf, threadOf } from '../threads.ts';
import type { TraceEvent } from '../trace.ts';

/** An event with a duration. */
type Span = TraceEvent & { dur: number };
/** A task of the main thread, and the events in it. */
export type MainTask = { task: Span; events: TraceEvent[] };

const isSpan = (event: TraceEvent): event is Span => event.ph === 'X' && event.dur !== undefined;

/** Returns the tasks of the page's main thread, in order. */
export const mainTasksOf = (events: readonly TraceEvent[]): MainTask[] => {
  const main = mainThreadOf(events);
  const ofMain = events.filter((event) => event.ts > 0 && threadOf(event) === main);
  const tasks: MainTask[] = [];
  for (const event of ofMain.sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))) {
    const last = tasks.at(-1);
    const isInside = last !== undefined && event.ts < last.task.ts + last.task.dur;
    if (isInside) last.events.push(event);
    else if (event.name === 'RunTask' && isSpan(event)) tasks.push({ task: event, events: [] });
  }
  return tasks;
};

/** Shortest rest of a task whose layouts are split from it, in microseconds. */
const MIN_REST_US = 1000;

/**
 * Makes the layouts of a task a task of their own at its end. Lighthouse's simulation slows a task by 4, but by 2 if any layout
 * lies in it, however short. A task that is mostly layout stays as it is.
 */
export const splitLayouts = (events: readonly TraceEvent[]): TraceEvent[] => {
  const replaced = new Map<TraceEvent, TraceEvent[]>();
  for (const task of mainTasksOf(events)) {
    const layouts = task.events.filter((event) => event.name === 'Layout').filter(isSpan);
    const sum = layouts.reduce((all, { dur }) => all + dur, 0);
    const length = Math.max(2 * layouts.length, Math.round(sum)) + 2;
    const isSplit = layouts.length > 0 && sum <= task.task.dur / 2 && task.task.dur - length >= MIN_REST_US;
    if (isSplit) for (const [event, by] of splitTask(task, length)) replaced.set(event, by);
  }
  return events.flatMap((event) => replaced.get(event) ?? [event]);
};

/** Returns what replaces a task and its events, if its layouts become a task of this length. */
const splitTask = ({ task, events }: MainTask, length: number): [TraceEvent, TraceEvent[]][] => {
  const end = task.ts + task.dur;
  const cut = end - length;
  let at = cut + 1;
  const moved = (event: TraceEvent): TraceEvent => {
    if (event.name === 'Layout') {
      const ts = at;
      at += event.dur ?? 1;
      return { ...event, ts, ...(isSpan(event) && { dur: Math.max(0, Math.min(event.dur, end - ts - 1)) }) };
    }
    if (event.ts >= cut - 1) return { ...event, ts: cut - 2, ...(isSpan(event) && { dur: 1 }) };
    return isSpan(event) && event.ts + event.dur >= cut ? { ...event, dur: cut - 2 - event.ts } : event;
  };
  return [
    [
      task,
      [
        { ...task, dur: task.dur - length - 1 },
        { ...task, ts: cut, dur: length, tdur: length - 2 },
      ],
    ],
    ...events.map((event): [TraceEvent, TraceEvent[]] => [event, [moved(event)]]),
  ];
};
