import type { RunView } from '../../shared/run.ts';

type Measured = Pick<RunView, ScoreName | 'numericValues'>;
type TimingName = keyof RunView['numericValues'];
type ScoreName = 'performance' | 'accessibility' | 'bestPractices' | 'seo' | 'pwa' | 'agenticBrowsing';
export type MetricName = ScoreName | TimingName;
/** A value as the API shows it: a score, a time such as `"633ms"`, or a layout shift. */
export type ShownValue = string | number | null;
export type Range = { min: ShownValue; max: ShownValue } | null | undefined;
type Grade = 'pass' | 'work' | 'poor' | 'unknown';

/** Names of the metrics, in the order of the tables. */
export const metricNames = {
  performance: 'Performance',
  fcp: 'First contentful paint',
  lcp: 'Largest contentful paint',
  tbt: 'Total blocking time',
  cls: 'Cumulative layout shift',
  si: 'Speed index',
  tti: 'Time to interactive',
  accessibility: 'Accessibility',
  bestPractices: 'Best practices',
  seo: 'SEO',
  pwa: 'PWA',
  agenticBrowsing: 'Agentic browsing',
} as const;
/** Usual short names, for tables with a column per region. */
const shortNames: Partial<Record<MetricName, string>> = {
  fcp: 'FCP',
  lcp: 'LCP',
  tbt: 'TBT',
  cls: 'CLS',
  si: 'Speed index',
  tti: 'TTI',
};
export const metrics = Object.keys(metricNames) as MetricName[];
/** The short name of each metric, or its name. */
export const labels: Readonly<Record<MetricName, string>> = { ...metricNames, ...shortNames };
/** Metrics that people look at first. */
export const mainMetrics: readonly MetricName[] = [
  'performance',
  'lcp',
  'tbt',
  'cls',
  'accessibility',
  'bestPractices',
  'seo',
  'pwa',
  'agenticBrowsing',
];
export const scores: readonly ScoreName[] = [
  'performance',
  'accessibility',
  'bestPractices',
  'seo',
  'pwa',
  'agenticBrowsing',
];

export const isScore = (name: MetricName): name is ScoreName => (scores as readonly MetricName[]).includes(name);

/** Limits of Lighthouse for "good" and "needs work": times in milliseconds, CLS without a unit. */
const limits = {
  mobile: {
    fcp: [1800, 3000],
    si: [3387, 5800],
    lcp: [2500, 4000],
    tti: [3785, 7300],
    tbt: [200, 600],
    cls: [0.1, 0.25],
  },
  desktop: {
    fcp: [934, 1600],
    si: [1311, 2300],
    lcp: [1200, 2400],
    tti: [2468, 4500],
    tbt: [150, 350],
    cls: [0.1, 0.25],
  },
} as const;

export const gradeWords = { pass: 'good', work: 'needs work', poor: 'poor', unknown: 'unknown' };
export const gradeSigns = { pass: '●', work: '■', poor: '▲', unknown: '○' };

export const gradeOf = (name: MetricName, value: number | null, device: RunView['device']): Grade => {
  if (value === null) return 'unknown';
  if (isScore(name)) return value >= 90 ? 'pass' : value >= 50 ? 'work' : 'poor';
  const [good, poor] = limits[device][name];
  return value <= good ? 'pass' : value <= poor ? 'work' : 'poor';
};

/** Returns the value of a metric as a number: a time in milliseconds, or a score. */
export const numberOf = (run: Measured, name: MetricName): number | null =>
  isScore(name) ? run[name] : run.numericValues[name];

/** Returns the milliseconds of a time such as `"633ms"`, and other values as they are. */
export const plain = (value: ShownValue | undefined): number | null =>
  typeof value === 'string' ? Number.parseFloat(value) : (value ?? null);

const shift = (value: number) => (value === 0 ? '0' : value < 0.01 ? value.toFixed(3) : value.toFixed(2));

/** Returns a value with its unit. Scores and CLS have none. */
export const textOf = (name: MetricName, value: number) => {
  if (isScore(name)) return `${Math.round(value)}`;
  if (name === 'cls') return shift(value);
  return Math.abs(value) >= 1000 ? `${(value / 1000).toFixed(1)} s` : `${Math.round(value)} ms`;
};

/** Returns a value as a comparison or a sample has it, with its unit. */
export const textOrDash = (name: MetricName, value: ShownValue | undefined): string => {
  const number = plain(value);
  return number === null ? '–' : textOf(name, number);
};

/** Returns the spread of the samples: a range of scores, or the half of the width in the unit of the value. */
export const spreadText = (name: MetricName, value: number, spread: Range): string => {
  if (!spread) return '';
  const [min, max] = [plain(spread.min) ?? 0, plain(spread.max) ?? 0];
  if (isScore(name)) return min === max ? '' : `(${min}–${max})`;
  const half = (max - min) / 2;
  if (name === 'cls') return half < 0.0005 ? '' : `±${shift(half)}`;
  if (value < 1000) return half < 0.5 ? '' : `±${Math.round(half)}`;
  return half < 50 ? '' : `±${(half / 1000).toFixed(1)}`;
};

/** Returns the parts of a value that a table shows, or undefined if the run doesn't have it. */
export const shownValue = (run: Measured & Pick<RunView, 'device' | 'spread'>, name: MetricName) => {
  const value = numberOf(run, name);
  if (value === null) return undefined;
  const grade = gradeOf(name, value, run.device);
  const spread = spreadText(name, value, run.spread?.[name]);
  return { value, grade, sign: gradeSigns[grade], text: textOf(name, value), spread };
};

/** Returns a difference with its sign and unit. */
export const signed = (name: MetricName, value: number) =>
  `${value > 0 ? '+' : value < 0 ? '−' : '±'}${textOf(name, Math.abs(value))}`;

export const counted = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
