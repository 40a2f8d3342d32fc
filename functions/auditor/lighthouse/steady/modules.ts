import { mainThreadOf, threadOf } from '../threads.ts';
import type { TraceEvent } from '../trace.ts';

/**
 * Adds the addresses of modules to their evaluation. The trace has none, so Lighthouse's simulation takes each module whose
 * download ended before a paint for one that blocks the paint, even if it ran later. One evaluation runs all modules that are
 * complete.
 */
export const withModules = (events: readonly TraceEvent[]): TraceEvent[] => {
  const main = mainThreadOf(events);
  const evaluations = events
    .filter((event) => event.name === 'v8.evaluateModule' && threadOf(event) === main)
    .sort((a, b) => a.ts - b.ts);
  if (evaluations.length === 0) return [...events];
  const evaluated = new Set(events.filter(({ name }) => name === 'EvaluateScript').map(({ args }) => args.data?.url));
  const ends = new Map(
    events.filter(({ name }) => name === 'ResourceFinish').map(({ args, ts }) => [args.data?.requestId, ts]),
  );
  const added = events.flatMap(({ name, args: { data } }) => {
    if (name !== 'ResourceSendRequest' || data?.resourceType !== 'Script' || evaluated.has(data.url)) return [];
    const end = ends.get(data.requestId) ?? Number.POSITIVE_INFINITY;
    const evaluation = evaluations.find(({ ts }) => ts >= end);
    return evaluation ? [{ ...evaluation, name: 'EvaluateScript', args: { data: { url: data.url } } }] : [];
  });
  return [...events, ...added];
};
