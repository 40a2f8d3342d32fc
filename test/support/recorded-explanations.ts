import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { metricRows } from '../../shared/explanation/metrics.ts';
import type { Verdicts } from '../../shared/explanation/points.ts';
import type { Report } from '../../shared/explanation/report.ts';
import type { SiteState } from './changing-site.ts';

const file = new URL('../recorded/explanations.json.gz', import.meta.url);

export const nameOf = (version: AuditVersion, state: SiteState): string => `${version} ${JSON.stringify(state)}`;

/** Parts of a report that are large, or that differ in every audit, and that no explanation reads. */
const unreadFields = ['fullPageScreenshot', 'timing', 'i18n', 'stackPacks', 'categoryGroups'];
const unreadAudits = ['full-page-screenshot', 'final-screenshot', 'screenshot-thumbnails', 'main-thread-tasks'];

/** Returns the parts of a report that an explanation reads, with ports that are the same in every recording. */
export const shortened = (report: Report): Report => {
  const audits = Object.entries(report.audits)
    .filter(([id]) => !unreadAudits.includes(id))
    .map(([id, audit]) => [id, { ...audit, description: undefined }]);
  const fields = Object.entries(report).filter(([name]) => !unreadFields.includes(name));
  const text = JSON.stringify({ ...Object.fromEntries(fields), audits: Object.fromEntries(audits) });
  return JSON.parse(text.replace(/(127\.0\.0\.1|localhost):\d+/g, (_, host) => `${host}:${portOf[host]}`));
};

const portOf: Record<string, number> = { '127.0.0.1': 8000, localhost: 8001 };

export const writeReports = (reports: Record<string, object>): void =>
  writeFileSync(file, gzipSync(JSON.stringify(reports), { level: 9 }));

export const readReports = (): Record<string, Report> => JSON.parse(gunzipSync(readFileSync(file)).toString());

const categoryNames = {
  performance: 'performance',
  accessibility: 'accessibility',
  'best-practices': 'bestPractices',
  seo: 'seo',
};

/**
 * Returns the verdicts that steady samples with the values of two reports would have. A recording has one sample a side,
 * which has no verdict about times.
 */
export const verdictsOf = (base: Report, now: Report): Verdicts => {
  const scoreOf = (report: Report, id: string) => 100 * (report.categories[id]?.score ?? 0);
  const scores = Object.entries(categoryNames).map(([id, name]) => {
    const change = scoreOf(now, id) - scoreOf(base, id);
    return [name, verdictOf(-change, 1)];
  });
  const metrics = metricRows.map(({ name, audit }) => {
    const [before, after] = [base.audits[audit]?.numericValue ?? 0, now.audits[audit]?.numericValue ?? 0];
    const smallest = name === 'cls' ? 0.01 : Math.max(75, 0.05 * Math.max(before, after));
    return [name, verdictOf(after - before, smallest)];
  });
  return Object.fromEntries([...scores, ...metrics]);
};

const verdictOf = (worseBy: number, smallest: number) => {
  if (Math.abs(worseBy) < smallest) return { verdict: 'same' };
  return { verdict: worseBy > 0 ? 'regressed' : 'improved' };
};
