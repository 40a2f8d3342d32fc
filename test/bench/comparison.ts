import type { AuditVersion } from '../../shared/audit-versions.ts';
import type { Sample } from './fidelity.ts';
import { deviation, median } from './numbers.ts';
import type { PageName } from './pages.ts';
import { type Metric, metrics, type Reading } from './reading.ts';

/** A value of each arm: ours, and the one that ours is compared with. */
export type Both<T> = { ours: T; theirs: T };

/** One page in one version, over all rounds. Null means unknown: one round has no deviation. */
export type Comparison = {
  page: PageName;
  version: AuditVersion;
  audits: Both<number>; // number of audits with a result
  failures: Both<string[]>;
  seconds: Both<number>; // median time that a user waits
  scores: Record<string, Both<number[]>>; // by category, except performance, round by round
  failing: (Both<number> & { id: string })[]; // audits that failed in a different number of rounds
  performance: Both<{ median: number; deviation: number | null }>;
  metrics: Record<Metric, MetricShift>;
  met: Record<Target, boolean | null>;
};

/** Distance between the medians. `percent` is null if their median is near zero. */
export type MetricShift = Both<number> & { shift: number; percent: number | null };

/** The targets for each page in each version, in words. */
export const targets = {
  scores: 'accessibility, best practices, SEO and PWA: the same scores',
  failing: 'the same failing audits',
  performance: 'median performance at most 1 point apart',
  metrics: 'each median metric at most 3 % apart',
  deviation: 'standard deviation of performance at most theirs',
} as const;
export type Target = keyof typeof targets;

const MAX_POINTS_APART = 1;
const MAX_PERCENT_APART = 3;
/** A median below this limit is near zero. Percentages of it mean nothing, so the medians may be this far apart. */
const nearZeroLimit = (metric: Metric): number => (metric === 'cls' ? 0.01 : 10);

/** Compares two arms page by page. If one arm has no result for a page and version, the pair meets no target. */
export const compare = (samples: readonly Sample[], arms: Both<string>): Comparison[] => {
  const groups = Map.groupBy(samples, ({ page, version }) => `${version} ${page}`);
  return [...groups.values()].map((group) => {
    const of = (arm: string) => group.filter((sample) => sample.arm === arm);
    const done = mapBoth(arms, (arm) => of(arm).flatMap((sample) => ('reading' in sample ? sample : [])));
    const readings = mapBoth(done, (samples) => samples.map(({ reading }) => reading));
    const seconds = mapBoth(done, (samples) => median(samples.map((sample) => sample.seconds)));
    const failures = mapBoth(arms, (arm) => of(arm).flatMap((sample) => ('failure' in sample ? sample.failure : [])));
    const { page, version } = group[0] as Sample;
    return { page, version, failures, seconds, ...comparisonOf(readings) };
  });
};

/** Compares the even rounds of an arm with its odd rounds, to show the effect of chance. Needs four rounds. */
export const compareWithItself = (samples: readonly Sample[], arm: string): Comparison[] => {
  const own = samples.filter((sample) => sample.arm === arm);
  if (Math.max(...own.map(({ round }) => round)) < 3) return [];
  const halves = own.map((sample) => ({ ...sample, arm: sample.round % 2 === 0 ? 'even' : 'odd' }));
  return compare(halves, { ours: 'even', theirs: 'odd' });
};

const comparisonOf = (readings: Both<Reading[]>): Omit<Comparison, 'page' | 'version' | 'failures' | 'seconds'> => {
  const { ours, theirs } = readings;
  const audits = { ours: ours.length, theirs: theirs.length };
  const categories = Object.keys((theirs[0] ?? ours[0])?.scores ?? {}).filter((id) => id !== 'performance');
  const scores = Object.fromEntries(
    categories.map((id) => [id, mapBoth(readings, (each) => each.map((reading) => reading.scores[id] ?? Number.NaN))]),
  );
  const performance = mapBoth(readings, (each) => {
    const values = each.map((reading) => reading.scores.performance ?? Number.NaN);
    return { median: median(values), deviation: values.length > 1 ? deviation(values) : null };
  });
  const shifts = Object.fromEntries(
    metrics.map((metric) => [metric, shiftOf(metric, readings)]),
  ) as Comparison['metrics'];
  const failing = failingOf(readings);
  const deviations = mapBoth(performance, (each) => each.deviation);
  const known = ours.length > 0 && theirs.length > 0;
  return {
    audits,
    scores,
    failing,
    performance,
    metrics: shifts,
    met: {
      scores: known && Object.values(scores).every((score) => median(score.ours) === median(score.theirs)),
      failing: known && failing.every((audit) => inMostRounds(audit.ours, ours) === inMostRounds(audit.theirs, theirs)),
      performance: Math.abs(performance.ours.median - performance.theirs.median) <= MAX_POINTS_APART,
      metrics: metrics.every((metric) => isClose(metric, shifts[metric])),
      deviation: deviations.ours === null || deviations.theirs === null ? null : deviations.ours <= deviations.theirs,
    },
  };
};

const shiftOf = (metric: Metric, readings: Both<Reading[]>): MetricShift => {
  const { ours, theirs } = mapBoth(readings, (each) => median(each.map((reading) => reading.metrics[metric])));
  const shift = ours - theirs;
  return { ours, theirs, shift, percent: theirs < nearZeroLimit(metric) ? null : (100 * shift) / theirs };
};

export const isClose = (metric: Metric, { shift, percent }: MetricShift): boolean =>
  percent === null ? Math.abs(shift) <= nearZeroLimit(metric) : Math.abs(percent) <= MAX_PERCENT_APART;

const failingOf = (readings: Both<Reading[]>): Comparison['failing'] => {
  const ids = new Set([...readings.ours, ...readings.theirs].flatMap(({ failing }) => failing));
  const rows = [...ids].toSorted().map((id) => ({
    id,
    ...mapBoth(readings, (each) => each.filter(({ failing }) => failing.includes(id)).length),
  }));
  return rows.filter(({ ours, theirs }) => ours !== theirs);
};

const inMostRounds = (count: number, of: readonly unknown[]): boolean => count > of.length / 2;

const mapBoth = <T, U>({ ours, theirs }: Both<T>, of: (each: T) => U): Both<U> => ({
  ours: of(ours),
  theirs: of(theirs),
});
