import { cutText, printable } from '../text.ts';
import { shownUrl } from './addresses.ts';
import { type ElementFact, elementOf } from './elements.ts';
import { type Audit, type Item, itemsOf, type Report } from './report.ts';

/** A finding of an audit: an element, an address or a text. */
export type Finding = { key: string; element: ElementFact | null; url: string | null };

/** An audit of a category. `weight` is its share of the category's score, in points. */
export type AuditFact = {
  id: string;
  category: string;
  title: string;
  score: number | null;
  failed: boolean;
  /** True if the audit measures a time, which has noise. */
  isTime: boolean;
  weight: number;
  findings: readonly Finding[];
};

/** Lighthouse marks an audit as failed or in need of work below this score. */
const GOOD_SCORE = 0.9;
const MAX_FINDINGS = 200;
const MAX_TITLE = 120;
const unscored = ['informative', 'manual', 'notApplicable', 'error'];

/** Returns the audits of all categories, without metrics and hidden audits. */
export const auditFacts = (report: Report): AuditFact[] =>
  Object.entries(report.categories).flatMap(([category, found]) => {
    const refs = found?.auditRefs ?? [];
    const total = refs.reduce((sum, { weight }) => sum + weight, 0);
    return refs.flatMap(({ id, weight, group }) => {
      const audit = report.audits[id];
      if (!audit || group === 'metrics' || (group === 'hidden' && category === 'performance')) return [];
      return [factOf(report, id, category, audit, total > 0 ? (100 * weight) / total : 0)];
    });
  });

const factOf = (report: Report, id: string, category: string, audit: Audit, weight: number): AuditFact => {
  const applies = !unscored.includes(audit.scoreDisplayMode ?? '');
  const score = applies ? (audit.score ?? null) : null;
  const failed = score !== null && score < GOOD_SCORE;
  return {
    id,
    category,
    title: cutText(printable(audit.title ?? id), MAX_TITLE),
    score,
    failed,
    isTime: audit.numericUnit === 'millisecond',
    weight,
    findings: failed && category !== 'performance' ? itemsOf(report, id).slice(0, MAX_FINDINGS).map(findingOf) : [],
  };
};

const findingOf = (item: Item): Finding => {
  const element = item.node ? elementOf(item.node) : null;
  const source = item.sourceLocation as { url?: unknown } | undefined;
  const address = item.url ?? source?.url;
  const url = typeof address === 'string' ? shownUrl(address.slice(0, 2048)) : null;
  const text = String(item.description ?? item.source ?? '').slice(0, 200);
  return { key: element?.selector ?? `${url} ${text}`, element, url };
};
