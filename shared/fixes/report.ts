import type { ScoringOptions } from './metric-score.ts';

/** The parts of a Lighthouse result, of versions 9 to 13, that show what to fix. */
export type FixableReport = {
  categories: Record<string, ReportCategory>;
  audits: Record<string, ReportAudit | undefined>;
};

export type ReportCategory = { auditRefs: readonly AuditRef[] };
export type AuditRef = { id: string; weight: number; group?: string; acronym?: string };

export type ReportAudit = {
  title: string;
  description?: string;
  score: number | null;
  scoreDisplayMode: string;
  numericValue?: number;
  /** Metrics have it since version 11. */
  scoringOptions?: ScoringOptions;
  /** Since version 11. */
  metricSavings?: MetricSavings | undefined;
  details?: Details;
};

/** Savings by the acronym of the metric. Times are in milliseconds. */
export type MetricSavings = Readonly<Record<string, number | undefined>>;

/** Details of an audit. Its items have many forms, and the page decides their texts. */
export type Details = {
  type?: string;
  items?: unknown;
  overallSavingsMs?: number;
  overallSavingsBytes?: number;
  summary?: { wastedMs?: number };
  debugData?: { wastedBytes?: number };
};
