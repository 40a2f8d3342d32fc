import { CfnOutput, Duration, Validations } from 'aws-cdk-lib';
import {
  ApiMapping,
  type CfnStage,
  DomainName,
  HttpApi,
  HttpIntegrationType,
  type HttpMethod,
  HttpRoute,
  HttpRouteIntegration,
  type HttpRouteIntegrationConfig,
  HttpRouteKey,
  HttpStage,
  IntegrationCredentials,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { type Alarm, type IMetric, MathExpression, Metric, type MetricProps, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { functionRows } from '../../shared/service/functions.ts';
import { type ApiFunction, apiFunctions, byGatewayKey, defaultRoute, type Route } from '../../shared/service/routes.ts';
import type { Environment } from '../environments.ts';
import { AccessLog } from './access-log.ts';
import { alarm } from './alarm.ts';
import { LiveVersions } from './live-versions.ts';
import { nodeFunction } from './node-function.ts';
import { right } from './rights.ts';

/**
 * The HTTP API: the routes of shared/service/routes.ts and their functions. The functions check the API keys, because an
 * authorizer of an HTTP API can't send a problem document or its own `WWW-Authenticate` header.
 */
export class Api extends Construct {
  readonly api: HttpApi;
  readonly functions: Readonly<Record<ApiFunction, LambdaFunction>>;
  readonly accessLog: AccessLog;
  /** Address at which clients reach the API. */
  readonly url: string;
  readonly #environment: Environment;

  constructor(scope: Construct, id: string, environment: Environment) {
    super(scope, id);
    this.#environment = environment;
    this.accessLog = new AccessLog(this, 'AccessLog', environment);
    const { edge, names } = environment;
    this.api = new HttpApi(this, 'Http', {
      apiName: names.service,
      createDefaultStage: false,
      ...(edge && { disableExecuteApiEndpoint: true }), // it would lead past the rate rule
    });
    this.url = edge ? `https://${edge.domain}` : this.api.apiEndpoint;
    // The rate rule of the edge counts by address, and functions of many accounts share those of AWS.
    const apiUrl = edge ? `https://${edge.originDomain}` : this.api.apiEndpoint;
    this.functions = createFunctions(this, environment, { mcp: { API_URL: apiUrl } });

    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'The functions check API keys. A test calls each route without a key.',
    });

    const live = new LiveVersions(this, 'Live', environment, this.functions);
    const routes = this.#routes(live);
    const stage = this.#stage(environment);
    stage.node.addDependency(...routes); // a setting of a missing route fails the deploy
    if (edge) this.#origin(edge, stage);
    live.shiftUnless(this.#alarms());
  }

  #routes({ aliases }: LiveVersions): HttpRoute[] {
    const role = this.#role(Object.values(aliases));
    const integrations = new Map(
      Object.entries(aliases).map(([name, alias]) => [name, new LiveFunction(name as ApiFunction, alias, role)]),
    );
    return routeKeys().map(([routeKey, name]) => {
      const integration = integrations.get(name) as LiveFunction;
      return new HttpRoute(this, routeKey.key, { httpApi: this.api, routeKey, integration });
    });
  }

  /** Returns the role with which API Gateway calls the functions. A permission for each would count as a resource. */
  #role(aliases: Alias[]): Role {
    const invokes = right(
      ['lambda:InvokeFunction'],
      aliases.map(({ functionArn }) => functionArn),
    );
    return new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: { rights: new PolicyDocument({ statements: [invokes] }) },
    });
  }

  /** Gives the API the domain at which CloudFront reaches it. */
  #origin({ originDomain, originCertificateArn }: NonNullable<Environment['edge']>, stage: HttpStage): void {
    const certificate = Certificate.fromCertificateArn(this, 'OriginCertificate', originCertificateArn);
    const domainName = new DomainName(this, 'OriginDomain', { domainName: originDomain, certificate });
    new ApiMapping(this, 'OriginMapping', { api: this.api, domainName, stage });
    new CfnOutput(this, 'OriginTarget', { value: domainName.regionalDomainName }); // of the DNS record of the domain
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

  /** Creates the alarms. Returns the alarm on 5xx answers. */
  #alarms(): Alarm {
    const answers5xx = alarm(this, 'Answers5xx', {
      what: 'The API answered at least five requests in five minutes with a 5xx status, not counting clients that wait for audits and come again.',
      impact: 'Clients can not create checks or read results.',
      runbook: 'api-answers-5xx',
      metric: this.metricFailures(),
      threshold: 5,
    });
    alarm(this, 'CreatesAreSlow', {
      what: 'For fifteen minutes one of a hundred creates took at least three seconds.',
      impact: 'Clients wait for the API, and may repeat their requests.',
      runbook: 'the-api-is-slow',
      metric: this.metricCreateMilliseconds(99),
      threshold: 3000,
      periods: 3,
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
      metric: this.metricShortage(),
      threshold: 1,
      periods: 2,
    });
    return answers5xx;
  }

  metricRequests = () => this.api.metricCount(everyFiveMinutes);
  metric4xx = () => this.api.metricClientError(everyFiveMinutes);
  metric5xx = () => this.api.metricServerError(everyFiveMinutes);
  /** Failures of the service. A client that waits gets a 503 if there is no room or its time is over, and comes again. */
  metricFailures = () =>
    without('failures of the API', this.metric5xx(), [
      ...this.metricNoRoom(),
      this.accessLog.metricUnfinishedPageSpeed(),
    ]);
  metricLatency = (percentile: number) =>
    this.api.metricLatency({ ...everyFiveMinutes, statistic: Stats.percentile(percentile) });
  /** Time in the function of creates, which never waits. The latency of the API includes the waits for checks. */
  metricCreateMilliseconds = (percentile: number) =>
    new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Duration',
      dimensionsMap: { FunctionName: this.#environment.names.homeFunction('create-check') },
      ...everyFiveMinutes,
      statistic: Stats.percentile(percentile),
    });
  /** Throttles except those of functions whose concurrency is limited on purpose. */
  metricShortage = () => without('throttles for lack of concurrency', this.metricThrottles(), this.metricNoRoom());
  /** Throttles of each function that waits for audits, if it has a concurrency of its own. API Gateway answers each with a 503. */
  metricNoRoom = (): Metric[] => {
    const { names, reserved } = this.#environment;
    return (reserved ? waiting : []).map((file) =>
      throttles({ dimensionsMap: { FunctionName: names.homeFunction(file) }, label: `no room in ${file}` }),
    );
  };
  /** Throttles of every function of the account in this region, because all share one concurrency limit. */
  metricThrottles = () => throttles();
}

/** Functions that wait for audits. Their clients come again after a 503. */
const waiting = ['wait-check', 'mcp', 'run-pagespeed'] as const satisfies readonly ApiFunction[];

const throttles = (more: Partial<MetricProps> = {}) =>
  new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...everyFiveMinutes, ...more });

/** Returns a metric without parts of it. All count in five minutes. */
const without = (label: string, all: IMetric, parts: readonly IMetric[]): IMetric => {
  if (parts.length === 0) return all;
  const named = Object.fromEntries(parts.map((part, i) => [`part${i}`, part]));
  return new MathExpression({
    expression: ['all', ...Object.keys(named)].map((id) => `FILL(${id}, 0)`).join(' - '),
    usingMetrics: { all, ...named },
    period: Duration.minutes(5),
    label,
  });
};

const everyFiveMinutes = { statistic: 'Sum', period: Duration.minutes(5) };

/** Returns the key of each route, and `$default` for the web page and every other path and method. */
const routeKeys = (): [HttpRouteKey, ApiFunction][] => [
  ...[...byGatewayKey].map(([key, [route]]): [HttpRouteKey, ApiFunction] => {
    const [method = '', path = ''] = key.split(' ');
    return [HttpRouteKey.with(path, method as HttpMethod), (route as Route).function];
  }),
  [HttpRouteKey.DEFAULT, defaultRoute.function],
];

/** The live version of a function behind its routes. */
class LiveFunction extends HttpRouteIntegration {
  readonly #config: HttpRouteIntegrationConfig;

  constructor(name: ApiFunction, { functionArn }: Alias, role: Role) {
    super(name);
    this.#config = {
      type: HttpIntegrationType.AWS_PROXY,
      uri: functionArn,
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
      credentials: IntegrationCredentials.fromRole(role),
      timeout: Duration.seconds(functionRows[name].timeoutSeconds),
    };
  }

  override bind = (): HttpRouteIntegrationConfig => this.#config;
}

/** Creates the functions of the routes. `variables` has those of a function whose values only this construct knows. */
const createFunctions = (
  scope: Construct,
  environment: Environment,
  variables: { [Name in ApiFunction]?: Record<string, string> },
): Record<ApiFunction, LambdaFunction> =>
  Object.fromEntries(
    apiFunctions.map((file) => {
      const functionName = environment.names.homeFunction(file);
      return [file, nodeFunction(scope, file, environment, { functionName, variables: variables[file] })];
    }),
  ) as Record<ApiFunction, LambdaFunction>;
