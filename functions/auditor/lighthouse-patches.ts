/** The parts of a trace event that are read here: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU */
export type TraceEvent = {
  name: string;
  ts: number;
  args: { data?: { navigationId?: string; isOutermostMainFrame?: boolean } };
};

const MEANINGFUL = /^firstMeaningfulPaint(Candidate)?$/;

/**
 * First meaningful paints that a trace lacks. Lighthouse before 12 has no TTI and no TBT without one, and Chromium tells of
 * none where most of the text comes into view after the network is at rest: where a font is late, or the machine is slow.
 * The largest contentful paint stands in, from which Lighthouse takes TTI since 12.
 */
export const missingMeaningfulPaints = <Event extends TraceEvent>(events: readonly Event[]): Event[] => {
  const told = new Set<string | undefined>();
  const largest = new Map<string, Event>();
  for (const event of events) {
    const { navigationId, isOutermostMainFrame } = event.args?.data ?? {};
    if (MEANINGFUL.test(event.name)) told.add(navigationId);
    if (event.name !== 'largestContentfulPaint::Candidate' || !isOutermostMainFrame || !navigationId) continue;
    if (event.ts > (largest.get(navigationId)?.ts ?? 0)) largest.set(navigationId, event);
  }
  return [...largest]
    .filter(([navigationId]) => !told.has(navigationId))
    .map(([, event]) => ({ ...event, name: 'firstMeaningfulPaintCandidate' }));
};
