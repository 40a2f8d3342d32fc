import { type MetricName, metricNames, pageMetric } from '../metrics/page-metrics.ts';
import type { Sample } from '../metrics/page-metrics-schemas.ts';
import { recordOf } from '../record.ts';
import { changeOf } from './change.ts';
import { differencesOf, distinct, measuredOn } from './comparable.ts';
import type { RegionComparison } from './schemas.ts';
import {
  type ComparedCheck,
  type ComparedRun,
  changeView,
  checksOf,
  driftingBy,
  hasSucceeded,
  noChange,
  ownReasons,
  reason,
  shown,
  sideOf,
  valuesOf,
} from './sides.ts';
import { isSpoiledBy } from './spoils.ts';
import { steadyRule, steadySides } from './steady.ts';
import { hasOtherSpeed } from './work.ts';

/** Compares the regions of a finished check. Returns undefined if fewer than two of its runs succeeded. */
export const compareRegions = ({ id, runs }: Pick<ComparedCheck, 'id' | 'runs'>): RegionComparison | undefined => {
  const succeeded = runs.filter(hasSucceeded);
  const [first, ...others] = succeeded;
  if (!first || others.length === 0) return undefined;
  const against = others.map((run) => ({ run, ...betweenPlaces(first, run) }));
  const reasons = [
    ...runs.filter((run) => !hasSucceeded(run)).map(({ region }) => reason('failed', region)),
    ...succeeded.flatMap((run) => ownReasons(sideOf(run))),
    ...against.filter(({ isOther }) => isOther).map(({ run }) => reason('different-machine', run.region)),
    ...others.filter((run) => haveOtherSpeed(first, run)).map(({ region }) => reason('other-speed', region)),
  ];
  const differences = distinct(against.flatMap((each) => each.differences));
  return {
    checkId: id,
    baseCheckId: null,
    regions: succeeded.map(({ region }) => region),
    metrics: recordOf(metricNames, (name) => compareValues(name, succeeded)),
    comparable: reasons.length + differences.length === 0,
    reasons,
    differences,
  };
};

/**
 * Returns what differs between the runs of a check besides the place. Their inputs are the same. A difference of the times
 * depends on the place only if both machines are known and of one kind.
 */
const betweenPlaces = (a: ComparedRun, b: ComparedRun) => {
  const [before, after] = [measuredOn(a.environment), measuredOn(b.environment)];
  const inputs = { url: '', auditVersion: '' };
  return {
    isOther: before.host === null || before.host !== after.host,
    differences: differencesOf({ ...inputs, ...before }, { ...inputs, ...after }),
  };
};

const compareValues = (name: MetricName, runs: readonly ComparedRun[]) => {
  const metric = pageMetric(name);
  const values = Object.fromEntries(runs.map((run) => [run.region, shown(metric.kind, run[name])]));
  const known = runs.filter((run) => run[name] !== null).sort((a, b) => rank(name, a) - rank(name, b));
  const [best, worst] = [known[0], known.at(-1)];
  if (!best || !worst || best === worst) {
    return { values, best: null, worst: null, ...noChange };
  }
  const pairs = (known.length * (known.length - 1)) / 2;
  const steady = metric.steady && steadySides({ before: [best.samples], after: [worst.samples] });
  const checksIn = (side: readonly (readonly Sample[])[]) => side.map((samples) => valuesOf(name, samples));
  const [rule, before, after] = steady
    ? [steadyRule(metric, steady), checksIn(steady.before), checksIn(steady.after)]
    : [metric, checksOf(name, sideOf(best)), checksOf(name, sideOf(worst))];
  const change = changeOf(rule, before, after, { pairs, page: driftingBy(sideOf(best), sideOf(worst)) });
  const { isOther, differences } = betweenPlaces(best, worst);
  const reasons = [...ownReasons(sideOf(best)), ...ownReasons(sideOf(worst)), ...differences].map(({ code }) => code);
  const codes = [
    ...reasons,
    ...(isOther ? ['different-machine'] : []),
    ...(haveOtherSpeed(best, worst) ? ['other-speed'] : []),
  ];
  const isSpoiled = metric.unjudged === true || codes.some((code) => isSpoiledBy(name, code));
  const { direction } = change;
  const verdict = direction === 'higher' || direction === 'lower' ? ('different' as const) : direction;
  const equal = best[name] === worst[name];
  return {
    values,
    best: equal ? null : best.region,
    worst: equal ? null : worst.region,
    ...changeView(metric, change, isSpoiled),
    verdict: isSpoiled ? ('unknown' as const) : verdict,
  };
};

const haveOtherSpeed = (a: ComparedRun, b: ComparedRun): boolean =>
  hasOtherSpeed({ before: a.samples, after: b.samples });

/** Orders runs from the best value to the worst. */
const rank = (name: MetricName, run: ComparedRun): number =>
  (pageMetric(name).better === 'higher' ? -1 : 1) * (run[name] ?? 0);
