import type { AssertionResult } from '../assertions/assertions.ts';
import { type Category, categoriesOf, options } from '../audit-options.ts';
import type { AuditVersion } from '../audit-versions.ts';
import type { Region } from '../name-schemas.ts';
import { type MetricName, metricNames, noMetrics, pageMetric } from '../page-metrics.ts';
import { metricsView, type Sample } from '../page-metrics-schemas.ts';
import { recordOf } from '../record.ts';
import { type Change, changeOf, MIN_SAMPLES } from './change.ts';
import { type AuditedAs, type DifferenceCode, differencesOf, isOtherMachine, type MeasuredOn } from './comparable.ts';
import { newlyFailed } from './newly-failed.ts';
import type { CheckComparison, Reason, ReasonCode, RegionComparison, Value, Verdict } from './schemas.ts';
import { medianOf } from './shift.ts';

/** A finished run, as far as a comparison needs it. */
export type ComparedRun = Omit<Sample, keyof MeasuredOn | 'cpuBusy'> & {
  region: Region;
  state: string;
  samples: readonly Sample[];
  environment: MeasuredOn | null;
  assertions?: readonly AssertionResult[] | null;
};

/** A finished check with the inputs that decide whether its results can be compared. */
export type ComparedCheck = Omit<AuditedAs, 'categories'> & {
  id: string;
  auditVersion: AuditVersion;
  categories?: Category[] | undefined;
  runs: readonly ComparedRun[];
};

/** Compares the regions of a finished check. Returns undefined if fewer than two of its runs succeeded. */
export const compareRegions = ({ id, runs }: Pick<ComparedCheck, 'id' | 'runs'>): RegionComparison | undefined => {
  const succeeded = runs.filter(hasSucceeded);
  const [first, ...others] = succeeded;
  if (!first || others.length === 0) return undefined;
  const reasons = [
    ...runs.filter((run) => !hasSucceeded(run)).map(({ region }) => reason('failed', region)),
    ...succeeded.flatMap((run) => ownReasons(sideOf(run))),
    ...others.filter((run) => isOtherMachine(measuredOn(first), measuredOn(run))).map(differentMachine),
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

type Options = {
  /** Differences that were meant. They are no reason against verdicts. */
  intended?: readonly DifferenceCode[];
  /** Further checks whose samples join those of the base, if they can be compared with it. */
  pool?: readonly ComparedCheck[];
  /** True if one host audited both sides in turns. Its benchmarks then say nothing about the difference. */
  isOneHost?: boolean;
};

/** Compares a finished check with an earlier one. Returns undefined if no region succeeded in both. */
export const compareChecks = (
  base: ComparedCheck,
  check: ComparedCheck,
  { intended = [], pool = [], isOneHost = false }: Options = {},
): CheckComparison | undefined => {
  const runOf = (runs: readonly ComparedRun[], region: Region) => runs.find((run) => run.region === region);
  const all = [...new Set([...check.runs, ...base.runs].map(({ region }) => region))];
  const sides = all.map((region) => ({ region, before: runOf(base.runs, region), after: runOf(check.runs, region) }));
  const pairs = sides.flatMap(({ region, before, after }) =>
    hasSucceeded(before) && hasSucceeded(after)
      ? [{ region, before: sideOf(before, pooledRuns(base, before, pool)), after: sideOf(after) }]
      : [],
  );
  if (pairs.length === 0) return undefined;
  const differences = differencesOf(auditedAs(base), auditedAs(check));
  const others = differences.map(({ code }) => code).filter((code) => !intended.includes(code));
  const reasons = [
    ...sides
      .filter(({ before, after }) => !hasSucceeded(before) || !hasSucceeded(after))
      .map(({ region, before, after }) => reason(before && after ? 'failed' : 'missing-region', region)),
    ...pairs.flatMap(reasonsOfPair).filter(({ code }) => !isOneHost || code !== 'different-machine'),
  ];
  const pooled = pool.filter((each) =>
    pairs.some(({ before }) => each.runs.some((run) => before.pooled.includes(run))),
  );
  return {
    checkId: check.id,
    baseCheckId: base.id,
    pooledCheckIds: pooled.map(({ id }) => id),
    regions: pairs.map(({ region }) => region),
    metrics: recordOf(metricNames, (name) => comparePairs(name, pairs, { reasons, differences: others })),
    comparable: reasons.length + others.length === 0,
    reasons,
    differences,
    newlyFailed: newlyFailed(pairs),
  };
};

/** Returns true if a run of the check can join the runs of the base. */
export const canPool = (base: ComparedCheck, check: ComparedCheck): boolean =>
  base.runs.some((run) => pooledRuns(base, run, [check]).length > 0);

/** Returns true if nobody has changed an input between two checks. */
export const haveSameInputs = (base: ComparedCheck, check: ComparedCheck): boolean =>
  differencesOf(auditedAs(base), auditedAs(check)).length === 0;

/** Returns the runs of other checks that are comparable with a run of the base. */
const pooledRuns = (base: ComparedCheck, run: ComparedRun, pool: readonly ComparedCheck[]): ComparedRun[] =>
  pool
    .filter((each) => haveSameInputs(base, each))
    .flatMap(({ runs }) => runs)
    .filter((other) => hasSucceeded(other) && other.region === run.region && !other.environment?.contended)
    .filter((other) => !isOtherMachine(measuredOn(run), measuredOn(other)));

const auditedAs = (check: ComparedCheck): AuditedAs => ({
  ...check,
  categories: categoriesOf(check.auditVersion, check),
});

/** A run that is compared, and the samples that count: its own and those of the runs that are pooled with it. */
type Side = { run: ComparedRun; pooled: readonly ComparedRun[]; samples: readonly Sample[] };
type Pair = { region: Region; before: Side; after: Side };

const sideOf = (run: ComparedRun, pooled: readonly ComparedRun[] = []): Side => ({
  run,
  pooled,
  samples: [run, ...pooled].flatMap(({ samples }) => samples),
});

const hasSucceeded = (run: ComparedRun | undefined): run is ComparedRun => run?.state === 'succeeded';

const measuredOn = ({ environment }: ComparedRun): MeasuredOn => ({
  contended: environment?.contended ?? null,
  benchmarkIndex: environment?.benchmarkIndex ?? null,
});

const reason = (code: ReasonCode, region: Region): Reason => ({ code, region });
const differentMachine = ({ region }: ComparedRun): Reason => reason('different-machine', region);

/** Returns the reasons that lie in a single side. */
const ownReasons = ({ run, samples }: Side): Reason[] => [
  ...(samples.length < MIN_SAMPLES ? [reason('fewer-samples', run.region)] : []),
  ...(run.environment?.contended ? [reason('contended', run.region)] : []),
];

const reasonsOfPair = ({ before, after }: Pair): Reason[] => {
  const isOther = isOtherMachine(measuredOn(before.run), measuredOn(after.run));
  const all = [...ownReasons(before), ...ownReasons(after), ...(isOther ? [differentMachine(after.run)] : [])];
  return all.filter(({ code }, i) => all.findIndex((each) => each.code === code) === i);
};

const compareValues = (name: MetricName, runs: readonly ComparedRun[], reasons: readonly Reason[]) => {
  const values = Object.fromEntries(runs.map((run) => [run.region, shown(name, run[name])]));
  const known = runs.filter((run) => run[name] !== null).sort((a, b) => rank(name, a) - rank(name, b));
  const [best, worst] = [known[0], known.at(-1)];
  if (!best || !worst || best === worst) {
    return { values, best: null, worst: null, ...noChange };
  }
  const pairs = (known.length * (known.length - 1)) / 2;
  const change = changeOf(pageMetric(name), valuesOf(name, sideOf(best)), valuesOf(name, sideOf(worst)), pairs);
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

type Against = { reasons: readonly Reason[]; differences: readonly DifferenceCode[] };

const comparePairs = (name: MetricName, pairs: readonly Pair[], { reasons, differences }: Against) => {
  const regions = pairs.map(({ region, before, after }) => {
    const [base, value] = [baseValueOf(name, before), after.run[name]];
    const shownValues = { base: shown(name, base), value: shown(name, value) };
    if (base === null || value === null) return [region, { ...shownValues, ...noChange }] as const;
    const change = changeOf(pageMetric(name), valuesOf(name, before), valuesOf(name, after));
    const isSpoiled = isSpoiledBy(name, [region], reasons) || differences.some((code) => isChangedBy(name, code));
    const verdict = isSpoiled ? ('unknown' as const) : verdictOf(name, change.direction);
    return [region, { ...shownValues, ...changeView(name, change, isSpoiled), verdict }] as const;
  });
  const verdicts = regions.map(([, { verdict }]) => verdict);
  const worstFirst = ['regressed', 'improved', 'unknown', 'same'] as const;
  const verdict = worstFirst.find((each) => verdicts.includes(each)) ?? 'unknown';
  return { regions: Object.fromEntries(regions), verdict };
};

/** Orders runs from the best value to the worst. */
const rank = (name: MetricName, run: ComparedRun): number =>
  (pageMetric(name).better === 'higher' ? -1 : 1) * (run[name] ?? 0);

/** Returns true if a reason makes the verdict about a metric unknown. Too few samples do so by themselves. */
const isSpoiledBy = (name: MetricName, regions: readonly Region[], reasons: readonly Reason[]): boolean => {
  const { dependsOn } = pageMetric(name);
  return reasons.some(
    ({ code, region }) =>
      regions.includes(region) &&
      ((code === 'contended' && dependsOn !== 'page') || (code === 'different-machine' && dependsOn === 'device')),
  );
};

/** Returns true if a difference of the inputs can change a metric. */
const isChangedBy = (name: MetricName, code: DifferenceCode): boolean => {
  const spoils = code === 'url' || code === 'auditVersion' ? 'all' : options[code].spoils;
  return spoils === 'all' || (spoils === 'times' && pageMetric(name).dependsOn === 'device');
};

const valuesOf = (name: MetricName, { samples }: Side): number[] =>
  samples.map((sample) => sample[name]).filter((value) => value !== null);

/** Returns the value of a run, or the median of all samples if the base is pooled. */
const baseValueOf = (name: MetricName, side: Side): number | null => {
  const values = valuesOf(name, side);
  return side.pooled.length > 0 && values.length > 0 ? medianOf(values) : side.run[name];
};

const verdictOf = (name: MetricName, direction: Change['direction']): Verdict => {
  if (direction === 'same' || direction === 'unknown') return direction;
  return direction === pageMetric(name).better ? 'improved' : 'regressed';
};

export const noChange = { change: null, samplesNeeded: null, verdict: 'unknown' as const };

const changeView = (name: MetricName, { shift, samplesNeeded }: Change, isSpoiled: boolean) => ({
  change: {
    estimate: shownShift(name, shift.estimate),
    low: shownShift(name, shift.low),
    high: shownShift(name, shift.high),
    confidence: Math.round(shift.confidence * 1000) / 1000,
  },
  samplesNeeded: isSpoiled ? null : samplesNeeded,
});

/** Returns a value as a run shows it. */
const shown = (name: MetricName, value: number | null): Value =>
  value === null ? null : metricsView({ ...noMetrics, [name]: value })[name];

/** Returns a difference of values, without the digits that only the arithmetic of a computer makes. */
const shownShift = (name: MetricName, value: number): Value => shown(name, Math.round(value * 1e6) / 1e6);
