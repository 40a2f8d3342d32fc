import type { NearScript, SteadyLoad, SteadyTimes } from '../../../../shared/metrics/steady-load.ts';
import { recordOf } from '../../../../shared/record.ts';
import type { TraceEvent } from '../trace.ts';
import { withModules } from './modules.ts';
import { type NamedBy, nameOfScript } from './script-name.ts';
import { mainTasksOf, splitLayouts } from './split-layouts.ts';
import { workOf } from './work.ts';

/** Most simulations of moved paints: of the first one, and of the largest one. */
const MOVES = 4;
/** Most named scripts that began before a paint. */
const NAMED = 16;

/** Returns the times of a load with these events. Undefined if Lighthouse can't simulate them. */
type Simulate = (events: TraceEvent[]) => Promise<SteadyTimes | undefined>;

/**
 * Simulates a load with its layouts split from their tasks, and for each place that a paint could have had among the scripts
 * around it: Lighthouse's graph of a paint holds what began before the paint. Returns undefined if a simulation fails.
 */
export const steadyLoadOf = async (
  recorded: readonly TraceEvent[],
  { device, ...by }: NamedBy & { device: SteadyLoad['device'] },
  simulate: Simulate,
): Promise<SteadyLoad | undefined> => {
  const split = splitLayouts(recorded);
  const events = withModules(split);
  const paints = paintsOf(events);
  const own = paints && (await simulate(events));
  if (!own) return undefined;
  const evaluated = evaluatedScripts(split, by);
  const before = evaluated.filter(({ taskTs }) => taskTs <= paints.fcp.ts).slice(-NAMED);
  const between = evaluated.filter(({ taskTs }) => taskTs > paints.fcp.ts && taskTs <= paints.lcp.ts).slice(-NAMED);
  const later = evaluated.filter(({ taskTs }) => taskTs > paints.lcp.ts).slice(0, MOVES);
  const scripts: NearScript[] = [];
  for (const { name, taskTs } of before) {
    const isMoved = before.length - scripts.length <= MOVES;
    const moved = isMoved ? await simulate(withPaint(events, firstPaint, paints.fcp, taskTs - 1)) : undefined;
    scripts.push({ name, began: 'beforeFcp', ...(moved && { moved: rounded(moved) }) });
  }
  for (const { name } of between) scripts.push({ name, began: 'beforeLcp' });
  const last = [...before, ...between].at(-1);
  const atLast = last && (await simulate(withPaint(events, largestPaint, paints.lcp, last.evaluateTs + 1)));
  if (atLast) scripts.push({ ...(scripts.pop() as NearScript), lcpAt: rounded(atLast).lcp });
  for (const { name, evaluateTs } of later) {
    const moved = await simulate(withPaint(events, largestPaint, paints.lcp, evaluateTs + 1));
    scripts.push({ name, began: 'later', ...(moved && { moved: rounded(moved) }) });
  }
  return { device, ...rounded(own), scripts, work: workOf(recorded, by) };
};

/** Returns times in tenths of a millisecond. */
const rounded = (times: SteadyTimes): SteadyTimes =>
  recordOf(['fcp', 'lcp', 'tbt'], (name) => Math.round(times[name] * 10) / 10);

const firstPaint = /^first(?:Contentful)?Paint$/;
const largestPaint = /^largestContentfulPaint::Candidate$/;

/** Returns the first contentful paint of the last document of the main frame, and its largest one. */
const paintsOf = (events: readonly TraceEvent[]): { fcp: TraceEvent; lcp: TraceEvent } | undefined => {
  const candidates = events.filter(({ name, args }) => largestPaint.test(name) && args.data?.isOutermostMainFrame);
  const lcp = candidates.toSorted((a, b) => a.ts - b.ts).at(-1);
  const navigation = lcp?.args.data?.navigationId;
  const fcp = events.find(
    ({ name, args }) => name === 'firstContentfulPaint' && args.data?.navigationId === navigation,
  );
  return lcp && fcp && { fcp, lcp };
};

/** Returns the events with a paint at another time. Other events of it have its time too. */
const withPaint = (events: readonly TraceEvent[], names: RegExp, paint: TraceEvent, ts: number): TraceEvent[] =>
  events.map((event) => (event.ts === paint.ts && names.test(event.name) ? { ...event, ts } : event));

/** Returns the scripts of the main thread by their first evaluation: names, and when their tasks and evaluations began. */
const evaluatedScripts = (events: readonly TraceEvent[], by: NamedBy) => {
  const found = new Map<string, { name: string; taskTs: number; evaluateTs: number }>();
  const counts = { inline: 0, module: 0 };
  for (const { task, events: all } of mainTasksOf(events)) {
    for (const { name: kind, ts, args } of all) {
      const name = scriptOf(kind, args.data?.url, by, counts);
      if (name && !found.has(name)) found.set(name, { name, taskTs: task.ts, evaluateTs: ts });
    }
  }
  return [...found.values()];
};

/** Returns the name of an evaluated script. The trace has no address of a module, so it has a number, as an inline script has. */
const scriptOf = (
  event: string,
  url: string | undefined,
  by: NamedBy,
  counts: { inline: number; module: number },
): string | undefined => {
  if (event === 'v8.evaluateModule') return `module ${++counts.module}`;
  if (event !== 'EvaluateScript' || !url || url.startsWith('_')) return undefined; // of Lighthouse
  return url === by.documentUrl ? `inline ${++counts.inline}` : nameOfScript(url, by);
};
