/** Highest values that Google calls "good" and "needs improvement". Times are in milliseconds. */
type FieldMetricRow = {
  name: string;
  kind: 'time' | 'shift';
  limits: readonly [good: number, needsImprovement: number];
};

/** Metrics of Chrome's field data. People look at the first ones first. */
export const fieldMetrics = {
  lcp: { name: 'LCP', kind: 'time', limits: [2500, 4000] },
  inp: { name: 'INP', kind: 'time', limits: [200, 500] },
  cls: { name: 'CLS', kind: 'shift', limits: [0.1, 0.25] },
  fcp: { name: 'FCP', kind: 'time', limits: [1800, 3000] },
  ttfb: { name: 'TTFB', kind: 'time', limits: [800, 1800] },
} as const satisfies Record<string, FieldMetricRow>;
export type FieldMetricName = keyof typeof fieldMetrics;
export const fieldMetricNames = Object.keys(fieldMetrics) as FieldMetricName[];

/** Why a check has no field data, by code. */
export const fieldDataReasons = {
  pending: 'The service is still reading them.',
  'not-public': 'The host of the page is not public, so the service asked nobody about it.',
  login: 'The check has a login, headers or cookies, so the service asked nobody about it.',
  'no-data': 'Chrome has too few visits of this page and of its origin.',
  refused: 'Chrome UX Report does not accept this URL.',
  quota: "The service's quota of queries was used up. Check the page again later.",
  'bad-key': "Google refused the service's key. Its operator has to replace CRUX_API_KEY.",
  unavailable: 'Chrome UX Report did not answer. Check the page again later.',
} as const;
export type FieldDataReason = keyof typeof fieldDataReasons;

/** Weeks of the history of field data. */
export const FIELD_WEEKS = 25;
