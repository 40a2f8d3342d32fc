import { auditVersions } from '../../../shared/audit-versions.ts';

/** The Lighthouse version whose report viewer is used. It reads the reports of all supported versions. */
export const viewerVersion = auditVersions[0].version;

/** Returns an HTML page that shows a Lighthouse result. The page includes its data, script and styles. */
export const htmlReport = async (json: string): Promise<string> => {
  // Imported on first use, because JSON responses don't need it.
  const { ReportGenerator } = await import('lighthouse/report/generator/report-generator.js');
  return ReportGenerator.generateReportHtml(JSON.parse(json));
};

/**
 * Content security policy of the HTML report. The report contains text from the audited page, so the policy gives its
 * script an opaque origin and loads nothing. The reader can still open links, print and download.
 */
export const viewerPolicy = [
  'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'", // the web page shows it in a sandboxed frame
].join('; ');
