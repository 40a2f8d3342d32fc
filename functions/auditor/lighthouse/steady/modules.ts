import { mainThreadOf, threadOf } from '../threads.ts';
import type { TraceEvent } from '../trace.ts';

/**
 * Adds the addresses of modules to their evaluation, which runs all modules that are complete. Without them, Lighthouse takes a
 * module for one that blocks a paint if its download ended before it, even if the module ran later.
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
