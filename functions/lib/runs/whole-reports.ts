import { log } from '../log.ts';
import { bufferOf } from '../thread/buffers.ts';
import { inThread } from '../thread/in-thread.ts';
import { type Report, wholeReport } from './whole-report.ts';

/** A result of a run. `firstReport` is the report of the first sample if `report` is that of another one. */
type Result = { report?: Report; firstReport?: Report; warnings?: string[]; against?: Result };

const notWhole =
  'The report has only the parts that its own sample measured. The service could not add those of the first one. They may be too large. Audit the page again.';

/** Returns a result whose reports have all parts. */
export const withWholeReports = async <Of extends Result>({
  firstReport,
  report,
  against,
  ...result
}: Of): Promise<Of> => {
  const whole = report && firstReport ? await merged(report, firstReport) : report;
  return {
    ...result,
    ...(report && { report: whole ?? report }),
    ...(report && !whole && { warnings: [...(result.warnings ?? []), notWhole] }),
    ...(against && { against: await withWholeReports(against) }),
  } as Of;
};

/** Merges two reports in the thread. Returns undefined if they end it twice, because they would end the process too. */
const merged = async (sample: Report, first: Report): Promise<Report | undefined> => {
  const merge = () => inThread({ wholeReport }, Buffer.from(sample.gzip), Buffer.from(first.gzip)); // the thread takes its bytes
  try {
    const { gzip, bytes } = await merge().catch(merge); // another report may have ended the thread
    return { gzip: bufferOf(gzip), bytes };
  } catch (error) {
    log.error('Could not merge the reports of a run.', { error: error as Error });
    return undefined;
  }
};
