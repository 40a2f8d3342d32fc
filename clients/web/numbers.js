// @ts-check

/** @typedef {'performance' | 'accessibility' | 'bestPractices' | 'seo' | 'pwa' | 'agenticBrowsing'} ScoreName */
/** @typedef {'fcp' | 'si' | 'lcp' | 'tti' | 'tbt' | 'cls'} TimingName */
/** @typedef {ScoreName | TimingName} MetricName */
/** @typedef {'pass' | 'work' | 'poor' | 'unknown'} Grade */

/** Names of the metrics, in the order of the tables. */
export const metricNames = /** @type {const} */ ({
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
});
/** Usual short names, for tables with a column per region. */
export const shortNames = /** @type {Partial<Record<MetricName, string>>} */ ({
  fcp: 'FCP',
  lcp: 'LCP',
  tbt: 'TBT',
  cls: 'CLS',
  si: 'Speed index',
  tti: 'TTI',
});
export const metrics = /** @type {MetricName[]} */ (Object.keys(metricNames));
/** The short name of each metric, or its name. */
export const labels = /** @type {Readonly<Record<MetricName, string>>} */ ({ ...metricNames, ...shortNames });
/** Metrics that people look at first. */
export const mainMetrics = /** @type {readonly MetricName[]} */ ([
  'performance',
  'lcp',
  'tbt',
  'cls',
  'accessibility',
  'bestPractices',
  'seo',
  'pwa',
  'agenticBrowsing',
]);
export const scores = /** @type {ScoreName[]} */ ([
  'performance',
  'accessibility',
  'bestPractices',
  'seo',
  'pwa',
  'agenticBrowsing',
]);

/** @param {MetricName} name */
export const isScore = (name) => scores.includes(/** @type {ScoreName} */ (name));

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
};

export const gradeWords = { pass: 'good', work: 'needs work', poor: 'poor', unknown: 'unknown' };
export const gradeSigns = { pass: '●', work: '■', poor: '▲', unknown: '○' };

/**
 * @param {MetricName} name
 * @param {number | null | undefined} value
 * @param {'mobile' | 'desktop'} device
 * @returns {Grade}
 */
export const gradeOf = (name, value, device) => {
  if (value === null || value === undefined) return 'unknown';
  if (isScore(name)) return value >= 90 ? 'pass' : value >= 50 ? 'work' : 'poor';
  const [good, poor] = limits[device][/** @type {TimingName} */ (name)];
  return value <= /** @type {number} */ (good) ? 'pass' : value <= /** @type {number} */ (poor) ? 'work' : 'poor';
};

/**
 * Returns the value of a metric as a number: a time in milliseconds, or a score.
 * @param {any} run
 * @param {MetricName} name
 * @returns {number | null}
 */
export const numberOf = (run, name) => (isScore(name) ? run[name] : run.numericValues[name]);

/**
 * Returns the milliseconds of a time such as `"633ms"`, and other values as they are.
 * @param {string | number | null | undefined} value
 */
export const plain = (value) => (typeof value === 'string' ? Number.parseFloat(value) : (value ?? null));

/** @param {number} value */
const shift = (value) => (value === 0 ? '0' : value < 0.01 ? value.toFixed(3) : value.toFixed(2));

/**
 * Returns a value with its unit. Scores and CLS have none.
 * @param {MetricName} name
 * @param {number} value
 */
export const textOf = (name, value) => {
  if (isScore(name)) return `${Math.round(value)}`;
  if (name === 'cls') return shift(value);
  return Math.abs(value) >= 1000 ? `${(value / 1000).toFixed(1)} s` : `${Math.round(value)} ms`;
};

/**
 * Returns a value as a comparison or a sample has it, with its unit.
 * @param {MetricName} name
 * @param {string | number | null | undefined} value
 */
export const textOrDash = (name, value) => {
  const number = plain(value);
  return number === null ? '–' : textOf(name, number);
};

/**
 * Returns the spread of the samples: a range of scores, or the half of the width in the unit of the value.
 * @param {MetricName} name
 * @param {number} value
 * @param {{ min: any, max: any } | null | undefined} spread
 */
export const spreadText = (name, value, spread) => {
  if (!spread) return '';
  const [min, max] = [plain(spread.min) ?? 0, plain(spread.max) ?? 0];
  if (isScore(name)) return min === max ? '' : `(${min}–${max})`;
  const half = (max - min) / 2;
  if (name === 'cls') return half < 0.0005 ? '' : `±${shift(half)}`;
  if (value < 1000) return half < 0.5 ? '' : `±${Math.round(half)}`;
  return half < 50 ? '' : `±${(half / 1000).toFixed(1)}`;
};

/**
 * Returns the parts of a value that a table shows, or undefined if the run doesn't have it.
 * @param {any} run
 * @param {MetricName} name
 */
export const shownValue = (run, name) => {
  const value = numberOf(run, name);
  if (value === null) return undefined;
  const grade = gradeOf(name, value, run.device);
  const spread = spreadText(name, value, run.spread?.[name]);
  return { value, grade, sign: gradeSigns[grade], text: textOf(name, value), spread };
};

/**
 * Returns a difference with its sign and unit.
 * @param {MetricName} name
 * @param {number} value
 */
export const signed = (name, value) => `${value > 0 ? '+' : value < 0 ? '−' : '±'}${textOf(name, Math.abs(value))}`;

/** @param {number} count @param {string} noun */
export const counted = (count, noun) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
