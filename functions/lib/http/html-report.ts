import { auditVersions } from '../../../shared/audit-versions.ts';
import { inThread } from '../thread/in-thread.ts';
import { pageWith } from '../thread/report-tasks.ts';

/** The Lighthouse version whose report viewer is used. It reads the reports of all supported versions. */
export const viewerVersion = auditVersions[0].version;

/** Returns an HTML page that shows a gzipped Lighthouse result. The page includes its data, script and styles. */
export const htmlReport = async (zipped: Buffer, gzipped: boolean): Promise<Uint8Array> => {
  const page = await reportPage(null);
  const start = page.indexOf(DATA) + DATA.length;
  return inThread({ pageWith }, zipped, [page.slice(0, start), page.slice(start + 'null'.length)], gzipped);
};

/** Returns an HTML page that loads a Lighthouse result from a URL and shows it. It is for results too large to send. */
export const loadingReport = async (url: string): Promise<string> => {
  const page = await reportPage(null);
  const start = page.lastIndexOf(START);
  return `${page.slice(0, start)}(${load})(${JSON.stringify(url)});${page.slice(start + START.length)}`;
};

const reportPage = async (result: unknown): Promise<string> => {
  // Imported on first use, because JSON responses don't need it.
  const { ReportGenerator } = await import('lighthouse/report/generator/report-generator.js');
  return ReportGenerator.generateReportHtml(result as Parameters<typeof ReportGenerator.generateReportHtml>[0]);
};

/** The statement with the result. */
const DATA = 'window.__LIGHTHOUSE_JSON__ = ';
/** The last statement of the report. */
const START = '__initLighthouseReport__();';

/**
 * Script that loads the result and starts the report. The result becomes the script that other reports have from the
 * start, so that a saved copy of the page is complete.
 */
const load = `async (url) => {
  if (window.__LIGHTHOUSE_JSON__ === null) {
    const note = document.body.appendChild(document.createElement('p'));
    note.role = 'status';
    note.style.font = '16px system-ui, sans-serif';
    note.style.padding = '16px';
    note.textContent = 'Loading the report …';
    try {
      const answer = await fetch(url);
      if (!answer.ok) throw new Error(answer.status);
      const data = document.createElement('script');
      data.text = 'window.__LIGHTHOUSE_JSON__ = ' + (await answer.text()).replaceAll('<', '\\\\u003c') + ';';
      document.scripts[0].replaceWith(data);
      note.remove();
    } catch {
      note.textContent = 'The report did not load. Its address is valid for five minutes. Open the report again.';
      return;
    }
  }
  ${START}
}`;
