import { allRegions, regions } from '../../shared/regions.ts';
import { type FunctionName, functionRows } from '../../shared/service/functions.ts';
import { metrics } from '../../shared/service/metrics.ts';
import { MAX_OPEN_SHARDS } from '../../shared/service/partitions.ts';
import type { Environment } from '../environments.ts';
import { prices, transferGb } from '../prices.ts';

/** Use of one run: a check of one region. Its client waits for the check once and reads the report once. */
export const perRun = {
  auditSeconds: 6.2, // measured: a small page in a warm process on two cores
  coldSeconds: 5.8, // measured: the first audit of a process takes this much longer
  apiRequests: 4, // create, redirect to the wait, wait and report
  apiSeconds: 0.05, // in a function that does not wait
  apiColdSeconds: 0.4,
  waitSeconds: 10,
  // In request units of 1 KB with the indexes, measured by test/integration/write-units.test.ts. A run with more samples makes
  // another write of 2 or 3 units for each sample but the last.
  writes: 40,
  writesOfPage: 5, // of these, for the newest results and the series of its page, if that is as long as it gets
  reads: 14, // 7 for the wait, and 1 for the newest results; in request units of 4 KB
  checkGb: 8e-6, // check, run and pointer in the table
  trendGb: 2e-6, // entry in the series of its URL, in the table and in the index
  sqsRequests: 4,
  reportGb: 0.4e-3, // gzipped
  logGb: 6e-6,
  traces: 3, // create, job and audit; reads are not traced
};

/** Minutes for which Lambda keeps an idle instance. AWS promises nothing; this is what many report. */
const KEEP_MINUTES = 10;
/** Metrics that a region has beside those of each run, because some runs and attempts fail: one for each code. */
const FAILURE_METRICS = 4;
/** Metrics that each sweep emits: SweepDone and OpenPastDue. */
const SWEEPER_METRICS = 2;
/** Metrics that a region emits with each successful run. */
const METRICS_OF_A_RUN = Object.values(metrics).filter(
  ({ by, dimensions }) => by[0] === 'run-audit' && dimensions.join() === 'region',
).length;
/** Time that the canary waits for its regions, in seconds. */
const CANARY_SECONDS = 25;
const MINUTES = 30 * 24 * 60; // of a month

/** Returns the numbers of metrics that the alarms of a stack read. A test compares them with the templates. */
export const alarmMetrics = ({ canaryMinutes, reserved }: Environment) => ({
  home: 16 + (canaryMinutes ? 2 : 0) + (reserved ? 4 : 0),
  region: 14 + (canaryMinutes ? 1 : 0),
});

/** Returns the number of metrics that all alarms of an environment read. CloudWatch bills each of them. */
export const alarmMetricsOf = (environment: Environment): number => {
  const { home, region } = alarmMetrics(environment);
  return home + environment.regions.length * region;
};

type Dollars = Record<string, number>;

/** Returns the number of runs that the canary starts in a month. */
const canariesOf = ({ regions: deployed, canaryMinutes }: Environment): number =>
  canaryMinutes ? (MINUTES / canaryMinutes) * deployed.length : 0;

/** Returns the dollars of a month by part, if an environment has no user. */
export const idleMonth = (environment: Environment): Dollars => {
  const canaries = canariesOf(environment);
  const deployed = environment.regions.length;
  return {
    Alarms: alarmMetricsOf(environment) * prices.alarmMonth,
    'Polls of the queues': polls(environment) * prices.sqsRequest,
    Dashboard: prices.dashboardMonth,
    'Metrics of the sweeper': SWEEPER_METRICS * prices.metricMonth,
    Sweeper: sweeps(),
    'Canary: its runs':
      sum(usage(environment, canaries, canaries)) + (canaries / deployed) * lambda('canary', CANARY_SECONDS),
    'Canary: its metrics': (runMetrics(environment, canaries, 0) + (canaries ? 1 : 0)) * prices.metricMonth,
  };
};

/** Returns the dollars of a month by service, with this number of runs beside those of the canary. */
export const month = (environment: Environment, runs: number): Dollars => {
  const idle = idleMonth(environment);
  const canaries = canariesOf(environment);
  const used = usage(environment, runs, runs + canaries);
  const moreMetrics = runMetrics(environment, runs + canaries, FAILURE_METRICS) - runMetrics(environment, canaries, 0);
  return {
    ...used,
    CloudWatch: (used.CloudWatch as number) + moreMetrics * prices.metricMonth,
    'Fixed, without the canary': sum(idle) - canaryCost(idle),
    Canary: canaryCost(idle),
  };
};

const canaryCost = (idle: Dollars): number =>
  sum(Object.fromEntries(Object.entries(idle).filter(([part]) => part.startsWith('Canary'))));

export const sum = (dollars: Dollars): number => Object.values(dollars).reduce((total, each) => total + each, 0);

/** Returns the dollars that depend on the number of runs. `all` includes other runs that keep instances warm. */
const usage = ({ regions: deployed, homeRegion, retentionDays, trendDays }: Environment, runs: number, all: number) => {
  const cold = coldShare(all / deployed.length);
  const coldApi = coldShare(all);
  const auditSeconds = perRun.auditSeconds + cold * perRun.coldSeconds;
  const apiSeconds = perRun.apiSeconds + coldApi * perRun.apiColdSeconds;
  const transfer = deployed.map((region) => (regions[region] === homeRegion ? 0 : transferGb[region]));
  const transferPrice = transfer.reduce((total, each) => total + each, 0) / deployed.length;
  const [months, trendMonths] = [retentionDays / 30, trendDays / 30];
  return {
    'Lambda, audits': runs * lambda('run-audit', auditSeconds),
    'Lambda, API':
      runs * ((perRun.apiRequests - 1) * lambda('create-check', apiSeconds) + lambda('wait-check', perRun.waitSeconds)),
    'API Gateway': runs * perRun.apiRequests * prices.httpApiRequest,
    DynamoDB:
      runs * (perRun.writes * prices.dynamodbWrite + perRun.reads * prices.dynamodbRead) +
      runs *
        (perRun.checkGb * months + perRun.trendGb * trendMonths) *
        (prices.dynamodbGbMonth + prices.dynamodbRecoveryGbMonth),
    SQS: runs * perRun.sqsRequests * prices.sqsRequest,
    S3: runs * (prices.s3Put + prices.s3Get + perRun.reportGb * months * prices.s3GbMonth),
    'Transfer between regions': runs * perRun.reportGb * transferPrice,
    'Transfer to clients': runs * perRun.reportGb * prices.internetGb,
    CloudWatch: runs * perRun.logGb * prices.logGb,
    'X-Ray': runs * perRun.traces * prices.trace,
  };
};

/** Returns the share of events that find no instance, if so many events a month arrive at random. */
const coldShare = (events: number): number => Math.exp((-events / MINUTES) * KEEP_MINUTES);

/** Returns the dollars of an invocation of a function that takes some seconds. */
const lambda = (file: FunctionName, seconds: number): number => {
  const { memoryMb, architecture } = functionRows[file];
  return seconds * (memoryMb / 1024) * prices.lambdaGbSecond[architecture] + prices.lambdaRequest;
};

/** Requests of Lambda's pollers: five for each queue, every 20 s. Each region has two queues, and the home region the deliveries. */
const polls = ({ regions: deployed }: Environment): number => (2 * deployed.length + 1) * 5 * 3 * MINUTES;

const sweeps = (): number => {
  const reads = (allRegions.length + 2) * MAX_OPEN_SHARDS * 0.5; // the query of an empty shard takes half a unit
  return MINUTES * (lambda('sweep', 0.3) + reads * prices.dynamodbRead);
};

/** Returns the number of metrics that the runs of all regions emit. CloudWatch bills the hours in which it gets data. */
const runMetrics = ({ regions: deployed }: Environment, runs: number, ofFailures: number): number => {
  const runsAnHour = runs / deployed.length / (MINUTES / 60);
  return deployed.length * (METRICS_OF_A_RUN + ofFailures) * (1 - Math.exp(-runsAnHour));
};
