import type { AuditFact, Finding } from './audit-facts.ts';
import { pageElement } from './elements.ts';
import type { ReportFacts } from './facts.ts';
import type { AuditChange, ElementChange } from './schema.ts';

/** An audit in both reports. */
export type AuditPair = { base: AuditFact; now: AuditFact };

const auditPairs = (base: ReportFacts, now: ReportFacts): AuditPair[] => {
  const before = new Map(base.audits.map((audit) => [`${audit.category} ${audit.id}`, audit]));
  return now.audits.flatMap((audit) => {
    const found = before.get(`${audit.category} ${audit.id}`);
    return found ? [{ base: found, now: audit }] : [];
  });
};

/** Returns the audits whose outcome differs, those with the largest weight first. Audits of times only with `withTimes`. */
export const flippedAudits = (base: ReportFacts, now: ReportFacts, withTimes: boolean): AuditPair[] =>
  auditPairs(base, now)
    .filter((pair) => pair.base.failed !== pair.now.failed && (withTimes || !pair.now.isTime))
    .sort((a, b) => b.now.weight - a.now.weight);

export const auditChange = ({ base, now }: AuditPair): AuditChange => ({
  audit: now.id,
  category: now.category,
  title: now.title,
  outcome: now.failed ? 'failed' : 'passed',
  base: base.score,
  value: now.score,
});

export type FindingChange = { audit: AuditFact; finding: Finding; change: ElementChange['change'] };

/** Returns the findings that only one of the reports has. The title is that of the failed audit. */
export const findingChanges = (base: ReportFacts, now: ReportFacts): FindingChange[] =>
  auditPairs(base, now)
    .sort((a, b) => b.now.weight - a.now.weight)
    .flatMap((pair) => {
      const onlyIn = (audit: AuditFact, other: AuditFact, change: ElementChange['change']): FindingChange[] => {
        const known = new Set(other.findings.map(({ key }) => key));
        return audit.findings.filter(({ key }) => !known.has(key)).map((finding) => ({ audit, finding, change }));
      };
      return [...onlyIn(pair.now, pair.base, 'new'), ...onlyIn(pair.base, pair.now, 'gone')];
    });

export const elementChange = ({ audit, finding, change }: FindingChange): ElementChange => ({
  audit: audit.id,
  category: audit.category,
  title: audit.title,
  change,
  ...(finding.element ? pageElement(finding.element) : { selector: null, snippet: null }),
  url: finding.url,
});
