import type { ThreadWaits, Waits } from '../cpu-waits.ts';
import type { TimedEvent, TraceEvent } from './trace.ts';
import { waitBetween } from './waits.ts';

/** The event of an interaction with the longest time to the next paint. Times are in milliseconds. */
export type LongestEvent = {
  type: string;
  /** Time of the event on the page's own clock. */
  timeStamp: number;
  inputDelay: number;
  processing: number;
  presentation: number;
};

/**
 * Returns the event that decides the INP of a trace: the longest interaction, or the one at the 98th percentile from fifty
 * interactions on. The time in which the page's main thread waited for a CPU is removed.
 */
export const longestEvent = (events: readonly TraceEvent[], waits: Waits | undefined): LongestEvent | undefined => {
  const timed = events.filter(isTimed);
  const interactions = Map.groupBy(timed, ({ pid, args }) => `${pid}:${args.data?.interactionId}`);
  const longest = [...interactions.values()]
    .map(longestOf(new Map(waits?.pages)))
    .toSorted((a, b) => msOf(b) - msOf(a));
  return longest[Math.min(9, Math.floor(longest.length / 50))]; // Chrome keeps the ten longest ones
};

export const msOf = ({ inputDelay, processing, presentation }: LongestEvent): number =>
  inputDelay + processing + presentation;

type Timed = TraceEvent & { args: { data: TimedEvent } };
const isTimed = ({ name, ph, args }: TraceEvent): boolean =>
  name === 'EventTiming' && ph === 'b' && (args.data?.interactionId ?? 0) > 0;

/** Returns the longest event of one interaction. Of events with the same paint, it is the one with the longest handlers. */
const longestOf =
  (pages: ReadonlyMap<number, ThreadWaits>) =>
  (events: readonly TraceEvent[]): LongestEvent => {
    const most = Math.max(...(events as Timed[]).map(({ args }) => args.data.duration));
    const handled = ({ args: { data } }: Timed) => data.processingEnd - data.processingStart;
    const [event] = (events as Timed[])
      .filter(({ args }) => most - args.data.duration < SAME_PAINT_MS)
      .toSorted((a, b) => handled(b) - handled(a)) as [Timed];
    return partsOf(event, pages.get(event.pid ?? 0) ?? []);
  };

/** Difference of two events with the same paint, in milliseconds. Chrome rounds durations to it. */
const SAME_PAINT_MS = 8;

const partsOf = ({ ts, args: { data } }: Timed, waits: ThreadWaits): LongestEvent => {
  const { timeStamp, duration, type } = data;
  const end = timeStamp + duration;
  const [start, handled] = [data.processingStart, data.processingEnd].map((ms) => Math.min(ms, end)) as [
    number,
    number,
  ];
  const usOf = (ms: number) => ts + (ms - timeStamp) * 1000;
  const part = (from: number, to: number) => Math.max(0, to - from - waitBetween(waits, usOf(from), usOf(to)) / 1000);
  return {
    ...{ type, timeStamp },
    inputDelay: part(timeStamp, start),
    processing: part(start, handled),
    presentation: part(handled, end),
  };
};
