import { Duration, Validations } from 'aws-cdk-lib';
import { type CfnStage, HttpApi, HttpMethod, HttpRoute, HttpRouteKey, HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { z } from 'zod';
import {
  CorsEnv,
  CreateEnv,
  DiscoverEnv,
  ReadEnv,
  ReadyEnv,
  ReportReadEnv,
  WaitEnv,
  WebPageEnv,
} from '../../shared/env.ts';
import { type ApiFunction, defaultFunction, routes } from '../../shared/routes.ts';
import type { Environment } from '../environments.ts';
import { apiFunctionSettings } from '../settings.ts';
import { AccessLog } from './access-log.ts';
import { alarm } from './alarm.ts';
import { auditQueueUrls } from './audit-queues.ts';
import { nodeFunction } from './node-function.ts';
import { reportBucketName } from './report-bucket.ts';
import {
  allowErasingReports,
  allowListingReports,
  allowReports,
  indexRight,
  keyRights,
  readyRight,
  sendRights,
  tableRights,
} from './rights.ts';
import { type TableActions, tableActions } from './table-actions.ts';

/**
 * The HTTP API: the routes of shared/routes.ts and their functions. The functions check the API keys, because an
 * authorizer of an HTTP API can't send a problem document or its own `WWW-Authenticate` header.
 */
export class Api extends Construct {
  readonly api: HttpApi;
  readonly functions: Readonly<Record<ApiFunction, LambdaFunction>>;
  readonly accessLog: AccessLog;

  constructor(scope: Construct, id: string, environment: Environment) {
    super(scope, id);
    this.accessLog = new AccessLog(this, 'AccessLog', environment);
    this.functions = apiFunctions(this, environment);
    for (const file of ['get-report', 'get-screenshot'] as const) {
      allowReports(this.functions[file], environment, ['GetObject']);
      allowListingReports(this.functions[file], environment);
    }
    allowErasingReports(this.functions['delete-check'], environment);
    this.api = new HttpApi(this, 'Http', { apiName: environment.names.service, createDefaultStage: false });

    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'The functions check API keys. A test calls each route without a key.',
    });

    const routes = this.#routes();
    const stage = this.#stage(environment);
    stage.node.addDependency(...routes); // a setting of a missing route fails the deploy
    this.#alarms();
  }

  #routes(): HttpRoute[] {
    const integrations = new Map(
      Object.entries(this.functions).map(([name, handler]) => {
        const timeout = Duration.seconds(apiFunctionSettings(name as ApiFunction).timeoutSeconds);
        return [name, new HttpLambdaIntegration(name, handler, { timeout })];
      }),
    );
    return routeKeys().map(([routeKey, name]) => {
      const integration = integrations.get(name) as HttpLambdaIntegration;
      return new HttpRoute(this, routeKey.key, { httpApi: this.api, routeKey, integration });
    });
  }

  #stage({ requests, creates }: Environment): HttpStage {
    const stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      autoDeploy: true, // the stage `$default` adds nothing to the path
      throttle: { rateLimit: requests.perSecond, burstLimit: requests.burst }, // limit of each route
      accessLogSettings: this.accessLog.settings,
    });
    const cfnStage = stage.node.defaultChild as CfnStage;
    cfnStage.routeSettings = {
      'POST /v1/checks': { ThrottlingRateLimit: creates.perSecond, ThrottlingBurstLimit: creates.burst },
    };
    return stage;
  }

  #alarms(): void {
    alarm(this, 'Answers5xx', {
      what: 'The API answered at least five requests in five minutes with a 5xx status.',
      impact: 'Clients can not create checks or read results.',
      runbook: 'api-answers-5xx',
      metric: this.metric5xx(),
      threshold: 5,
    });
    alarm(this, 'RefusesCreates', {
      what: 'In five minutes API Gateway refused at least ten creates, because there were more than its limit.',
      impact: 'Clients receive 429 answers although they are within the limits of their plans.',
      runbook: 'creates-are-refused',
      metric: this.accessLog.metricRefusedCreates(),
      threshold: 10,
    });
    alarm(this, 'Throttled', {
      what: 'Lambda refused to start functions in the home region, because the account has no concurrency left.',
      impact: 'Clients receive 5xx answers, or the sweeper is delayed.',
      runbook: 'throttled',
      metric: this.metricThrottles(),
      threshold: 1,
      periods: 2,
    });
  }

  metricRequests = () => this.api.metricCount(everyFiveMinutes);
  metric4xx = () => this.api.metricClientError(everyFiveMinutes);
  metric5xx = () => this.api.metricServerError(everyFiveMinutes);
  metricLatency = (percentile: number) =>
    this.api.metricLatency({ ...everyFiveMinutes, statistic: Stats.percentile(percentile) });
  /** Throttles of every function of the account in this region, because all share one concurrency limit. */
  metricThrottles = () => new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...everyFiveMinutes });
}

const everyFiveMinutes = { statistic: 'Sum', period: Duration.minutes(5) };

/** Returns the key of each route, a HEAD key for each GET, and `$default` for every other path and method. */
const routeKeys = (): [HttpRouteKey, ApiFunction][] => [
  ...routes.flatMap((route) =>
    (route.method === 'GET' ? [HttpMethod.GET, HttpMethod.HEAD] : [HttpMethod[route.method]]).map(
      (method): [HttpRouteKey, ApiFunction] => [HttpRouteKey.with(route.path, method), route.function],
    ),
  ),
  [HttpRouteKey.DEFAULT, defaultFunction],
];

/** Actions of the API functions on the table. */
const actions: Partial<Record<ApiFunction, TableActions>> = tableActions;

/** Creates the function of each route, with its environment and its rights. */
const apiFunctions = (scope: Construct, environment: Environment): Record<ApiFunction, LambdaFunction> => {
  const { names, homeRegion, regions, retentionDays, trendDays, corsOrigins } = environment;
  const apiFunction = <Schema extends z.ZodObject>(
    file: ApiFunction,
    schema: Schema,
    variables: Parameters<typeof nodeFunction<Schema>>[2]['variables'],
    rights: PolicyStatement[] = [],
  ) =>
    nodeFunction(scope, file, {
      environment,
      functionName: names.homeFunction(file),
      schema,
      variables,
      ...apiFunctionSettings(file),
      traced: file === 'create-check', // a run's trace begins here; traces of polls would only cost money
      rights: [...tableRights(scope, environment, actions[file] ?? {}), ...rights],
    });

  // The functions answer preflights, as in the local service: with a `$default` route, API Gateway doesn't.
  const cors = corsOrigins.length > 0 && { CORS_ORIGINS: corsOrigins.join(',') };
  const retention = { RETENTION_DAYS: String(retentionDays), TREND_DAYS: String(trendDays) };
  const table = { ...cors, TABLE_NAME: names.table, HOME_REGION: homeRegion, AUTH: 'keys' };
  const tableAndReports = { ...table, REPORT_BUCKET: reportBucketName(scope, environment) };
  const web = { ...cors, REPORT_ORIGIN: `https://${tableAndReports.REPORT_BUCKET}.s3.${homeRegion}.amazonaws.com` };
  const keys = keyRights(scope, environment);
  const reader = (file: ApiFunction, more: PolicyStatement[] = []) =>
    apiFunction(file, ReadEnv, table, [...more, ...keys]);
  const reportReader = (file: ApiFunction) => apiFunction(file, ReportReadEnv, tableAndReports, keys);
  return {
    'create-check': apiFunction(
      'create-check',
      CreateEnv,
      { ...table, AUDIT_QUEUES: auditQueueUrls(scope, environment), TARGETS: 'public', ...retention },
      [...keys, ...sendRights(scope, environment)],
    ),
    'list-checks': reader('list-checks', [indexRight(scope, environment, 'list')]),
    'list-runs': reader('list-runs', [indexRight(scope, environment, 'list')]),
    'get-check': apiFunction('get-check', WaitEnv, table, keys),
    'get-comparison': reader('get-comparison'),
    'get-run': apiFunction('get-run', WaitEnv, table, keys),
    'get-report': reportReader('get-report'),
    'get-screenshot': reportReader('get-screenshot'),
    'delete-check': reportReader('delete-check'),
    'create-link': reader('create-link'),
    'delete-links': reader('delete-links'),
    discover: apiFunction('discover', DiscoverEnv, { ...cors, ...retention, REGIONS: regions.join(',') }),
    ready: apiFunction('ready', ReadyEnv, { ...cors, TABLE_NAME: names.table, HOME_REGION: homeRegion }, [
      readyRight(scope, environment),
    ]),
    docs: apiFunction('docs', CorsEnv, { ...cors }),
    'web-page': apiFunction('web-page', WebPageEnv, web),
    'no-route': apiFunction('no-route', WebPageEnv, web),
  };
};
