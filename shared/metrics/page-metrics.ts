import type { Category } from '../options/audit-options.ts';
import { recordOf } from '../record.ts';

/** How a metric counts: points from 0 to 100, milliseconds, layout shift without a unit, bytes, or a number of things. */
export type MetricKind = 'score' | 'time' | 'shift' | 'bytes' | 'count';

/**
 * Standard deviation between checks of an unchanged page, fitted to recordings: `work` times the page's TBT, because the speed of
 * the CPU drifts, but at most the share `most` of the value (of a score: points), plus `share` of the value, plus `floor`. Other
 * programs add up to the share `busy` of a value that no correction mends. With `isLeast`, no recording shows the drift.
 */
export type Drift = { work: number; most: number; share: number; floor: number; busy?: number; isLeast?: true };

export type PageMetric = {
  title: string;
  /** Usual short name, for tables with a column per region. */
  shortTitle?: string;
  kind: MetricKind;
  better: 'higher' | 'lower';
  /** Smaller differences are none. The limit is the absolute difference or this share of the value, whichever is larger. */
  smallest: { difference: number; share: number };
  /** How an unchanged page moves from check to check before anybody has measured it. Null if all its audits agree. */
  drift: Drift | null;
  /**
   * How loads with steady values are judged. `share` is their standard deviation between checks as a share of the value, plus
   * `floor`. `loads` is that between loads. Both are fitted to recordings. `difference` is the smallest one that counts.
   */
  steady?: { share: number; loads: number; floor: number; difference: number } | 'as-others';
  /** True if changes of the metric are shown without a verdict. */
  unjudged?: true;
  /** Thing whose speed changes the metric: the device with its simulated network, the CPU, the real network, or none. */
  dependsOn: 'device' | 'cpu' | 'network' | 'page';
  /** Category of Lighthouse with the metric. A result of the category without the metric is incomplete. */
  category?: Category;
  /**
   * Audit whose numeric value is the metric. A count is the number of its requests. A metric without an audit is the score of
   * its category, or is measured by the service. A metric without a category is null if the report lacks the audit.
   */
  audit?: string;
  /** Major versions of Lighthouse with the metric. Every version has a metric without limits. */
  since?: number;
  until?: number;
  /** Place among all metrics in a table for people. */
  place: number;
  /** True if people look at the metric first. */
  isMain: boolean;
  /** Highest values that Lighthouse calls "good" and "needs work". Scores have the same limits everywhere. A count has none. */
  limits?: { mobile: readonly [number, number]; desktop: readonly [number, number] };
};

/** The drift of a metric that the speed of the CPU does not change. */
export const NO_WORK: Drift = { work: 0, most: 0, share: 0, floor: 0 };

/** A score depends on the page alone, and an unchanged page keeps it. */
const score = {
  kind: 'score',
  better: 'higher',
  smallest: { difference: 1, share: 0 },
  drift: null,
  dependsOn: 'page',
  isMain: true,
} as const;
/** Lighthouse's simulation rounds the LCP of an unchanged page to one of two values some 60 ms apart. */
const time = {
  kind: 'time',
  better: 'lower',
  smallest: { difference: 75, share: 0.05 },
  drift: { work: 0.05, most: 0.02, share: 0.003, floor: 5 },
  dependsOn: 'device',
  isMain: false,
  category: 'performance',
} as const;
/** A page also loads without these numbers, so no run needs them. */
const optional = { better: 'lower', dependsOn: 'page', isMain: false } as const;

/** The metrics of a page, in the order of the API. */
export const pageMetrics = {
  performance: {
    ...score,
    title: 'Performance',
    category: 'performance',
    place: 1,
    smallest: { difference: 3, share: 0 },
    drift: { work: 0.002, most: 1.5, share: 0, floor: 0.3 },
    steady: 'as-others',
    dependsOn: 'device',
  },
  accessibility: { ...score, title: 'Accessibility', category: 'accessibility', place: 12 },
  bestPractices: { ...score, title: 'Best practices', category: 'best-practices', place: 13 },
  pwa: { ...score, title: 'PWA', category: 'pwa', until: 11, drift: NO_WORK, place: 15 },
  seo: { ...score, title: 'SEO', category: 'seo', place: 14 },
  agenticBrowsing: { ...score, title: 'Agentic browsing', category: 'agentic-browsing', since: 13, place: 16 },
  fcp: {
    ...time,
    title: 'First contentful paint',
    shortTitle: 'FCP',
    audit: 'first-contentful-paint',
    steady: { share: 0.006, loads: 0.012, floor: 3, difference: 40 },
    place: 2,
    limits: { mobile: [1800, 3000], desktop: [934, 1600] },
  },
  si: {
    ...time,
    title: 'Speed index',
    audit: 'speed-index',
    drift: { work: 0.06, most: 0.06, share: 0.003, floor: 5, busy: 0.8 }, // seen frames stay late
    place: 6,
    limits: { mobile: [3387, 5800], desktop: [1311, 2300] },
  },
  lcp: {
    ...time,
    title: 'Largest contentful paint',
    shortTitle: 'LCP',
    audit: 'largest-contentful-paint',
    steady: { share: 0.01, loads: 0.022, floor: 3, difference: 40 },
    place: 3,
    limits: { mobile: [2500, 4000], desktop: [1200, 2400] },
    isMain: true,
  },
  tti: {
    ...time,
    title: 'Time to interactive',
    shortTitle: 'TTI',
    audit: 'interactive',
    drift: { work: 0.08, most: 0.07, share: 0.003, floor: 5 },
    unjudged: true, // it jumps by seconds, because a task near 50 ms is the last long one or not
    place: 7,
    limits: { mobile: [3785, 7300], desktop: [2468, 4500] },
  },
  tbt: {
    ...time,
    title: 'Total blocking time',
    shortTitle: 'TBT',
    audit: 'total-blocking-time',
    steady: { share: 0.05, loads: 0.075, floor: 5, difference: 30 }, // a task near 50 ms counts or not
    drift: { work: 0.08, most: 1, share: 0, floor: 5 },
    place: 4,
    limits: { mobile: [200, 600], desktop: [150, 350] },
    isMain: true,
  },
  cls: {
    title: 'Cumulative layout shift',
    shortTitle: 'CLS',
    audit: 'cumulative-layout-shift',
    place: 5,
    kind: 'shift',
    better: 'lower',
    smallest: { difference: 0.01, share: 0 },
    drift: { ...NO_WORK, share: 0.05, floor: 0.001 },
    dependsOn: 'page',
    isMain: true,
    category: 'performance',
    limits: { mobile: [0.1, 0.25], desktop: [0.1, 0.25] },
  },
  ttfb: {
    ...optional,
    title: 'Server response time',
    shortTitle: 'TTFB',
    audit: 'server-response-time',
    kind: 'time',
    smallest: { difference: 75, share: 0.05 },
    drift: { ...NO_WORK, share: 0.1, floor: 3 },
    dependsOn: 'network',
    place: 9,
    isMain: true,
    limits: { mobile: [600, 600], desktop: [600, 600] },
  },
  bytes: {
    ...optional,
    title: 'Transferred bytes',
    shortTitle: 'Bytes',
    audit: 'total-byte-weight',
    kind: 'bytes',
    smallest: { difference: 1024, share: 0.01 },
    drift: { ...NO_WORK, share: 0.001, floor: 50 },
    place: 10,
    limits: { mobile: [2667 * 1024, 4000 * 1024], desktop: [2667 * 1024, 4000 * 1024] },
  },
  requests: {
    ...optional,
    title: 'Requests',
    audit: 'network-requests',
    kind: 'count',
    smallest: { difference: 0, share: 0.01 },
    drift: { ...NO_WORK, share: 0.001 },
    place: 11,
  },
  /** Unlike the blocking time, it changes neither with the order of the tasks nor with waits for a CPU. */
  mainThreadCpu: {
    ...optional,
    title: 'CPU time of the main thread',
    shortTitle: 'CPU time',
    kind: 'time',
    smallest: { difference: 25, share: 0.05 },
    drift: { ...NO_WORK, share: 0.02, floor: 2 },
    steady: { share: 0.03, loads: 0.05, floor: 2, difference: 10 },
    dependsOn: 'cpu',
    place: 8,
  },
} as const satisfies Record<string, PageMetric>;

/** Returns how Lighthouse grades a score: good, needs work or poor. */
export const gradeOfScore = (score: number): 'pass' | 'work' | 'poor' =>
  score >= 90 ? 'pass' : score >= 50 ? 'work' : 'poor';

export type MetricName = keyof typeof pageMetrics;
export const metricNames = Object.keys(pageMetrics) as MetricName[];

export const pageMetric = (name: MetricName): PageMetric => pageMetrics[name];

/** Names of the metrics of some kinds. */
export type NameOfKind<Kind extends MetricKind> = {
  [Name in MetricName]: (typeof pageMetrics)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];

/** Returns the metrics of some kinds, in the order of the API. */
export const namesOfKind = <Kind extends MetricKind>(...kinds: readonly Kind[]): NameOfKind<Kind>[] =>
  metricNames.filter((name): name is NameOfKind<Kind> =>
    (kinds as readonly MetricKind[]).includes(pageMetrics[name].kind),
  );

/** The metrics that are no scores, in the order of the API. */
export const valueNames = namesOfKind('time', 'shift', 'bytes', 'count');

/** Name of a metric that people look at first. */
export type MainName = {
  [Name in MetricName]: (typeof pageMetrics)[Name]['isMain'] extends true ? Name : never;
}[MetricName];
export const mainNames = metricNames.filter((name): name is MainName => pageMetrics[name].isMain);

/** The metrics that the series of a URL keeps, to show how much a page moves by itself: the main ones, and all judged times. */
export type SeriesName = MainName | Exclude<NameOfKind<'time'>, 'tti'>;
const isKept = ({ isMain, kind, unjudged }: PageMetric): boolean => isMain || (kind === 'time' && !unjudged);
export const seriesNames = metricNames.filter((name): name is SeriesName => isKept(pageMetric(name)));

/** Returns true if an audit version has the metric. */
export const existsIn = (name: MetricName, auditVersion: string): boolean => {
  const [{ since = 0, until = 99 }, major] = [pageMetric(name), Number.parseInt(auditVersion, 10)];
  return since <= major && major <= until;
};

type Values = Record<MetricName, number | null>;
type Range = { min: number; max: number };

/** The metrics of an audit that measured nothing. */
export const noMetrics: Values = recordOf(metricNames, () => null);

/** Returns the smallest and largest value of each metric over two or more samples, or null if there are fewer. */
export const spreadOf = (samples: readonly Values[]): Record<MetricName, Range | null> | null =>
  samples.length < 2 ? null : rangesOf(samples);

/** Returns the smallest and largest value of each metric. */
export const rangesOf = (samples: readonly Values[]): Record<MetricName, Range | null> =>
  recordOf(metricNames, (name) => {
    const values = samples.map((sample) => sample[name]).filter((value) => value !== null);
    return values.length > 0 ? { min: Math.min(...values), max: Math.max(...values) } : null;
  });
