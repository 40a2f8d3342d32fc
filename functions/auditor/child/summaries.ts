import { type AuditVersion, auditVersion } from '../../../shared/audit-versions.ts';
import type { MoreResults } from '../lighthouse/run.ts';
import type { AuditSummary } from '../messages.ts';

/** Returns the results of a load with what else it gives. */
export const summariesOf = (
  version: AuditVersion,
  summary: AuditSummary,
  more: MoreResults | undefined,
  displayedUrl: string | undefined,
) => {
  const { simulated, also, warning } = more ?? {};
  const finalUrl = finalUrlOf(version, summary, displayedUrl);
  const warnings = [...summary.warnings, ...(warning ? [warning] : [])];
  return { summary: { ...summary, finalUrl, warnings, ...simulated }, ...(also && { also: { ...also, finalUrl } }) };
};

/** Returns the displayed address of the page. The result of version 9 has the address without its fragment. */
const finalUrlOf = (version: AuditVersion, { finalUrl }: AuditSummary, displayedUrl: string | undefined) => {
  const isComplete = auditVersion(version).acceptsPage || !/^https?:/.test(finalUrl ?? '');
  return isComplete ? finalUrl : (displayedUrl ?? finalUrl);
};
