import { recordOf } from '../record.ts';
import { existsIn, type MetricName, metricNames, type PageMetric, pageMetric } from './page-metrics.ts';

type Row = { url?: string; statusCode?: number };
type MeasuredAudit = { numericValue?: number | null | undefined; details?: { items?: unknown } | null | undefined };
/** The parts of a Lighthouse result that have its metrics. */
type MeasuredReport = {
  categories: Readonly<Record<string, { score: number | null } | undefined>>;
  audits: Readonly<Record<string, MeasuredAudit | undefined>>;
};

export const metricsOf = (lhr: MeasuredReport, version: string): Record<MetricName, number | null> =>
  recordOf(metricNames, (name) => (existsIn(name, version) ? metricOf(pageMetric(name), lhr) : null));

const metricOf = ({ category, audit, kind }: PageMetric, { categories, audits }: MeasuredReport): number | null => {
  const score = category && categories[category]?.score;
  if (category && score === undefined) return null; // `agentic-browsing` alone has the CLS too
  if (audit === undefined) return typeof score === 'number' ? Math.round(score * 100) : null;
  const number = kind === 'count' ? countRequests(audits[audit]) : audits[audit]?.numericValue;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
};

/** Counts the answered requests of an audit's table. Others were blocked or failed. A `data:` address is no request. */
const countRequests = (audit: MeasuredAudit | undefined): number | undefined => {
  const items = audit?.details?.items;
  if (!Array.isArray(items)) return undefined;
  return items.filter((row: Row | null) => /^https?:/i.test(row?.url ?? '') && (row?.statusCode ?? -1) > 0).length;
};
