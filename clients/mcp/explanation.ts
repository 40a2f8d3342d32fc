import type { RunView } from '../../shared/run.ts';
import { cutText } from '../../shared/text.ts';

/** Size limit of an explanation, in bytes of UTF-8. */
const MAX_BYTES = 2000;
const MAX_TITLE = 90;
/** Lighthouse marks an audit as failed or in need of work below this score. */
const GOOD_SCORE = 0.9;

type Audit = {
  id: string;
  title: string;
  score: number | null;
  displayValue?: string;
  metricSavings?: Record<string, number | undefined>;
  details?: { items?: readonly unknown[]; overallSavingsMs?: number; overallSavingsBytes?: number };
};
type Category = {
  id: string;
  score: number | null;
  auditRefs: readonly { id: string; weight: number; group?: string }[];
};

/** Fields that all supported Lighthouse versions write. */
type LighthouseReport = { audits: Record<string, Audit>; categories: Record<string, Category> };

type Finding = { audit: Audit; category: string; points: number; milliseconds: number; bytes: number };

/**
 * Returns the failing audits of a report with their costs and savings, the most important first, in at most 2,000 bytes.
 */
export const explain = (run: RunView, report: LighthouseReport): string => {
  const scores = Object.values(report.categories).map(
    ({ id, score }) => `${id} ${score === null ? 'unknown' : Math.round(score * 100)}`,
  );
  const head = [
    cutText(run.finalUrl ?? run.url, 300),
    `${run.region}, Lighthouse ${run.auditVersion}, ${run.device}. Scores: ${scores.join(', ')}.`,
  ].join('\n');
  const findings = findingsOf(report);
  if (findings.length === 0) return `${head}\nNo audit failed.`;
  return withinLimit(`${head}\nFailing audits, the most important first:`, findings.map(lineOf));
};

const findingsOf = ({ audits, categories }: LighthouseReport): Finding[] =>
  Object.values(categories)
    .flatMap(({ id, auditRefs }) => {
      const total = auditRefs.reduce((sum, { weight }) => sum + weight, 0);
      return auditRefs.flatMap(({ id: auditId, weight, group }) => {
        const audit = audits[auditId];
        const isMetric = group === 'metrics'; // a metric is a symptom, and the run shows it
        if (!audit || audit.score === null || audit.score >= GOOD_SCORE || isMetric) return [];
        const points = total === 0 ? 0 : (weight / total) * (1 - audit.score) * 100;
        return { audit, category: id, points, ...savingsOf(audit) };
      });
    })
    .sort((a, b) => b.points - a.points || b.milliseconds - a.milliseconds || b.bytes - a.bytes);

const savingsOf = ({ metricSavings = {}, details }: Audit): Pick<Finding, 'milliseconds' | 'bytes'> => {
  const { CLS: _unitless, ...times } = metricSavings;
  const milliseconds = Math.max(details?.overallSavingsMs ?? 0, ...Object.values(times).map((time) => time ?? 0));
  return { milliseconds, bytes: details?.overallSavingsBytes ?? 0 };
};

const lineOf = ({ audit, category, points, milliseconds, bytes }: Finding): string => {
  const items = audit.details?.items?.length ?? 0;
  const facts = [
    points >= 0.5 && `costs ${Math.round(points)} points`,
    milliseconds >= 1 && `saves ${Math.round(milliseconds)} ms`,
    bytes >= 1024 && `saves ${Math.round(bytes / 1024)} KiB`,
    items > 0 && `${items} item${items === 1 ? '' : 's'}`,
  ].filter((fact) => fact !== false);
  const cost = facts.length > 0 ? `; ${facts.join(', ')}` : '';
  return `- ${audit.id} (${category}${cost}): ${cutText(audit.title, MAX_TITLE)}`;
};

/** Returns the head and as many lines as the limit allows. The last line counts those that are left out. */
const withinLimit = (head: string, lines: readonly string[]): string => {
  for (let count = lines.length; count > 0; count -= 1) {
    const rest = lines.length - count;
    const text = [
      head,
      ...lines.slice(0, count),
      ...(rest > 0 ? [`${rest} more. The report has all of them.`] : []),
    ].join('\n');
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  }
  return head;
};
