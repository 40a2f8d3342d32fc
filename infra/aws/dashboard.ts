import { Duration, type Stack } from 'aws-cdk-lib';
import { Color, Dashboard, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Environment } from '../environments.ts';
import { consoleLinks } from './console-links.ts';
import { costRow } from './cost-row.ts';
import { graph, type Parts, perRegion, questionRow, type Row, searchPerRegion } from './dashboard-rows.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/**
 * Creates the dashboard: one row per question of an operator. It names the metrics of other regions without a lookup.
 */
export const dashboard = (scope: Stack, environment: Environment, parts: Parts): Dashboard => {
  const board = new Dashboard(scope, 'Dashboard', {
    dashboardName: environment.names.service,
    defaultInterval: Duration.hours(12),
  });
  const links = consoleLinks(scope, environment);
  const rows = [requestsRow, finishedRunsRow, durationRow, queueRow, failuresRow, deliveriesRow, costRow, hostsRow];
  for (const row of rows) board.addWidgets(...row(environment, parts, links));
  return board;
};

const requestsRow: Row = ({ names }, { api, checks }, links) =>
  questionRow(
    'Are we answering?',
    [
      `[access log](${links.home.log(names.accessLog)})`,
      ...Object.keys(api.functions).map((file) => `[${file}](${links.home.functionLog(names.homeFunction(file))})`),
    ],
    graph('Requests', [
      api.metricRequests().with({ label: 'all' }),
      api.metric4xx().with({ label: '4xx', color: Color.ORANGE }),
      api.metric5xx().with({ label: '5xx', color: Color.RED }),
      api.accessLog.metricRefusedCreates().with({ label: 'creates that API Gateway refused' }),
    ]),
    graph(
      'Latency, ms, with the time that clients wait for checks',
      [50, 95, 99].map((p) => api.metricLatency(p).with({ label: `p${p}` })),
    ),
    graph('Throttles in the home region', [
      api.metricThrottles().with({ label: 'starts of functions' }),
      ...api.metricNoRoom(),
      checks.metricThrottles(),
    ]),
  );

const finishedRunsRow: Row = (environment, { sweeper, canary }, links) =>
  questionRow(
    'Are audits finishing?',
    [
      ...environment.regions.map((region) => `[${region}](${links.region(region).functionLog('run-audit')})`),
      `[canary](${links.home.functionLog(environment.names.homeFunction('canary'))})`,
      `[sweep](${links.home.functionLog(environment.names.homeFunction('sweep'))})`,
    ],
    graph(
      'Finished runs',
      perRegion(environment, (worker) => worker.finished()),
      { stacked: true },
    ),
    // Not stacked, because an abandoned run of the home region is in both lines of its region.
    graph('Runs that failed through our fault, and abandoned runs', [
      ...perRegion(environment, (worker) => worker.serviceFailures()),
      sweeper.metricAbandoned().with({ label: 'abandoned, all regions' }),
    ]),
    graph('Sweeper: jobs that it resent, and items past due', [
      ...environment.regions.map((region) => sweeper.metricResent(region).with({ label: `resent: ${region}` })),
      sweeper.metricPastDue().with({ label: 'past due' }),
    ]),
    graph('Completed sweeps, and visits of the canary', [
      sweeper.metricDone().with({ label: 'sweeps' }),
      canary.metricVisits().with({ label: 'canary: visits of a region' }),
      canary.metricFailures().with({ label: 'canary: failed visits', color: Color.RED }),
    ]),
  );

const durationRow: Row = (environment) =>
  questionRow(
    'How long does a check take, by region?',
    [
      'The whole time excludes runs that failed through our fault. A slow region either waits or audits: the rest of the whole time is the wait.',
    ],
    ...[50, 95].map((p) => secondsGraph(environment, `From create to end, p${p}`, (worker) => worker.runSeconds(p))),
    secondsGraph(environment, 'In audits, p95', (worker) => worker.runAuditSeconds(95)),
  );

const secondsGraph = (environment: Environment, title: string, metric: (worker: WorkerMetrics) => Metric) =>
  graph(`${title}, seconds`, perRegion(environment, metric), { leftYAxis: { min: 0 } });

const queueRow: Row = (environment, { sweeper }, links) =>
  questionRow(
    'How deep and how old are the queues?',
    environment.regions.flatMap((region) => [
      `[${region}](${links.region(region).queue})`,
      `[dead letters](${links.region(region).deadLetters})`,
    ]),
    graph(
      'Waiting jobs',
      perRegion(environment, (worker) => worker.waiting()),
      { stacked: true },
    ),
    graph(
      'Audits in progress',
      perRegion(environment, (worker) => worker.inFlight()),
      { stacked: true },
    ),
    graph(
      'Age of the oldest job, seconds',
      perRegion(environment, (worker) => worker.oldestSeconds()),
    ),
    graph('Late regions, lost audits, and jobs that failed in every delivery', [
      sweeper.metricLate().with({ label: 'regions with late runs' }),
      sweeper.metricAuditsLost().with({ label: 'audits without an answer' }),
      sweeper.metricJobsLost().with({ label: 'dead letters' }),
    ]),
  );

const failuresRow: Row = (environment, _, links) => {
  const byCode = (where: string) => searchPerRegion(environment, 'RunFailed', where);
  return questionRow(
    'Why do runs fail?',
    environment.regions.map((region) => `[${region}](${links.region(region).functionLog('run-audit')})`),
    graph('The page is to blame, by code', byCode('blame="page"'), { stacked: true }),
    graph('The service is to blame, by code', byCode('blame="service"'), { stacked: true }),
    graph('Failed attempts that were retried, by code', searchPerRegion(environment, 'AttemptFailed')),
  );
};

const deliveriesRow: Row = ({ names }, { deliveries }, links) =>
  questionRow(
    'Do webhooks get their deliveries?',
    [`[deliver-webhook](${links.home.functionLog(names.homeFunction('deliver-webhook'))})`],
    graph('Tries, and failed tries', [
      deliveries.metricTries().with({ label: 'all' }),
      deliveries.metricFailures().with({ label: 'failed', color: Color.RED }),
    ]),
    graph('Age of the oldest message, seconds', [deliveries.metricAge().with({ label: 'deliveries' })]),
    graph('Messages that failed in every delivery', [deliveries.metricLost().with({ label: 'lost' })]),
  );

const hostsRow: Row = (environment, _, links) =>
  questionRow(
    'Are the hosts steady?',
    environment.regions.map((region) => `[${region}](${links.region(region).functionPage})`),
    graph(
      'CPU time that the hypervisor stole, p95, %',
      perRegion(environment, (worker) => worker.stolenCpuPercent(95)),
      { leftYAxis: { min: 0 } },
    ),
    graph(
      'Runs that are contended, %',
      perRegion(environment, (worker) => worker.contendedPercent()),
    ),
    graph('Audit functions: errors and throttled starts', [
      ...perRegion(environment, (worker) => worker.errors(), 'errors: '),
      ...perRegion(environment, (worker) => worker.throttles(), 'throttled: '),
    ]),
  );
