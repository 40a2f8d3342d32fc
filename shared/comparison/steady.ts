import { shareAbove } from '../fixes/metric-score.ts';
import { type PageMetric, pageMetrics } from '../metrics/page-metrics.ts';
import type { Sample } from '../metrics/page-metrics-schemas.ts';
import type { NearScript, SteadyLoad, SteadyTimes } from '../metrics/steady-load.ts';
import type { MetricRule } from './noise.ts';
import type { PaintOrder } from './schemas.ts';

/** The samples of a side, by check. */
type Sampled = readonly (readonly Sample[])[];
type Sides = { before: Sampled; after: Sampled };
/** Sides with one order. `mayDiffer` is true if each side may have an order of its own, which too few loads show. */
export type SteadySides = Sides & { mayDiffer: boolean };

/** Fewest loads a side that show that a paint now follows a script, or no longer does. Fewer may differ by chance. */
const FEWEST_OF_ORDER = 5;

/**
 * Returns the samples of two sides as if their paints had come in one order. The largest paint comes after each script that it
 * followed in any load. The first paint comes before each script that it did not wait for in every load. If the sides have
 * different orders, each load keeps its own. Returns undefined if a sample has no steady values.
 */
export const steadySides = ({ before, after }: Sides): SteadySides | undefined => {
  const sides = [before, after].map((side) => side.flat().map(({ steady }) => steady));
  const [earlier, later] = sides.map((side) => side.filter((load) => load !== undefined)) as [
    SteadyLoad[],
    SteadyLoad[],
  ];
  const loads = [...earlier, ...later];
  if (earlier.length === 0 || later.length === 0 || loads.length < sides.flat().length) return undefined;
  const mayDiffer = hasOtherOrder(earlier, later);
  const isOther = mayDiffer && Math.min(earlier.length, later.length) >= FEWEST_OF_ORDER;
  const counts = [...countsOf(loads)];
  const namesWith = (has: (count: Count) => boolean) =>
    new Set(counts.flatMap(([name, each]) => (has(each) ? name : [])));
  const shared: Order = {
    followed: namesWith(({ lcp }) => lcp > 0),
    missed: namesWith(({ lcp, loads }) => lcp < loads),
    waited: namesWith(({ fcp }) => fcp === loads.length),
  };
  const order = isOther ? ownOrder : shared;
  const steadied = (side: Sampled) => side.map((samples) => samples.map((sample) => withTimes(sample, order)));
  return { before: steadied(before), after: steadied(after), mayDiffer: mayDiffer && !isOther };
};

const paints = ['fcp', 'lcp'] as const;
type Paint = (typeof paints)[number];
/** Number of loads that have a script, and of those whose first or largest paint came after it. */
type Count = Record<'loads' | 'fcp' | 'lcp', number>;

/**
 * Returns the counts of each script by its name. If a page has new script names in each load, there are thousands of them, so
 * this reads each load once.
 */
const countsOf = (loads: readonly SteadyLoad[]): Map<string, Count> => {
  const counts = new Map<string, Count>();
  for (const { name, began } of loads.flatMap(({ scripts }) => scripts)) {
    const { loads, fcp, lcp } = counts.get(name) ?? { loads: 0, fcp: 0, lcp: 0 };
    counts.set(name, {
      loads: loads + 1,
      fcp: fcp + Number(began === 'beforeFcp'),
      lcp: lcp + Number(began !== 'later'),
    });
  }
  return counts;
};

/** Returns true if a paint came after a script in all loads of one side that have it, and in none of the other. */
const hasOtherOrder = (before: readonly SteadyLoad[], after: readonly SteadyLoad[]): boolean => {
  const others = countsOf(after);
  return [...countsOf(before)].some(([name, a]) => {
    const b = others.get(name);
    const isAlways = (all: Count, none: Count, paint: Paint) => all[paint] === all.loads && none[paint] === 0;
    return b && paints.some((paint) => isAlways(a, b, paint) || isAlways(b, a, paint));
  });
};

/** Returns how often each paint came after each script that it did not always follow, or never. */
export const ordersOf = ({ before, after }: Sides): Omit<PaintOrder, 'region'>[] => {
  const [base, value] = [before, after].map((side) => side.flat().flatMap(({ steady }) => steady ?? [])) as [
    SteadyLoad[],
    SteadyLoad[],
  ];
  const earlier = countsOf(base);
  return [...countsOf(value)].flatMap(([script, now]) =>
    paints.flatMap((paint) => {
      const countIn = (counts: Count) => ({ after: counts[paint], loads: counts.loads });
      const before = earlier.get(script);
      const [after, all] = [now[paint] + (before?.[paint] ?? 0), now.loads + (before?.loads ?? 0)];
      return before && after > 0 && after < all ? [{ script, paint, base: countIn(before), value: countIn(now) }] : [];
    }),
  );
};

/** Scripts that the largest paint followed in any load, those that it came before in any, and those that the first one awaits. */
type Order = Record<'followed' | 'missed', ReadonlySet<string>> & { waited: Pick<ReadonlySet<string>, 'has'> };
/** The order in which the paints of a load came. */
const ownOrder: Order = { followed: new Set(), missed: new Set(), waited: { has: () => true } };

/** Returns a sample with its steady times in its own order, if it has them. */
export const asSteady = (sample: Sample): Sample => withTimes(sample, ownOrder);

const withTimes = (sample: Sample, order: Order): Sample => {
  const { steady } = sample;
  if (!steady) return sample;
  const times = timesIn(steady, order);
  return { ...sample, ...times, performance: scoreWith(sample, steady, times) };
};

const timesIn = ({ fcp, lcp, tbt, scripts }: SteadyLoad, order: Order): SteadyTimes => {
  const isEarly = ({ name, began, moved }: NearScript) => moved && began === 'beforeFcp' && !order.waited.has(name);
  const early = scripts.find(isEarly)?.moved;
  return { fcp: early?.fcp ?? fcp, tbt: early?.tbt ?? tbt, lcp: lcpIn({ lcp, scripts }, order) };
};

/** Returns the largest paint right after the last script that it followed in any load, if it followed it in some loads only. */
const lcpIn = ({ lcp, scripts }: Pick<SteadyLoad, 'lcp' | 'scripts'>, { followed, missed }: Order): number => {
  const last = scripts.findLast(({ name }) => followed.has(name));
  if (last?.began === 'later') return Math.max(lcp, last.moved?.lcp ?? 0);
  return last && missed.has(last.name) ? (last.lcpAt ?? lcp) : lcp;
};

/** Weights of the times in the performance score, in all versions. */
const weights = { fcp: 10, lcp: 25, tbt: 30 } as const;
const steadyTimes = Object.keys(weights) as (keyof typeof weights)[];

/** Returns the performance score with other times. It is no whole number, so that no rounding makes a step. */
const scoreWith = (sample: Sample, { device }: SteadyLoad, times: SteadyTimes): number | null => {
  if (sample.performance === null) return null;
  return steadyTimes.reduce((score, name) => {
    const [p10, median] = pageMetrics[name].limits[device];
    const shareOf = (ms: number | null) => (ms === null ? 0 : shareAbove({ p10, median }, ms));
    return score + weights[name] * (shareOf(times[name]) - shareOf(sample[name]));
  }, sample.performance);
};

/** Returns how a metric is judged whose samples have steady values. If their orders may differ, these hide a change for the worse. */
export const steadyRule = (metric: PageMetric, { mayDiffer }: Pick<SteadySides, 'mayDiffer'>): MetricRule => {
  const { steady, smallest, better } = metric;
  if (!steady) return metric;
  const worse = better === 'lower' ? 'higher' : 'lower';
  const known: MetricRule = { ...metric, isSteady: true, ...(mayDiffer && { provesOnly: worse }) };
  if (steady === 'as-others') return known;
  const { share, loads, floor, difference } = steady;
  const drift = { work: 0, most: 0, share, floor };
  return { ...known, drift, loads: { ...drift, share: loads }, smallest: { ...smallest, difference }, same: smallest };
};
