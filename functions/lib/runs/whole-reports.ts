import { inThread } from '../thread/in-thread.ts';
import { type Report, wholeReport } from './whole-report.ts';

/** A result of a run. `firstReport` is the report of the first sample if `report` is that of another one. */
type Result = { report?: Report; firstReport?: Report; against?: Result };

/** Returns a result whose reports have all parts. */
export const withWholeReports = async <Of extends Result>({
  firstReport,
  report,
  against,
  ...result
}: Of): Promise<Of> =>
  ({
    ...result,
    ...(report && { report: firstReport ? await merged(report, firstReport) : report }),
    ...(against && { against: await withWholeReports(against) }),
  }) as Of;

/** Merges two reports in the thread, or here if another report has ended the thread. */
const merged = async (sample: Report, first: Report): Promise<Report> => {
  const copies = [sample, first].map(({ gzip }) => Buffer.from(gzip)) as [Buffer, Buffer]; // the thread takes their bytes
  const whole = await inThread('wholeReport', ...copies).catch(() => wholeReport(sample, first));
  return { ...sample, gzip: Buffer.from(whole.gzip), bytes: whole.bytes };
};
