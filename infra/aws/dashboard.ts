import { Duration, type Stack } from 'aws-cdk-lib';
import {
  Color,
  Dashboard,
  GraphWidget,
  type GraphWidgetProps,
  type IMetric,
  type IWidget,
  MathExpression,
  type Metric,
  Row,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type Region, regions } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { prices } from '../prices.ts';
import { functionSettings, tableSettings } from '../settings.ts';
import type { Api } from './api.ts';
import { workerMetrics } from './audit-worker.ts';
import { accountOf } from './node-function.ts';
import { ourMetrics } from './our-metrics.ts';
import type { Sweeper } from './sweeper.ts';

type Parts = { api: Api; sweeper: Sweeper; table: TableV2 };

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

type Ask = (environment: Environment, parts: Parts, to: Links) => IWidget[];

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

const costing: Ask = (environment, { api, table }) => {
  const hour = { period: Duration.hours(1), statistic: 'Sum' };
  const { auditMemoryMb } = functionSettings;
  const audits = environment.regions.map((region) => {
    const worker = workerMetrics(environment, region);
    const id = region.replaceAll('-', '_');
    const there = { ...hour, region: regions[region] };
    return {
      region,
      finished: { [`finished_${id}`]: worker.finished().with(there) },
      using: { [`ms_${id}`]: worker.milliseconds().with(there), [`calls_${id}`]: worker.invocations().with(there) },
      dollars: `FILL(ms_${id}, 0) * ${plain(((auditMemoryMb / 1024) * prices.lambdaGbSecond) / 1000)} + FILL(calls_${id}, 0) * ${plain(prices.lambdaRequest)}`,
    };
  });
  const index = { TableName: table.tableName, GlobalSecondaryIndexName: tableSettings.index.name };
  const home = {
    requests: api.metricRequests().with(hour),
    reads: table.metricConsumedReadCapacityUnits(hour),
    writes: table.metricConsumedWriteCapacityUnits(hour),
    index_writes: table.metricConsumedWriteCapacityUnits({ ...hour, dimensionsMap: index }),
    index_reads: table.metricConsumedReadCapacityUnits({ ...hour, dimensionsMap: index }),
  };
  const apiDollars = `FILL(requests, 0) * ${plain(prices.httpApiRequest)}`;
  const tableDollars = `(FILL(writes, 0) + FILL(index_writes, 0)) * ${plain(prices.dynamodbWrite)} + (FILL(reads, 0) + FILL(index_reads, 0)) * ${plain(prices.dynamodbRead)}`;
  const all = [...audits.map(({ dollars }) => dollars), apiDollars, tableDollars].join(' + ');
  const ended = audits.flatMap(({ finished }) => Object.keys(finished).map((id) => `FILL(${id}, 0)`)).join(' + ');
  const dollars = (label: string, expression: string, usingMetrics: Record<string, IMetric>) =>
    new MathExpression({ label, expression, usingMetrics, period: hour.period });

  const { reads, writes, index_reads, index_writes, requests } = home;
  return row(
    'What does it cost?',
    [
      'Estimated from list prices of US West; without storage, requests to S3 and SQS, logs and transfer, which are small beside it.',
    ],
    graph(
      'Dollars an hour',
      [
        ...audits.map(({ region, dollars: sum, using }) => dollars(`audits: ${region}`, sum, using)),
        dollars('API', apiDollars, { requests }),
        dollars('table', tableDollars, { reads, writes, index_reads, index_writes }),
      ],
      { stacked: true },
    ),
    graph('Dollars for 1,000 runs', [
      dollars('all', `1000 * (${all}) / (${ended})`, {
        ...home,
        ...Object.assign({}, ...audits.flatMap(({ using, finished }) => [using, finished])),
      }),
    ]),
  );
};

/** A number as CloudWatch reads it: without an exponent. */
const plain = (value: number) => value.toFixed(12);

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

/** A question, the links of its row, and its graphs side by side. */
const row = (question: string, links: string[], ...graphs: GraphWidgetProps[]): IWidget[] => [
  new TextWidget({ markdown: `## ${question}\n${links.join(' · ')}`, width: 24, height: 2 }),
  new Row(...graphs.map((each) => new GraphWidget({ width: 24 / graphs.length, height: 6, ...each }))),
];

const graph = (title: string, left: IMetric[], more: GraphWidgetProps = {}): GraphWidgetProps => ({
  title,
  left,
  period: Duration.minutes(5),
  ...more,
});

/** One line for each region, drawn from the AWS region behind it. */
const inEach = (
  environment: Environment,
  metricOf: (worker: ReturnType<typeof workerMetrics>) => Metric,
  prefix = '',
): IMetric[] =>
  environment.regions.map((region) =>
    metricOf(workerMetrics(environment, region)).with({ region: regions[region], label: `${prefix}${region}` }),
  );

/** Every line of a metric in all AWS regions where it may be: what the sweeper emits is in the home region. */
const searched = (environment: Environment, name: 'RunFailed' | 'AttemptFailed', where?: string): IMetric[] => {
  const awsRegions = new Set([environment.homeRegion, ...environment.regions.map((region) => regions[region])]);
  return [...awsRegions].map((awsRegion) =>
    ourMetrics(environment, name, {
      awsRegion,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudWatch fills it in
      label: "${PROP('Dim.code')} ${PROP('Dim.region')}",
      ...(where && { where }),
    }),
  );
};

type Links = ReturnType<typeof linksOf>;

/** Where the console shows the logs, functions and queues of each region. */
const linksOf = (scope: Stack, { homeRegion, names }: Environment) => {
  const consoleOf = (awsRegion: string) => {
    const page = (service: string) =>
      `https://${awsRegion}.console.aws.amazon.com/${service}/home?region=${awsRegion}#`;
    const log = (group: string) => `${page('cloudwatch')}logsV2:log-groups/log-group/${group.replaceAll('/', '$252F')}`;
    return {
      log,
      functionLog: (functionName: string) => log(`/aws/lambda/${functionName}`),
      functionPage: (functionName: string) => `${page('lambda')}/functions/${functionName}?tab=monitoring`,
      queue: (name: string) =>
        `${page('sqs').replace('/sqs/', '/sqs/v3/')}/queues/${encodeURIComponent(`https://sqs.${awsRegion}.amazonaws.com/`)}${accountOf(scope)}%2F${name}`,
    };
  };
  return {
    home: consoleOf(homeRegion),
    region: (region: Region) => {
      const there = consoleOf(regions[region]);
      return {
        functionLog: (file: string) => there.functionLog(names.regionFunction(file, region)),
        functionPage: there.functionPage(names.regionFunction('run-audit', region)),
        queue: there.queue(names.auditQueue(region)),
        deadLetters: there.queue(names.deadLetters(region)),
      };
    },
  };
};
