import { allRegions, regions } from '../../shared/regions.ts';
import type { FunctionRow } from '../../shared/service/function-row.ts';
import { type FunctionName, functionRows } from '../../shared/service/functions.ts';
import { metrics } from '../../shared/service/metrics.ts';
import { MAX_OPEN_SHARDS } from '../../shared/service/partitions.ts';
import type { Environment } from '../environments.ts';
import { prices, transferGb } from '../prices.ts';
import { workerSettings } from '../settings.ts';
import measured from './measured-audit.json' with { type: 'json' };

/** Time of a client's last poll and of its requests, in which its check is finished already. */
const AFTER_AUDIT_SECONDS = 2;

/** Use of one run: a check of one region. Its client waits for the check once and reads the report once. */
export const perRun = {
  // Measured by `npm run update-cost`: a small page in the sandbox like Lambda's.
  auditSeconds: measured.warmSeconds,
  coldSeconds: measured.initSeconds + measured.firstSeconds - measured.warmSeconds, // by which the first audit takes longer
  apiRequests: 4, // create, redirect to the wait, wait and report
  apiSeconds: 0.05, // in a function that does not wait
  apiColdSeconds: 0.4,
  waitSeconds: measured.warmSeconds + AFTER_AUDIT_SECONDS,
  // In request units of 1 KB with the indexes, measured by test/integration/write-units.test.ts. A run with more samples makes
  // another write of 2 or 3 units for each sample but the last.
  writes: 26,
  writesOfPage: 4, // of these, for the newest results and the series of its page, if that is as long as it gets
  writesOfRegion: 1, // of these, for the last success of the region: once a minute by each instance
  reads: 14, // 7 for the wait, and 1 for the newest results; in request units of 4 KB
  checkGb: 8e-6, // check, run and pointer in the table
  trendGb: 1.5e-6, // entry in the series of its URL, in the table and in the index
  sqsRequests: 4,
  reportGb: 0.4e-3, // gzipped
  answersGb: 10e-6, // of the API, without the report: an estimate
  callsGb: 30e-6, // of the audit to the table and back, in each direction: an estimate
  logGb: measured.logKb * 1e-6 + 4e-6, // of the audit; of the API, its access log, and Lambda's lines
};

/** Use of the field data of a check whose page and origin nobody has asked about on that day: an estimate. */
const perFieldData = { seconds: 0.8, writes: 14, reads: 8, sqsRequests: 3 };

/** Minutes for which Lambda keeps an idle instance. AWS promises nothing; this is what many report. */
const KEEP_MINUTES = 10;
/** Metrics that a region has beside those of each run, because some runs and attempts fail: one for each code. */
const FAILURE_METRICS = 4;
/** Releases whose assets the bootstrap buckets keep until `npx cdk gc`, and the size of one in each region. */
const assets = { releases: 10, gb: 0.113 };
/** Use of one sweep without due items, estimated. Its requests to the farthest region take most of its time. */
const perSweep = { seconds: 0.5, logGb: 1e-6, metrics: 1 };
/** Kinds of open items besides those of a region: checks, deliveries and schedules. */
const OTHER_KINDS = 3;
/** Metrics that a region emits with each successful run. */
const METRICS_OF_A_RUN = Object.values(metrics).filter(
  ({ by, dimensions }) => by[0] === 'run-audit' && dimensions.join() === 'region',
).length;
/** Time of a visit of the canary, in seconds. */
const CANARY_SECONDS = 25;
const MINUTES = 30 * 24 * 60; // of a month

/** Returns the numbers of metrics that the alarms of a stack read. A test compares them with the templates. */
export const alarmMetrics = ({ canaryMinutes, reserved }: Environment) => ({
  home: 17 + (canaryMinutes ? 2 : 0) + (reserved ? 6 : 0),
  region: 2,
});

/** Returns the number of metrics that all alarms of an environment read. CloudWatch bills each of them. */
export const alarmMetricsOf = (environment: Environment): number => {
  const { home, region } = alarmMetrics(environment);
  return home + environment.regions.length * region;
};

type Dollars = Record<string, number>;

/** Returns the number of runs that the canary starts in a month. Each visits one region. */
const canariesOf = ({ canaryMinutes }: Environment): number => (canaryMinutes ? MINUTES / canaryMinutes : 0);

/** Returns the dollars of a month by part, if an environment has no user. */
export const idleMonth = (environment: Environment): Dollars => {
  const canaries = canariesOf(environment);
  return {
    Alarms: alarmMetricsOf(environment) * prices.alarmMonth,
    'Polls of the queues': polls(environment) * prices.sqsRequest,
    Dashboard: environment.dashboard ? prices.dashboardMonth : 0,
    Sweeper: sweeps(environment),
    Workers: idleWorkers(environment),
    'Assets of ten releases': (environment.regions.length + 1) * assets.releases * assets.gb * prices.s3GbMonth,
    Canary: sum(usage(environment, canaries, canaries)) + canaries * (lambda('canary', CANARY_SECONDS) + prices.event),
  };
};

/** Returns the dollars of a month by service, with this number of runs beside those of the canary. */
export const month = (environment: Environment, runs: number): Dollars => {
  const idle = idleMonth(environment);
  const canaries = canariesOf(environment);
  const used = usage(environment, runs, runs + canaries);
  const { Canary = 0 } = idle;
  return {
    ...used,
    CloudWatch: (used.CloudWatch as number) + runMetrics(environment, runs) * prices.metricMonth,
    'Fixed, without the canary': sum(idle) - Canary,
    Canary,
  };
};

export const sum = (dollars: Dollars): number => Object.values(dollars).reduce((total, each) => total + each, 0);

/** Audits that an instance makes in an hour, one after another. */
const AUDITS_AN_HOUR = 3600 / perRun.auditSeconds;
const HOURS = MINUTES / 60;
/** Alarms that scale the instances of a region. */
export const SCALING_ALARMS = 2;

/** Returns the dollars of a month of one instance that audits, and the audits that it can make in it. */
export const workerMonth = (spot: boolean): { dollars: number; audits: number } => {
  const hour = prices.instanceHour[spot ? 'spot' : 'onDemand'] + prices.addressHour;
  return { dollars: hour * HOURS + workerSettings.diskGb * prices.diskGbMonth, audits: AUDITS_AN_HOUR * HOURS };
};

/** Returns the runs a month of a region from which an instance costs less than audits on Lambda. */
export const workerPaysFrom = (spot: boolean): number =>
  (workerMonth(spot).dollars + SCALING_ALARMS * prices.alarmMonth) / lambda('run-audit', perRun.auditSeconds);

/** Returns the dollars of a month of the instances that always run. */
const idleWorkers = ({ regions: deployed, workers }: Environment): number =>
  workers ? deployed.length * (workerMonth(workers.spot).dollars + SCALING_ALARMS * prices.alarmMonth) : 0;

/** Returns the dollars that depend on the number of runs. `all` includes other runs that keep instances warm. */
const usage = (environment: Environment, runs: number, all: number) => {
  const { regions: deployed, homeRegion, retentionDays, trendDays, logDays } = environment;
  const cold = coldShare(all / deployed.length);
  const coldApi = coldShare(all);
  const auditSeconds = perRun.auditSeconds + cold * perRun.coldSeconds;
  const apiSeconds = perRun.apiSeconds + coldApi * perRun.apiColdSeconds;
  const away = deployed.filter((region) => regions[region] !== homeRegion);
  const fromAway = away.reduce((total, region) => total + transferGb[region], 0) / deployed.length;
  const fromHome = (away.length / deployed.length) * transferGb['us-west1'];
  const [months, trendMonths] = [retentionDays / 30, trendDays / 30];
  const writes = perRun.writes - perRun.writesOfRegion * (1 - recordedShare(all / deployed.length));
  return {
    'Lambda, audits': runs * lambda('run-audit', auditSeconds),
    'Lambda, API':
      runs * ((perRun.apiRequests - 1) * lambda('create-check', apiSeconds) + lambda('wait-check', perRun.waitSeconds)),
    'API Gateway': runs * perRun.apiRequests * prices.httpApiRequest,
    DynamoDB:
      runs * (writes * prices.dynamodbWrite + perRun.reads * prices.dynamodbRead) +
      runs *
        (perRun.checkGb * months + perRun.trendGb * trendMonths) *
        (prices.dynamodbGbMonth + prices.dynamodbRecoveryGbMonth),
    SQS: runs * perRun.sqsRequests * prices.sqsRequest,
    ...(environment.fieldData && { 'Field data, at most': runs * fieldDataDollars() }),
    S3: runs * (prices.s3Put + prices.s3Get + perRun.reportGb * months * prices.s3GbMonth),
    'Transfer between regions': runs * ((perRun.reportGb + perRun.callsGb) * fromAway + perRun.callsGb * fromHome),
    'Transfer to clients': runs * (perRun.reportGb + perRun.answersGb) * prices.internetGb,
    CloudWatch: runs * perRun.logGb * (prices.logGb + (logDays / 30) * prices.logGbMonth),
  };
};

/** Returns the dollars of the field data of a check. Google takes none. */
const fieldDataDollars = (): number =>
  lambda('deliver-webhook', perFieldData.seconds) +
  perFieldData.writes * prices.dynamodbWrite +
  perFieldData.reads * prices.dynamodbRead +
  perFieldData.sqsRequests * prices.sqsRequest;

/** Returns the share of events that find no instance, if so many events a month arrive at random. */
const coldShare = (events: number): number => Math.exp((-events / MINUTES) * KEEP_MINUTES);

/** Returns the share of a region's audits that record its success: an instance records no further one for a minute. */
const recordedShare = (runs: number): number => 1 / (1 + Math.min(runs / MINUTES, 60 / perRun.auditSeconds)); // audits of an instance in a minute

/** Size of /tmp that Lambda does not bill. */
const FREE_STORAGE_MB = 512;

/** Returns the GB-seconds and the dollars of an invocation of a function that takes some seconds. */
export const invocation = (
  file: FunctionName,
  seconds: number,
  memoryMb: number = functionRows[file].memoryMb,
): { gbSeconds: number; dollars: number } => {
  const row: FunctionRow = functionRows[file];
  const gbSeconds = seconds * (memoryMb / 1024);
  const storage =
    (((row.storageMb ?? FREE_STORAGE_MB) - FREE_STORAGE_MB) / 1024) * seconds * prices.lambdaStorageGbSecond;
  return {
    gbSeconds,
    dollars: gbSeconds * prices.lambdaGbSecond[row.architecture] + storage + prices.lambdaRequest,
  };
};

const lambda = (file: FunctionName, seconds: number): number => invocation(file, seconds).dollars;

/** Requests of Lambda's pollers: five for each queue, every 20 s. Each region has one queue, and the home region the deliveries. */
const polls = ({ regions: deployed }: Environment): number => (deployed.length + 1) * 5 * 3 * MINUTES;

/** Returns the dollars of a month of sweeps. Each looks at all shards in use, for late runs too, and at the dead letters. */
const sweeps = ({ regions: deployed, openShards }: Environment): number => {
  const others = openShards < MAX_OPEN_SHARDS ? 1 : 0; // one shard beyond those in use, in turn
  const queries = (allRegions.length + OTHER_KINDS) * (openShards + others) + allRegions.length * openShards;
  const reads = 0.5 * queries; // the query of an empty shard takes half a unit
  const each =
    lambda('sweep', perSweep.seconds) +
    reads * prices.dynamodbRead +
    deployed.length * prices.sqsRequest +
    perSweep.logGb * prices.logGb +
    prices.event;
  return MINUTES * each + perSweep.metrics * prices.metricMonth;
};

/** Returns the number of metrics that the runs of users emit. CloudWatch bills the hours in which it gets data. */
const runMetrics = ({ regions: deployed }: Environment, runs: number): number => {
  const runsAnHour = runs / deployed.length / (MINUTES / 60);
  return deployed.length * (METRICS_OF_A_RUN + FAILURE_METRICS) * (1 - Math.exp(-runsAnHour));
};
