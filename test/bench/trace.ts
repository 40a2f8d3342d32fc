import type { Report } from './reading.ts';

/** Milliseconds from the POST until each step of an audit, in their order. */
export type Trace = { step: string; ms: number }[];

/** Steps of a run by the message or event in the log of the service. */
const logged: [text: string, step: string][] = [
  ['The job is received.', 'the worker receives the job'],
  ['The run is claimed.', 'the run is claimed'],
  ['started', 'the auditor receives the order'],
  ['browser', 'Chromium has started'],
  ['cpu-acquired', 'Lighthouse starts'],
  ['measured', 'the timed part ends'],
  ['audited', 'the worker receives the result'],
  ['The report is stored.', 'the report is stored'],
  ['The run is finished.', 'the run is finished'],
];
const LIGHTHOUSE_ENDED = 'Lighthouse ends';

/** Returns the steps of the audit that was posted last. Lighthouse ends when its own time is over. */
export const traceOf = (
  lines: readonly string[],
  { postedAt, seconds, report }: { postedAt: number; seconds: number; report: Report },
): Trace => {
  const trace: Trace = [];
  for (const line of lines) {
    const { message, type, timestamp } = line.startsWith('{') ? JSON.parse(line) : {};
    const ms = Date.parse(timestamp) - postedAt;
    const [, step] =
      logged.find(([text]) => text === (message === 'The auditor sent an event.' ? type : message)) ?? [];
    if (step && ms >= 0) trace.push({ step, ms });
    if (type === 'cpu-acquired' && ms >= 0) trace.push({ step: LIGHTHOUSE_ENDED, ms: ms + report.timing.total });
  }
  return [...trace, { step: 'the answer is read', ms: 1000 * seconds }].sort((a, b) => a.ms - b.ms);
};
