import { auditVersions } from '../../../shared/audit-versions.ts';

/** The release whose viewer is used. It reads reports of every supported version. */
export const viewerVersion = auditVersions[0].version;

/** A Lighthouse result as a page that shows it, with all that it needs inside. */
export const htmlReport = async (json: string): Promise<string> => {
  const { ReportGenerator } = await import('lighthouse/report/generator/report-generator.js'); // JSON does without it
  return ReportGenerator.generateReportHtml(JSON.parse(json));
};

/**
 * What that page may do: run its own script in an origin of nobody's, load nothing, and open links, a print or a download
 * where its reader asks for one. The report in it is full of what the audited page said.
 */
export const viewerPolicy = [
  'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
