import { replyOf } from '../page-speed/answer.ts';
import { assertReport } from '../runs/assert-report.ts';
import { wholeReport } from '../runs/whole-report.ts';
import { readReports, readRun } from '../uploads/read-upload.ts';
import { factsIn, fixesIn, pageWith, picturesIn } from './report-tasks.ts';

/** Tasks of a thread on the bytes of a report or of an upload. Each input and result is plain data. */
export const tasks = {
  readReports,
  readRun,
  fixesIn,
  factsIn,
  picturesIn,
  pageWith,
  assertReport,
  wholeReport,
  replyOf,
};
export type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
