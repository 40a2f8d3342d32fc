import { msOf } from '../../../shared/interactions/event-parts.ts';
import type { InteractionScript } from '../../../shared/interactions/interactions-schemas.ts';
import { cutText } from '../../../shared/text.ts';
import type { EventWindow } from './event-timing.ts';
import type { TraceEvent } from './trace.ts';

/** Most scripts that an event names, and their most characters. */
const MAX_SCRIPTS = 5;
const MAX_URL = 500;
const MAX_FUNCTION = 100;

/** A function that the browser called, or a script that it evaluated. */
type Call = TraceEvent & { dur: number };
const isCall = (event: TraceEvent): event is Call =>
  (event.name === 'FunctionCall' || event.name === 'EvaluateScript') && event.ph === 'X' && event.dur !== undefined;

/**
 * Returns the scripts that ran between an event and its paint, the longest first. The times are those of the CPU, so that waits
 * for it are no part of them. A function that another one calls belongs to that one.
 */
export const scriptsOf = (events: readonly TraceEvent[], window: EventWindow): InteractionScript[] => {
  const scripts = new Map<string, InteractionScript>();
  for (const { ts, dur, tdur = dur, args } of outermostCalls(events, window)) {
    const { url = '', functionName = '' } = args.data ?? {};
    if (url === '') continue; // a part of the browser, or the service's own observers
    const key = JSON.stringify([url, functionName]);
    const script = scripts.get(key) ?? {
      url: cutText(url, MAX_URL),
      function: cutText(functionName, MAX_FUNCTION) || null,
      inputDelay: 0,
      processing: 0,
      presentation: 0,
    };
    for (const { name, fromUs, toUs } of window.parts) {
      const share = Math.max(0, Math.min(toUs, ts + dur) - Math.max(fromUs, ts)) / Math.max(1, dur);
      script[name] += (share * tdur) / 1000;
    }
    scripts.set(key, script);
  }
  return [...scripts.values()].toSorted((a, b) => msOf(b) - msOf(a)).slice(0, MAX_SCRIPTS);
};

/** Returns the calls of a thread in a window that no other call contains. */
const outermostCalls = (events: readonly TraceEvent[], { pid, tid, parts }: EventWindow): Call[] => {
  const [fromUs, toUs] = [parts[0]?.fromUs ?? 0, parts.at(-1)?.toUs ?? 0];
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
