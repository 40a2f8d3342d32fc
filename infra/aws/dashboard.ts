import { Duration, type Stack } from 'aws-cdk-lib';
import { Color, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { Environment } from '../environments.ts';
import { linksOf } from './console-links.ts';
import { costing } from './cost-row.ts';
import { type Ask, graph, inEach, type Parts, row, searched } from './dashboard-rows.ts';

/** What an operator asks, one row a question. Other regions' metrics are drawn by name, from where they are. */
export const dashboard = (scope: Stack, environment: Environment, parts: Parts): Dashboard => {
  const made = new Dashboard(scope, 'Dashboard', {
    dashboardName: environment.names.service,
    defaultInterval: Duration.hours(12),
  });
  const to = linksOf(scope, environment);
  const rows = { answering, finishing, taking, waiting, failing, costing, steady };
  for (const row of Object.values(rows)) made.addWidgets(...row(environment, parts, to));
  return made;
};

const answering: Ask = ({ names }, { api }, to) =>
  row(
    'Are we answering?',
    [
      `[access log](${to.home.log(names.accessLog)})`,
      ...Object.keys(api.functions).map((file) => `[${file}](${to.home.functionLog(names.homeFunction(file))})`),
    ],
    graph('Requests', [
      api.metricRequests().with({ label: 'all' }),
      api.metric4xx().with({ label: '4xx', color: Color.ORANGE }),
      api.metric5xx().with({ label: '5xx', color: Color.RED }),
    ]),
    graph(
      'Latency, ms',
      [50, 95, 99].map((p) => api.metricLatency(p).with({ label: `p${p}` })),
    ),
    graph('Starts that Lambda refused, in the home region', [api.metricThrottles()]),
  );

const finishing: Ask = (environment, { sweeper }, to) =>
  row(
    'Are audits finishing?',
    [
      ...environment.regions.map((region) => `[${region}](${to.region(region).functionLog('run-audit')})`),
      `[sweep](${to.home.functionLog(environment.names.homeFunction('sweep'))})`,
    ],
    graph(
      'Runs that ended',
      inEach(environment, (worker) => worker.finished()),
      { stacked: true },
    ),
    // Not stacked: where a region's AWS region is the home region, a run that was given up is in both of its lines.
    graph('Runs that failed by our fault, and those that the sweeper gave up', [
      ...inEach(environment, (worker) => worker.serviceFailures()),
      ...environment.regions.map((region) => sweeper.metricAbandoned(region).with({ label: `abandoned: ${region}` })),
    ]),
    graph('The sweeper: jobs sent again, and what it could not act on', [
      ...environment.regions.map((region) => sweeper.metricResent(region).with({ label: `resent: ${region}` })),
      ...([...environment.regions, 'checks'] as const).map((partition) =>
        sweeper.metricPastDue(partition).with({ label: `past due: ${partition}` }),
      ),
    ]),
    graph('Sweeps', [sweeper.metricDone()]),
  );

const taking: Ask = (environment) =>
  row(
    'How long does a check take, by region?',
    ['From its creation to the end of its run, waiting included. Runs that failed by our fault are not in it.'],
    ...[50, 95].map((p) =>
      graph(
        `p${p}, seconds`,
        inEach(environment, (worker) => worker.runSeconds(p)),
        { leftYAxis: { min: 0 } },
      ),
    ),
  );

const waiting: Ask = (environment, _, to) =>
  row(
    'How deep and how old are the queues?',
    environment.regions.flatMap((region) => [
      `[${region}](${to.region(region).queue})`,
      `[its dead letters](${to.region(region).deadLetters})`,
    ]),
    graph(
      'Jobs that wait',
      inEach(environment, (worker) => worker.waiting()),
      { stacked: true },
    ),
    graph(
      'Audits at work',
      inEach(environment, (worker) => worker.atWork()),
      { stacked: true },
    ),
    graph(
      'Age of the oldest job, seconds',
      inEach(environment, (worker) => worker.oldestSeconds()),
    ),
    graph('Dead letters taken, and messages that could not be read', [
      ...inEach(environment, (worker) => worker.deadLettersTaken()),
      ...inEach(environment, (worker) => worker.jobsUnreadable(), 'unreadable: '),
    ]),
  );

const failing: Ask = (environment, _, to) => {
  const byCode = (where: string) => searched(environment, 'RunFailed', where);
  return row(
    'Why do runs fail?',
    environment.regions.map((region) => `[${region}](${to.region(region).functionLog('run-audit')})`),
    graph('The page is to blame, by code', byCode('blame="page"'), { stacked: true }),
    graph('The service is to blame, by code', byCode('blame="service"'), { stacked: true }),
    graph('Attempts that failed and were followed by another, by code', searched(environment, 'AttemptFailed')),
  );
};

const steady: Ask = (environment, _, to) =>
  row(
    'Are the hosts steady?',
    environment.regions.map((region) => `[${region}](${to.region(region).functionPage})`),
    graph(
      "Lighthouse's benchmark index, median",
      inEach(environment, (worker) => worker.benchmarkIndex(50)),
    ),
    graph(
      "Lighthouse's benchmark index, p10",
      inEach(environment, (worker) => worker.benchmarkIndex(10)),
    ),
    graph(
      'Samples taken again on a busy host',
      inEach(environment, (worker) => worker.samplesRetaken()),
    ),
    graph('Audit functions: errors and refused starts', [
      ...inEach(environment, (worker) => worker.errors(), 'errors: '),
      ...inEach(environment, (worker) => worker.throttles(), 'refused: '),
    ]),
  );
