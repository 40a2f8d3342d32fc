import type { InteractionScript } from '../../../shared/interactions/interactions-schemas.ts';
import { cutText } from '../../../shared/text.ts';
import type { LongestEvent } from './event-timing.ts';
import type { TraceEvent } from './trace.ts';

/** Most scripts that an event names, and their most characters. */
const MAX_SCRIPTS = 5;
const MAX_URL = 500;
const MAX_FUNCTION = 100;
/** Largest difference of two events of an interaction with the same paint, in milliseconds. Chrome rounds durations to it. */
const SAME_PAINT_MS = 8;

/** A function that the browser called, or a script that it evaluated. */
type Call = TraceEvent & { dur: number };
const isCall = (event: TraceEvent): event is Call =>
  (event.name === 'FunctionCall' || event.name === 'EvaluateScript') && event.ph === 'X' && event.dur !== undefined;

/**
 * Returns the scripts that ran between an event and its paint, the longest first. The times are those of the CPU, so that waits
 * for it are no part of them. A function that another one calls belongs to that one.
 */
export const scriptsOf = (
  events: readonly TraceEvent[],
  { type, timeStamp }: Pick<LongestEvent, 'type' | 'timeStamp'>,
): InteractionScript[] => {
  const window = windowOf(events, type, timeStamp);
  if (!window) return [];
  const scripts = new Map<string, InteractionScript>();
  for (const { ts, dur, tdur = dur, args } of outermostCalls(events, window)) {
    const { url = '', functionName = '' } = args.data ?? {};
    if (url === '') continue; // a part of the browser, or the service's own observers
    const key = JSON.stringify([url, functionName]);
    const script = scripts.get(key) ?? {
      url: cutText(url, MAX_URL),
      function: cutText(functionName, MAX_FUNCTION) || null,
      ...{ inputDelay: 0, processing: 0, presentation: 0 },
    };
    for (const [part, from, to] of window.parts) {
      const share = Math.max(0, Math.min(to, ts + dur) - Math.max(from, ts)) / Math.max(1, dur);
      script[part] += (share * tdur) / 1000;
    }
    scripts.set(key, script);
  }
  return [...scripts.values()].toSorted((a, b) => msOf(b) - msOf(a)).slice(0, MAX_SCRIPTS);
};

const msOf = ({ inputDelay, processing, presentation }: InteractionScript): number =>
  inputDelay + processing + presentation;

/** The thread of an event, and the parts of its time until the next paint, in microseconds of the trace. */
type Window = Pick<TraceEvent, 'pid' | 'tid'> & {
  parts: [part: 'inputDelay' | 'processing' | 'presentation', fromUs: number, toUs: number][];
};

/** Returns the time from the first event of an interaction to its paint. */
const windowOf = (events: readonly TraceEvent[], type: string, timeStamp: number): Window | undefined => {
  const timed = events.flatMap(({ name, ph, pid, tid, ts, args: { data } }) =>
    name === 'EventTiming' && ph === 'b' && data?.duration !== undefined
      ? [{ pid, tid, ts, ...data, timeStamp: data.timeStamp ?? 0, end: (data.timeStamp ?? 0) + data.duration }]
      : [],
  );
  const named = timed.find((each) => each.type === type && each.timeStamp === timeStamp);
  if (!named) return undefined;
  const { pid, tid, interactionId, ts } = named;
  const same = timed.filter(
    (each) =>
      each.pid === pid && each.interactionId === interactionId && Math.abs(each.end - named.end) < SAME_PAINT_MS,
  );
  const usOf = (ms: number) => ts + (ms - timeStamp) * 1000;
  const [start, end] = [Math.min(...same.map((each) => each.timeStamp)), Math.max(...same.map((each) => each.end))];
  const from = Math.min(end, ...same.map(({ processingStart = end }) => processingStart));
  const to = Math.min(end, Math.max(...same.map(({ processingEnd = end }) => processingEnd)));
  const [a, b, c, d] = [start, from, to, end].map(usOf) as [number, number, number, number];
  return {
    pid,
    tid,
    parts: [
      ['inputDelay', a, b],
      ['processing', b, c],
      ['presentation', c, d],
    ],
  };
};

/** Returns the calls of a thread in a window that no other call contains. */
const outermostCalls = (events: readonly TraceEvent[], { pid, tid, parts }: Window): Call[] => {
  const [fromUs, toUs] = [parts[0]?.[1] ?? 0, parts.at(-1)?.[2] ?? 0];
  const calls = events
    .filter(isCall)
    .filter((event) => event.pid === pid && event.tid === tid && event.ts < toUs && event.ts + event.dur > fromUs)
    .toSorted((a, b) => a.ts - b.ts || b.dur - a.dur);
  let endUs = 0;
  return calls.filter(({ ts, dur }) => {
    if (ts < endUs) return false;
    endUs = ts + dur;
    return true;
  });
};
