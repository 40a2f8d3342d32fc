import { type EventPart, type EventTimes, eventParts, msOf } from '../../../shared/interactions/event-parts.ts';
import type { ThreadWaits, Waits } from '../cpu-waits.ts';
import type { TimedEvent, TraceEvent } from './trace.ts';
import { waitedBetween } from './waits.ts';

/** The time of an interaction until its paint, and the event with its longest handlers. Times are in milliseconds. */
export type LongestEvent = EventTimes & {
  type: string;
  /** Time of the event on the page's own clock. */
  timeStamp: number;
  /** Time in which the main thread waited for a CPU. No part has it. */
  waited: number;
};

/** The thread of an event, and the parts of its time, in microseconds of the trace. */
export type EventWindow = Pick<TraceEvent, 'pid' | 'tid'> & {
  parts: { name: EventPart; fromUs: number; toUs: number }[];
};
export type PaintedEvent = { event: LongestEvent; window: EventWindow };

/**
 * Returns the event that decides the INP of a trace: the longest interaction, or the one at the 98th percentile from fifty
 * interactions on. The time in which the page's main thread waited for a CPU is removed.
 */
export const longestEvent = (events: readonly TraceEvent[], waits: Waits | undefined): PaintedEvent | undefined => {
  const timed = events.filter(isTimed);
  const interactions = Map.groupBy(timed, ({ pid, args }) => `${pid}:${args.data.interactionId}`);
  const longest = [...interactions.values()]
    .map(longestOf(new Map(waits?.pages)))
    .toSorted((a, b) => msOf(b.event) - msOf(a.event));
  return longest[Math.min(9, Math.floor(longest.length / 50))]; // Chrome keeps the ten longest ones
};

type Timed = TraceEvent & { args: { data: TimedEvent } };
const isTimed = (event: TraceEvent): event is Timed =>
  event.name === 'EventTiming' && event.ph === 'b' && (event.args.data?.interactionId ?? 0) > 0;

const endOf = ({ timeStamp, duration }: TimedEvent): number => timeStamp + duration;

/**
 * Returns the time of one interaction: that of its event with the longest duration. The handlers of all its events before
 * the same paint are its processing, and the event with the longest ones gives it its name.
 */
const longestOf =
  (pages: ReadonlyMap<number, ThreadWaits>) =>
  (events: readonly Timed[]): PaintedEvent => {
    const [longest] = events.toSorted((a, b) => b.args.data.duration - a.args.data.duration) as [Timed];
    const { timeStamp, duration } = longest.args.data;
    const end = endOf(longest.args.data);
    const painted = events.map(({ args }) => args.data).filter((each) => Math.abs(endOf(each) - end) < SAME_PAINT_MS);
    const handled = (each: TimedEvent) => each.processingEnd - each.processingStart;
    const [named] = painted.toSorted((a, b) => handled(b) - handled(a)) as [TimedEvent];
    const from = Math.min(end, ...painted.map(({ processingStart }) => processingStart));
    const to = Math.min(end, Math.max(...painted.map(({ processingEnd }) => processingEnd)));

    const { pid, tid, ts } = longest;
    const bounds = [timeStamp, from, to, end].map((ms) => ts + (ms - timeStamp) * 1000);
    const parts = eventParts.map((name, i) => ({ name, fromUs: bounds[i] as number, toUs: bounds[i + 1] as number }));
    const waits = pages.get(pid ?? 0) ?? [];
    const ranMs = ({ fromUs, toUs }: (typeof parts)[number]) =>
      Math.max(0, toUs - fromUs - waitedBetween(waits, fromUs, toUs)) / 1000;
    const ran = Object.fromEntries(parts.map((part) => [part.name, ranMs(part)])) as EventTimes;
    const event = { type: named.type, timeStamp: named.timeStamp, ...ran, waited: duration - msOf(ran) };
    return { event, window: { pid, tid, parts } };
  };

/** Largest difference of two events with the same paint, in milliseconds. */
const SAME_PAINT_MS = 1;
