import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Check } from '../../../shared/check.ts';
import type { Run } from '../../../shared/run.ts';
import type { Reply } from '../http/response.ts';
import { parsed } from '../thread/report-tasks.ts';
import { tooLarge } from './errors.ts';
import { masked, type parseMask } from './fields.ts';
import { loadingExperiences } from './loading-experience.ts';

/** Parts of a report that this file reads. */
type Report = { fetchTime?: string; configSettings?: { formFactor?: string }; fullPageScreenshot?: unknown };
type Measured = Pick<Run, 'url' | 'finalUrl'> & Pick<Check, 'fieldData'>;

/** Returns a report in the shape of PageSpeed's API. */
export const resultOf = (report: Report, { url, finalUrl, fieldData }: Measured) => ({
  captchaResult: 'CAPTCHA_NOT_NEEDED',
  kind: 'pagespeedonline#result',
  id: finalUrl ?? url,
  ...loadingExperiences(fieldData, url),
  lighthouseResult: {
    ...report,
    configSettings: { ...report.configSettings, emulatedFormFactor: report.configSettings?.formFactor },
  },
  analysisUTCTimestamp: report.fetchTime,
});

type Options = {
  gzipped: boolean;
  maxBytes: number;
  mask?: ReturnType<typeof parseMask> | undefined;
};

/** Replies with the result of a gzipped report. Leaves out the picture of the full page if the answer would be too large with it. */
export const replyOf = async (zipped: Buffer, run: Measured, { gzipped, maxBytes, mask }: Options): Promise<Reply> => {
  const report: Report = await parsed(zipped);
  for (const each of [report, { ...report, fullPageScreenshot: null }]) {
    const text = JSON.stringify(masked(resultOf(each, run), mask ?? new Map()));
    const body = gzipped ? await gzip(text) : Buffer.from(text);
    const coding = gzipped && { 'content-encoding': 'gzip' };
    const type = { 'content-type': 'application/json', vary: 'Accept-Encoding', ...coding };
    if (body.length <= maxBytes) return { status: 200, headers: type, body };
  }
  return tooLarge(gzipped ? 'Read the report itself.' : 'Send "Accept-Encoding: gzip".');
};

const gzip = promisify<string, Buffer>(zlib.gzip);
