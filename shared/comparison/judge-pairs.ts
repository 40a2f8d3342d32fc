import type { PageMetric } from '../metrics/page-metrics.ts';
import type { Region } from '../name-schemas.ts';
import { type Change, changeOf } from './change.ts';
import type { Difference } from './comparable.ts';
import { changeOfNeighbours, LOOK_CONFIDENCE } from './looks.ts';
import type { Checks, Drifting } from './noise.ts';
import type { ComparedMetric, Verdict } from './schemas.ts';
import { medianOf } from './shift.ts';
import { changeView, countedOf, noChange, type SampledValue, type Side, shown } from './sides.ts';
import { type DifferenceCode, spoilsMetric } from './spoils.ts';
import { steadyRule } from './steady.ts';

export type Pair = { region: Region; before: Side; after: Side };
/** The two sides of a region, and what is against verdicts about them. */
export type JudgedPair = Pair & { differences: readonly Difference[]; reasons: readonly { code: string }[] };

/** How the sides were measured. */
export type Against = {
  intended: readonly DifferenceCode[];
  inTurns: boolean;
  canTurn: boolean; // if `against` could have all differences
  regions: number; // that share the chance of a false verdict
};

/** A metric of both sides of a region. */
export type Measured = {
  before: MeasuredSide;
  after: MeasuredSide;
  page?: Drifting | undefined;
  /** Locations of the page's earlier checks. */
  history?: readonly number[];
  /** The samples of both sides as verdicts take them, if their loads have steady values. */
  steady?: (Record<'before' | 'after', MeasuredSide['samples']> & { mayDiffer: boolean }) | undefined;
};
/** Value that a run shows, and those of its samples, followed by those of the runs that are pooled with it. */
export type MeasuredSide = { value: number | null; samples: readonly (readonly SampledValue[])[] };

/** Judges a metric in each region. More regions make no false verdict likelier. */
export const judgePairs = <Each extends JudgedPair>(
  metric: PageMetric,
  pairs: readonly Each[],
  measuredOf: (pair: Each) => Measured,
  against: Against,
): ComparedMetric => {
  const regions = pairs.map((pair) => [pair.region, judgePair(metric, pair, measuredOf(pair), against)] as const);
  return { regions: Object.fromEntries(regions), verdict: gravestOf(regions.map(([, { verdict }]) => verdict)) };
};

const judgePair = (
  metric: PageMetric,
  { after: { run }, differences, reasons }: JudgedPair,
  { before, after, page, history = [], steady }: Measured,
  { intended, inTurns, canTurn, regions }: Against,
) => {
  const [base, value] = [baseValueOf(metric, before), after.value];
  const shownValues = { base: shown(metric.kind, base), value: shown(metric.kind, value) };
  if (base === null || value === null) return { ...shownValues, ...noChange };
  const options = { pairs: regions, ...(page && { page }) };
  const rule = steady ? steadyRule(metric, steady) : metric;
  const [earlier, later] = steady ? [steady.before, steady.after] : [before.samples, after.samples];
  const change = inTurns
    ? changeOfNeighbours(...([metric, rule, { own: later[0] ?? [], against: earlier[0] ?? [] }] as const), {
        ...options,
        ...(run.turns && { confidence: LOOK_CONFIDENCE }),
      })
    : changeOf(rule, checksOf(metric, earlier), checksOf(metric, later), { ...options, history, canTurn });
  if (!change) return { ...shownValues, ...noChange };
  const codes = [...reasons, ...differences.filter((each) => !intended.includes(each.code))];
  const isSpoiled = metric.unjudged === true || codes.some(({ code }) => spoilsMetric(metric, code));
  const verdict = isSpoiled ? ('unknown' as const) : verdictOf(metric, change.direction);
  return { ...shownValues, ...changeView(metric, change, isSpoiled), verdict };
};

const checksOf = (metric: PageMetric, samples: MeasuredSide['samples']): Checks =>
  samples.map((each) => countedOf(metric, each)).filter((values) => values.length > 0);

/** Returns the gravest proved verdict. One that is open hides no proved one. */
export const gravestOf = (verdicts: readonly Verdict[]): Verdict =>
  (['regressed', 'improved', 'same'] as const).find((each) => verdicts.includes(each)) ?? 'unknown';

/** Returns the value of a run, or the median of all samples if the base is pooled. */
const baseValueOf = (metric: PageMetric, side: MeasuredSide): number | null => {
  const values = checksOf(metric, side.samples).flat();
  return side.samples.length > 1 && values.length > 0 ? medianOf(values) : side.value;
};

const verdictOf = ({ better }: PageMetric, direction: Change['direction']): Verdict => {
  if (direction === 'same' || direction === 'unknown') return direction;
  return direction === better ? 'improved' : 'regressed';
};
