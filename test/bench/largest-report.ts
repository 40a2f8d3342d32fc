import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { MAX_AUDITS, MAX_VALUES } from '../../functions/lib/uploads/report-shape.ts';
import { MAX_REPORT_BYTES } from '../../shared/uploads.ts';

const recorded = new URL('../recorded/reports/13.5.0.json.gz', import.meta.url);

/** Share of the limits that a report leaves free for the fields that the service adds. */
const MARGIN = 0.98;
/** Audits whose tables the service reads to explain a change, and to say what to fix. */
const tables = ['network-requests', 'unused-javascript', 'bootup-time', 'total-byte-weight'];
/** Values of an item of a table, with the item itself. */
const VALUES_OF_ITEM = 6;

/** Returns the JSON of a real report with as many audits, values and bytes as an upload of so many reports may have. */
export const largestReport = (reports = 1, picture = (length: number) => 'A'.repeat(length)): string => {
  const report = JSON.parse(gunzipSync(readFileSync(recorded)).toString());
  const { audits } = report;
  for (let i = Object.keys(audits).length; i < MAX_AUDITS; i++)
    audits[`audit-${i}`] = { id: `audit-${i}`, title: 'An audit', score: 0, scoreDisplayMode: 'binary' };
  const left = (MAX_VALUES * MARGIN) / reports - JSON.stringify(report).split(',').length;
  const perTable = Math.floor(left / VALUES_OF_ITEM / tables.length);
  for (const name of tables) {
    const { details } = audits[name];
    for (let i = details.items.length; i < perTable; i++) {
      const times = { total: i, wastedBytes: i % 1000, resourceSize: i, transferSize: i };
      details.items.push({ url: `https://example.com/${i}`, ...times });
    }
  }
  const bytes = Buffer.byteLength(JSON.stringify(report));
  report.fullPageScreenshot = {
    screenshot: { data: picture(Math.max(0, (MAX_REPORT_BYTES * MARGIN) / reports - bytes)) },
  };
  return JSON.stringify(report);
};
