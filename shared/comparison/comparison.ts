import { z } from 'zod';
import { Region } from '../name-schemas.ts';
import { type MetricName, metricNames, noMetrics, pageMetrics } from '../page-metrics.ts';
import { metricsView } from '../page-metrics-schemas.ts';
import { recordOf } from '../record.ts';
import type { Run } from '../run.ts';
import { affectedByOptions, reasonsOfOptions, timings } from './option-differences.ts';
import { type Difference, differ, MIN_SAMPLES } from './sample-difference.ts';

/** Two machines are different if the benchmark index of one is more than a fifth higher. */
const MAX_BENCHMARK_RATIO = 1.2;

/**
 * Why results can not be compared, and the metrics that have no verdict because of it. A region that failed or that only
 * one check has is in no metric.
 */
const affected = {
  failed: [],
  'missing-region': [],
  contended: metricNames.filter((name) => pageMetrics[name].dependsOn !== 'page'),
  'different-machine': timings,
  'different-version': metricNames,
  ...affectedByOptions,
  'fewer-samples': metricNames.filter((name) => pageMetrics[name].hasNoise),
} as const satisfies Record<string, readonly MetricName[]>;
export const ReasonCode = z.enum(Object.keys(affected) as [keyof typeof affected, ...(keyof typeof affected)[]]);
type ReasonCode = z.infer<typeof ReasonCode>;

const Reason = z
  .object({ code: ReasonCode, region: Region })
  .meta({ id: 'Reason', description: 'A reason against a comparison, and the region that it is about.' });
type Reason = z.infer<typeof Reason>;

/** A value as a run shows it: a score, a time such as `"912ms"`, or a layout shift. */
const Value = z.union([z.number(), z.string()]).nullable();
type Value = z.infer<typeof Value>;
const common = { checkId: z.uuid(), regions: z.array(Region), comparable: z.boolean(), reasons: z.array(Reason) };
const metricsOf = <Metric extends z.ZodType>(metric: Metric) => z.object(recordOf(metricNames, () => metric));

export const RegionComparison = z
  .object({
    ...common,
    baseCheckId: z.null(),
    metrics: metricsOf(
      z
        .object({
          values: z.partialRecord(Region, Value),
          best: Region.nullable(),
          worst: Region.nullable(),
          difference: Value,
          verdict: z.enum(['different', 'same', 'unknown']),
        })
        .meta({ id: 'ComparedRegions', description: 'The verdict is about the best and the worst region.' }),
    ),
  })
  .meta({
    id: 'RegionComparison',
    description: 'The regions of a check compared. `best` and `worst` are null if all values are equal.',
  });
export type RegionComparison = z.infer<typeof RegionComparison>;

const Verdict = z.enum(['improved', 'regressed', 'same', 'unknown']);
type Verdict = z.infer<typeof Verdict>;

export const CheckComparison = z
  .object({
    ...common,
    baseCheckId: z.uuid(),
    metrics: metricsOf(
      z
        .object({
          regions: z.partialRecord(
            Region,
            z.object({ base: Value, value: Value, difference: Value, verdict: Verdict }),
          ),
          verdict: Verdict,
        })
        .meta({
          id: 'ComparedChecks',
          description:
            'The verdict is the first of `regressed`, `improved`, `unknown` and `same` that a region has. A difference is the value minus the value of the base.',
        }),
    ),
  })
  .meta({ id: 'CheckComparison', description: 'Two checks compared, region by region.' });
export type CheckComparison = z.infer<typeof CheckComparison>;

type ComparedCheck = { id: string; runs: readonly Run[] };

/** Compares the regions of a finished check. Returns undefined if fewer than two of its runs succeeded. */
export const compareRegions = ({ id, runs }: ComparedCheck): RegionComparison | undefined => {
  const succeeded = runs.filter(hasSucceeded);
  const [first, ...others] = succeeded;
  if (!first || others.length === 0) return undefined;
  const reasons = [
    ...runs.filter((run) => !hasSucceeded(run)).map((run) => reason('failed', run)),
    ...succeeded.flatMap(ownReasons),
    ...others.flatMap((run) => reasonsOfPair(first, run)),
  ];
  return {
    checkId: id,
    baseCheckId: null,
    regions: succeeded.map(({ region }) => region),
    metrics: recordOf(metricNames, (name) => compareValues(name, succeeded, reasons)),
    comparable: reasons.length === 0,
    reasons,
  };
};

/** Compares a finished check with an earlier one. Returns undefined if no region succeeded in both. */
export const compareChecks = (base: ComparedCheck, check: ComparedCheck): CheckComparison | undefined => {
  const runOf = (runs: readonly Run[], region: Region) => runs.find((run) => run.region === region);
  const all = [...new Set([...check.runs, ...base.runs].map(({ region }) => region))];
  const sides = all.map((region) => ({ region, before: runOf(base.runs, region), after: runOf(check.runs, region) }));
  const pairs = sides.filter((side): side is Pair => hasSucceeded(side.before) && hasSucceeded(side.after));
  if (pairs.length === 0) return undefined;
  const reasons = sides.flatMap((side) => {
    const { region, before, after } = side;
    if (!before || !after) return [{ code: 'missing-region' as const, region }];
    if (!hasSucceeded(before) || !hasSucceeded(after)) return [{ code: 'failed' as const, region }];
    return unique([...ownReasons(before), ...ownReasons(after), ...reasonsOfPair(before, after)]);
  });
  return {
    checkId: check.id,
    baseCheckId: base.id,
    regions: pairs.map(({ region }) => region),
    metrics: recordOf(metricNames, (name) => comparePairs(name, pairs, reasons)),
    comparable: reasons.length === 0,
    reasons,
  };
};

type Pair = { region: Region; before: Run; after: Run };

const hasSucceeded = (run: Run | undefined): run is Run => run?.state === 'succeeded';

const reason = (code: ReasonCode, { region }: Run): Reason => ({ code, region });

/** Returns the reasons that lie in a single run. */
const ownReasons = (run: Run): Reason[] => [
  ...(run.samples.length < MIN_SAMPLES ? [reason('fewer-samples', run)] : []),
  ...(run.environment?.contended ? [reason('contended', run)] : []),
];

/** Returns the reasons that lie in the differences of two runs. They name the region of the second one. */
const reasonsOfPair = (before: Run, after: Run): Reason[] => {
  const [a, b] = [before.environment, after.environment];
  const indexes = [a?.benchmarkIndex ?? 0, b?.benchmarkIndex ?? 0] as const;
  const codes: [ReasonCode, boolean][] = [
    ['different-machine', Math.max(...indexes) > MAX_BENCHMARK_RATIO * Math.min(...indexes)],
    ['different-version', before.auditVersion !== after.auditVersion],
  ];
  const applying = codes.filter(([, applies]) => applies).map(([code]) => code);
  return [...applying, ...reasonsOfOptions(before, after)].map((code) => reason(code, after));
};

const unique = (reasons: readonly Reason[]): Reason[] =>
  reasons.filter(({ code }, i) => reasons.findIndex((each) => each.code === code) === i);

const compareValues = (name: MetricName, runs: readonly Run[], reasons: readonly Reason[]) => {
  const values = Object.fromEntries(runs.map((run) => [run.region, shown(name, run[name])]));
  const known = runs.filter((run) => run[name] !== null).sort((a, b) => rank(name, a) - rank(name, b));
  const [best, worst] = [known[0], known.at(-1)];
  if (!best || !worst || best === worst) {
    return { values, best: null, worst: null, difference: null, verdict: 'unknown' as const };
  }
  const difference = Math.abs((best[name] ?? 0) - (worst[name] ?? 0));
  const verdict = isAffected(name, [best, worst], reasons) ? 'unknown' : differenceOf(name, best, worst);
  const equal = difference === 0;
  return {
    values,
    best: equal ? null : best.region,
    worst: equal ? null : worst.region,
    difference: shown(name, difference),
    verdict: verdict === 'higher' || verdict === 'lower' ? ('different' as const) : verdict,
  };
};

const comparePairs = (name: MetricName, pairs: readonly Pair[], reasons: readonly Reason[]) => {
  const regions = pairs.map(({ region, before, after }) => {
    const [base, value] = [before[name], after[name]];
    const known = base !== null && value !== null;
    const verdict =
      !known || isAffected(name, [after], reasons) ? 'unknown' : verdictOf(name, differenceOf(name, before, after));
    const difference = known ? shown(name, value - base) : null;
    return [region, { base: shown(name, base), value: shown(name, value), difference, verdict }] as const;
  });
  const verdicts = regions.map(([, { verdict }]) => verdict);
  const worstFirst = ['regressed', 'improved', 'unknown', 'same'] as const;
  const verdict = worstFirst.find((each) => verdicts.includes(each)) ?? 'unknown';
  return { regions: Object.fromEntries(regions), verdict };
};

/** Orders runs from the best value to the worst. */
const rank = (name: MetricName, run: Run): number =>
  (pageMetrics[name].better === 'higher' ? -1 : 1) * (run[name] ?? 0);

const isAffected = (name: MetricName, runs: readonly Run[], reasons: readonly Reason[]): boolean =>
  reasons.some(
    ({ code, region }) =>
      runs.some((run) => run.region === region) && (affected[code] as readonly MetricName[]).includes(name),
  );

const differenceOf = (name: MetricName, a: Run, b: Run): Difference =>
  differ(name, valuesOf(name, a), valuesOf(name, b));

const valuesOf = (name: MetricName, { samples }: Run): number[] =>
  samples.map((sample) => sample[name]).filter((value) => value !== null);

const verdictOf = (name: MetricName, difference: Difference): Verdict => {
  if (difference === 'same' || difference === 'unknown') return difference;
  return difference === pageMetrics[name].better ? 'improved' : 'regressed';
};

/** Returns a value as a run shows it. */
const shown = (name: MetricName, value: number | null): Value =>
  value === null ? null : metricsView({ ...noMetrics, [name]: value })[name];
