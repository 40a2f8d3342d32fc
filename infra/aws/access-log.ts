import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { type IAccessLogSettings, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, LogGroup, type MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { gatewayKeyOf, routeOf } from '../../shared/service/routes.ts';
import type { Environment } from '../environments.ts';

/** The log of every request to the API, one JSON line each, and metrics that API Gateway itself does not have. */
export class AccessLog extends Construct {
  readonly settings: IAccessLogSettings;
  readonly #refusedCreates: MetricFilter;
  readonly #unfinishedPageSpeed: MetricFilter;

  constructor(scope: Construct, id: string, { names, logDays }: Environment) {
    super(scope, id);
    const group = new LogGroup(this, 'Group', {
      logGroupName: names.accessLog,
      retention: logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.settings = { destination: new LogGroupLogDestination(group), format };
    this.#refusedCreates = group.addMetricFilter('RefusedCreates', {
      metricNamespace: names.service, // CloudWatch gives a metric of a filter no dimension for the environment
      metricName: 'CreatesRefusedByGateway',
      // API Gateway writes a hyphen for the time of a function that it did not call.
      filterPattern: FilterPattern.all(
        FilterPattern.stringValue('$.method', '=', 'POST'),
        FilterPattern.stringValue('$.status', '=', '429'),
        FilterPattern.stringValue('$.functionMilliseconds', '=', '-'),
      ),
    });
    this.#unfinishedPageSpeed = group.addMetricFilter('UnfinishedPageSpeed', {
      metricNamespace: names.service,
      metricName: 'UnfinishedPageSpeed',
      filterPattern: FilterPattern.all(
        FilterPattern.stringValue('$.route', '=', gatewayKeyOf(routeOf('GET /pagespeedonline/v5/runPagespeed'))),
        FilterPattern.stringValue('$.status', '=', '503'),
        FilterPattern.stringValue('$.functionError', '=', '-'), // the function itself has answered
      ),
    });
  }

  metricRefusedCreates = (): Metric => this.#refusedCreates.metric(everyFiveMinutes);
  /** Requests to PageSpeed's API that ended before their check. Their clients come again. */
  metricUnfinishedPageSpeed = (): Metric => this.#unfinishedPageSpeed.metric(everyFiveMinutes);
}

const everyFiveMinutes = { statistic: 'Sum', period: Duration.minutes(5) };

const format = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTime',
    sourceIp: '$context.identity.sourceIp',
    route: '$context.routeKey',
    method: '$context.httpMethod',
    path: '$context.path',
    status: '$context.status',
    bytes: '$context.responseLength',
    milliseconds: '$context.responseLatency',
    functionMilliseconds: '$context.integrationLatency',
    error: '$context.error.message',
    functionError: '$context.integrationErrorMessage',
  }),
);
