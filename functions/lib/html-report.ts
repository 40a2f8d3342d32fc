/** The release whose viewer shows reports; it reads those of every supported version. */
export { newestVersion as viewerVersion } from '../../shared/audit-versions.ts';

/** A Lighthouse result as a page that shows it: Lighthouse's own, with all that it needs in it. */
export const htmlReport = async (json: string): Promise<string> => {
  const { ReportGenerator } = await import('lighthouse/report/generator/report-generator.js'); // of no use to JSON
  return ReportGenerator.generateReportHtml(JSON.parse(json));
};
