import { type MetricName, metricNames, pageMetric } from '../page-metrics.ts';
import { recordOf } from '../record.ts';
import { changeOf } from './change.ts';
import type { MeasuredOn } from './comparable.ts';
import type { Reason, RegionComparison } from './schemas.ts';
import {
  type ComparedCheck,
  type ComparedRun,
  changeView,
  checksOf,
  differentMachine,
  hasSucceeded,
  isSpoiledBy,
  measuredOn,
  noChange,
  ownReasons,
  reason,
  shown,
  sideOf,
  tbtOf,
} from './sides.ts';

/** Compares the regions of a finished check. Returns undefined if fewer than two of its runs succeeded. */
export const compareRegions = ({ id, runs }: Pick<ComparedCheck, 'id' | 'runs'>): RegionComparison | undefined => {
  const succeeded = runs.filter(hasSucceeded);
  const [first, ...others] = succeeded;
  if (!first || others.length === 0) return undefined;
  const reasons = [
    ...runs.filter((run) => !hasSucceeded(run)).map(({ region }) => reason('failed', region)),
    ...succeeded.flatMap((run) => ownReasons(sideOf(run))),
    ...others.filter((run) => !areEquallyFast(measuredOn(first), measuredOn(run))).map(differentMachine),
  ];
  return {
    checkId: id,
    baseCheckId: null,
    regions: succeeded.map(({ region }) => region),
    metrics: recordOf(metricNames, (name) => compareValues(name, succeeded, reasons)),
    comparable: reasons.length === 0,
    reasons,
    differences: [], // the runs of a check have the same inputs
  };
};

/** Machines are equally fast if both speeds are known, and no benchmark index is more than a tenth higher. */
const MAX_RATIO = 1.1;

/** Returns true if a difference of the times can't come from the machines, so that it depends on the place. */
const areEquallyFast = ({ benchmarkIndex: a }: MeasuredOn, { benchmarkIndex: b }: MeasuredOn): boolean =>
  a !== null && b !== null && Math.max(a, b) <= MAX_RATIO * Math.min(a, b);

const compareValues = (name: MetricName, runs: readonly ComparedRun[], reasons: readonly Reason[]) => {
  const values = Object.fromEntries(runs.map((run) => [run.region, shown(name, run[name])]));
  const known = runs.filter((run) => run[name] !== null).sort((a, b) => rank(name, a) - rank(name, b));
  const [best, worst] = [known[0], known.at(-1)];
  if (!best || !worst || best === worst) {
    return { values, best: null, worst: null, ...noChange };
  }
  const pairs = (known.length * (known.length - 1)) / 2;
  const sides = [checksOf(name, sideOf(best)), checksOf(name, sideOf(worst))] as const;
  const change = changeOf(pageMetric(name), ...sides, { pairs, tbt: tbtOf(sideOf(best), sideOf(worst)) });
  const isSpoiled = isSpoiledBy(name, [best.region, worst.region], reasons);
  const { direction } = change;
  const verdict = direction === 'higher' || direction === 'lower' ? ('different' as const) : direction;
  const equal = best[name] === worst[name];
  return {
    values,
    best: equal ? null : best.region,
    worst: equal ? null : worst.region,
    ...changeView(name, change, isSpoiled),
    verdict: isSpoiled ? ('unknown' as const) : verdict,
  };
};

/** Orders runs from the best value to the worst. */
const rank = (name: MetricName, run: ComparedRun): number =>
  (pageMetric(name).better === 'higher' ? -1 : 1) * (run[name] ?? 0);
