import { prices } from '../prices.ts';
import { functionSettings } from '../settings.ts';

/*
 * `npm run cost`: dollars for each 1,000 runs, by service, from list prices and from what a run was measured to use.
 * Change a number here and run it again.
 */

/** What one run uses. A check of one region, read ten times by a client that waits for it, its report once. */
const perRun = {
  auditSeconds: 6.5, // 6.2 s in a warm process on two cores; the rest is for the few that start cold
  apiRequests: 12,
  apiSeconds: 0.05, // of a function with `apiMemoryMb`
  writes: 16, // request units of 1 KB, the index among them: limits 2, create 5, sent 2, claim 2, finish 4, close 1
  reads: 16, // request units of 4 KB
  sqsRequests: 4,
  reportGb: 0.4e-3, // gzipped
  reportMonths: 3,
  logGb: 6e-6,
  traces: 3, // its create, its job, its audit: reads are not traced
};

/** What an environment of six regions costs in a month, whatever it is asked to do. */
const fixed = {
  sqsRequests: 12 * 5 * 3 * 60 * 24 * 30, // each mapping of a queue polls with five pollers, every 20 s
  sweeps: 60 * 24 * 30,
  sweepSeconds: 0.3,
  sweepReads: 8,
  metrics: 51,
  alarms: 58,
  dashboards: 1,
};

const GB = 1024; // MB, as Lambda counts
const lambda = (seconds: number, memoryMb: number) => seconds * (memoryMb / GB) * prices.lambdaGbSecond;

/** Dollars by service for a month of so many runs. */
const month = (runs: number): Record<string, number> => ({
  'Lambda, audits': runs * (lambda(perRun.auditSeconds, functionSettings.auditMemoryMb) + prices.lambdaRequest),
  'Lambda, API and sweeper':
    runs * perRun.apiRequests * (lambda(perRun.apiSeconds, functionSettings.apiMemoryMb) + prices.lambdaRequest) +
    fixed.sweeps * (lambda(fixed.sweepSeconds, functionSettings.apiMemoryMb) + prices.lambdaRequest),
  'API Gateway': runs * perRun.apiRequests * prices.httpApiRequest,
  DynamoDB:
    runs * (perRun.writes * prices.dynamodbWrite + perRun.reads * prices.dynamodbRead) +
    fixed.sweeps * fixed.sweepReads * prices.dynamodbRead,
  SQS: (runs * perRun.sqsRequests + fixed.sqsRequests) * prices.sqsRequest,
  'S3 and transfer':
    runs *
    (prices.s3Put + prices.s3Get + perRun.reportGb * (perRun.reportMonths * prices.s3GbMonth + 2 * prices.transferGb)),
  CloudWatch:
    runs * perRun.logGb * prices.logGb +
    fixed.metrics * prices.metricMonth +
    fixed.alarms * prices.alarmMonth +
    fixed.dashboards * prices.dashboardMonth,
  'X-Ray': runs * perRun.traces * prices.trace,
});

const volumes = [1_000, 100_000, 10_000_000];
const months = volumes.map(month);
const row = (name: string, dollars: readonly number[]) =>
  `| ${name.padEnd(24)} | ${dollars.map((each, i) => ((each / (volumes[i] as number)) * 1000).toFixed(3).padStart(16)).join(' | ')} |`;

console.log(`Dollars for each 1,000 runs, at so many runs a month\n`);
console.log(
  `| service                  | ${volumes.map((runs) => runs.toLocaleString('en').padStart(16)).join(' | ')} |`,
);
console.log(`| ------------------------ | ${volumes.map(() => `${'-'.repeat(15)}:`).join(' | ')} |`);
for (const name of Object.keys(months[0] as object)) {
  console.log(
    row(
      name,
      months.map((each) => each[name] as number),
    ),
  );
}
console.log(
  row(
    '**all**',
    months.map((each) => Object.values(each).reduce((sum, dollars) => sum + dollars, 0)),
  ),
);
