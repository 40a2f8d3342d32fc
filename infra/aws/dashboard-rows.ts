import { Duration } from 'aws-cdk-lib';
import {
  GraphWidget,
  type GraphWidgetProps,
  type IMetric,
  type IWidget,
  type Metric,
  TextWidget,
  Row as WidgetRow,
} from 'aws-cdk-lib/aws-cloudwatch';
import { regions } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import type { Api } from './api.ts';
import type { Canary } from './canary.ts';
import type { CheckTable } from './check-table.ts';
import type { ConsoleLinks } from './console-links.ts';
import type { Deliveries } from './deliveries.ts';
import { ourMetrics } from './our-metrics.ts';
import type { Sweeper } from './sweeper.ts';
import { workerMetrics } from './worker-metrics.ts';

export type Parts = { api: Api; sweeper: Sweeper; deliveries: Deliveries; canary: Canary; checks: CheckTable };

export type Row = (environment: Environment, parts: Parts, links: ConsoleLinks) => IWidget[];

/** Returns the widgets of a row: a question with links, and its graphs side by side. */
export const questionRow = (question: string, links: string[], ...graphs: GraphWidgetProps[]): IWidget[] => [
  new TextWidget({ markdown: `## ${question}\n${links.join(' · ')}`, width: 24, height: 2 }),
  new WidgetRow(...graphs.map((each) => new GraphWidget({ width: 24 / graphs.length, height: 6, ...each }))),
];

export const graph = (title: string, left: IMetric[], more: GraphWidgetProps = {}): GraphWidgetProps => ({
  title,
  left,
  period: Duration.minutes(5),
  ...more,
});

/** Returns one line per region. Each line reads the AWS region behind its region. */
export const perRegion = (
  environment: Environment,
  metricOf: (worker: ReturnType<typeof workerMetrics>) => Metric,
  prefix = '',
): IMetric[] =>
  environment.regions.map((region) =>
    metricOf(workerMetrics(environment, region)).with({ region: regions[region], label: `${prefix}${region}` }),
  );

/** Searches a metric in every AWS region that may have it. The sweeper emits its metrics in the home region. */
export const searchPerRegion = (
  environment: Environment,
  name: 'RunFailed' | 'AttemptFailed',
  where?: string,
): IMetric[] => {
  const awsRegions = new Set([environment.homeRegion, ...environment.regions.map((region) => regions[region])]);
  return [...awsRegions].map((awsRegion) =>
    ourMetrics(environment, name, {
      awsRegion,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudWatch replaces it
      label: "${PROP('Dim.code')} ${PROP('Dim.region')}",
      ...(where && { where }),
    }),
  );
};
