import { type MetricName, mainNames, type PageMetric, pageMetric } from '../metrics/page-metrics.ts';
import type { Sample } from '../metrics/page-metrics-schemas.ts';
import { looks, MAX_PAIRS } from '../options/variants.ts';
import { type Change, type ChangeOptions, changeOfTurns } from './change.ts';
import type { MetricRule } from './noise.ts';
import { driftingBy, type SampledValue } from './sides.ts';
import { spoilsMetric } from './spoils.ts';
import { steadyRule, steadySides } from './steady.ts';

/** Chance that an interval of one look holds the true change. All looks together then have about 99 %. */
export const LOOK_CONFIDENCE = 0.9965;

/** Samples of two variants that were audited in turns. Samples at the same place are a pair of neighbours in time. */
export type Pairs = PairsOf<Sample>;
type PairsOf<Each> = { own: readonly Each[]; against: readonly Each[] };

/**
 * Returns the number of pairs that a run with automatic samples needs: no more than it has if its changes are clear. The
 * `regions` of its check share the chance of a false verdict.
 */
export const pairsNeeded = ({ own, against }: Pairs, regions: number): number => {
  const pairs = Math.min(own.length, against.length);
  const isLook = own.length === against.length && looks.some((look) => look === pairs);
  if (isLook && areClear({ own, against }, regions)) return pairs;
  return looks.find((look) => look > pairs) ?? MAX_PAIRS;
};

/** Returns true if each main metric that both variants have has a verdict. */
export const areClear = (pairs: Pairs, regions: number): boolean => {
  const page = driftingBy(...[pairs.against, pairs.own].map((samples) => ({ run: { samples }, pooled: [] })));
  return mainNames.every((name) => {
    const change = changeOfPairs(name, pairs, { page, confidence: LOOK_CONFIDENCE, pairs: regions });
    return change?.direction !== 'unknown';
  });
};

/** Judges how a metric differs between two variants. Returns undefined if no pair has the metric. */
export const changeOfPairs = (
  name: MetricName,
  { own, against }: Pairs,
  options: ChangeOptions,
): Change | undefined => {
  const metric = pageMetric(name);
  const steady = metric.steady && steadySides({ before: [against], after: [own] });
  const of = (samples: readonly Sample[] = []) => samples.map((sample) => ({ ...sample, value: sample[name] }));
  const pairs = { own: of(steady ? steady.after[0] : own), against: of(steady ? steady.before[0] : against) };
  return changeOfNeighbours(metric, steady ? steadyRule(metric, steady) : metric, pairs, options);
};

/** Does the same for the values of a metric, by its rule. */
export const changeOfNeighbours = (
  metric: PageMetric,
  rule: MetricRule,
  pairs: PairsOf<SampledValue>,
  options: ChangeOptions,
): Change | undefined => {
  const [before, after] = valuesOf(metric, pairs);
  return before.length === 0 ? undefined : changeOfTurns(rule, before, after, options);
};

/** Returns the values of pairs. One with a contended sample counts only where no other is, of a metric that this spoils. */
const valuesOf = (metric: PageMetric, { own, against }: PairsOf<SampledValue>): [before: number[], after: number[]] => {
  const pairs = own
    .slice(0, against.length)
    .map((after, i) => [against[i] as SampledValue, after] as const)
    .filter((pair) => pair.every(({ value }) => value !== null));
  const free = pairs.filter((pair) => pair.every(({ contended }) => !contended));
  const counted = spoilsMetric(metric, 'contended') && free.length > 0 ? free : pairs;
  const side = (i: 0 | 1) => counted.map((pair) => pair[i].value as number);
  return [side(0), side(1)];
};
