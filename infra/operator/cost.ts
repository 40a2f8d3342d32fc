import { Streams } from '../../clients/cli/streams.ts';
import { type FunctionName, functionRows } from '../../shared/functions.ts';
import { prices } from '../prices.ts';

/*
 * `npm run cost`: prints dollars per 1,000 runs by service, from list prices and the measured use of a run. Change a
 * number here and run it again.
 */

/** Use of one run: a check of one region. Its client waits for the check once and reads the report once. */
const perRun = {
  auditSeconds: 6.5, // measured: 6.2 s in a warm process on two cores; the rest covers cold starts
  apiRequests: 2, // without the wait
  apiSeconds: 0.05, // in a function that does not wait
  waitSeconds: 10,
  // In request units of 1 KB with the indexes: limits 2, create 7, sent 2, claim 2, finish 4, close 4. A run with more
  // samples makes another write of 2 or 3 units for each sample but the last.
  writes: 21,
  reads: 13, // 7 for the wait; in request units of 4 KB
  checkGb: 8e-6, // check, run and pointer in the table
  trendGb: 2e-6, // entry in the series of its URL, in the table and in the index
  sqsRequests: 4,
  reportGb: 0.4e-3, // gzipped
  months: 3, // until a check and its report expire
  trendMonths: 13,
  logGb: 6e-6,
  traces: 3, // create, job and audit; reads are not traced
};

/** Monthly use of an environment of six regions that is independent of its runs. */
const fixed = {
  sqsRequests: 12 * 5 * 3 * 60 * 24 * 30, // five pollers per queue, every 20 s
  sweeps: 60 * 24 * 30,
  sweepSeconds: 0.3,
  sweepReads: 8,
  metrics: 70,
  alarms: 66,
  dashboards: 1,
};

const GB = 1024; // in MB, as Lambda counts
/** Returns the dollars of an invocation of a function that takes some seconds. */
const invocation = (name: FunctionName, seconds: number): number => {
  const { memoryMb, architecture } = functionRows[name];
  return seconds * (memoryMb / GB) * prices.lambdaGbSecond[architecture] + prices.lambdaRequest;
};

/** Returns the dollars per service for a month with this number of runs. */
const month = (runs: number): Record<string, number> => ({
  'Lambda, audits': runs * invocation('run-audit', perRun.auditSeconds),
  'Lambda, API and sweeper':
    runs * perRun.apiRequests * invocation('create-check', perRun.apiSeconds) +
    runs * invocation('get-check', perRun.waitSeconds) +
    fixed.sweeps * invocation('sweep', fixed.sweepSeconds),
  'API Gateway': runs * (perRun.apiRequests + 1) * prices.httpApiRequest,
  DynamoDB:
    runs * (perRun.writes * prices.dynamodbWrite + perRun.reads * prices.dynamodbRead) +
    runs * (perRun.checkGb * perRun.months + perRun.trendGb * perRun.trendMonths) * prices.dynamodbGbMonth +
    fixed.sweeps * fixed.sweepReads * prices.dynamodbRead,
  SQS: (runs * perRun.sqsRequests + fixed.sqsRequests) * prices.sqsRequest,
  'S3 and transfer':
    runs * (prices.s3Put + prices.s3Get + perRun.reportGb * (perRun.months * prices.s3GbMonth + 2 * prices.transferGb)),
  CloudWatch:
    runs * perRun.logGb * prices.logGb +
    fixed.metrics * prices.metricMonth +
    fixed.alarms * prices.alarmMonth +
    fixed.dashboards * prices.dashboardMonth,
  'X-Ray': runs * perRun.traces * prices.trace,
});

const volumes = [1_000, 100_000, 10_000_000]; // runs a month

/** Returns a Markdown table: dollars per 1,000 runs, one row per service and one column per volume. */
const costTable = (): string => {
  const months = volumes.map(month);
  const services = Object.keys(months[0] as object);
  const sums = months.map((dollars) => Object.values(dollars).reduce((sum, each) => sum + each, 0));
  return [
    tableRow(
      'service',
      volumes.map((runs) => runs.toLocaleString('en')),
    ),
    `| ${'-'.repeat(24)} | ${volumes.map(() => `${'-'.repeat(15)}:`).join(' | ')} |`,
    ...services.map((name) => tableRow(name, perThousand(months.map((dollars) => dollars[name] as number)))),
    tableRow('**all**', perThousand(sums)),
  ].join('\n');
};

const perThousand = (dollars: readonly number[]): string[] =>
  dollars.map((each, i) => ((each / (volumes[i] as number)) * 1000).toFixed(3));

const tableRow = (name: string, cells: readonly string[]): string =>
  `| ${name.padEnd(24)} | ${cells.map((cell) => cell.padStart(16)).join(' | ')} |`;

const { print, note, end } = new Streams();
const title = 'Estimated dollars per 1,000 runs. Each column is a number of runs per month.';
await print(`${title}\n\n${costTable()}\n`).catch(({ message }) => note(message));
process.exitCode = await end(0, 1);
