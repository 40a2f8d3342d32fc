import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib';
import { PolicyDocument, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime, RuntimeManagementMode } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { FunctionRow } from '../../shared/service/function-row.ts';
import { type FunctionName, functionRows } from '../../shared/service/functions.ts';
import type { Environment } from '../environments.ts';
import { assetOf } from './assets.ts';
import { acknowledgeWildcards, right, rightsOf } from './rights.ts';
import { variablesOf } from './variables.ts';

type Props = {
  functionName: string;
  /** Rights besides those of its row. */
  rights?: PolicyStatement[];
  /** Variables whose values other constructs know. */
  variables?: Record<string, string> | undefined;
};

/** Creates a function with its own role and log group, as its row in shared/service/functions.ts says. */
export const nodeFunction = (
  scope: Construct,
  file: FunctionName,
  environment: Environment,
  { functionName, rights = [], variables = {} }: Props,
): LambdaFunction => {
  const row: FunctionRow = functionRows[file];
  const reserved = row.reserved && environment.reserved?.[row.reserved];
  const logGroup = new LogGroup(scope, `${file}-logs`, {
    logGroupName: `/aws/lambda/${functionName}`,
    retention: environment.logDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, `${file}-role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: {
      // in the role, because each policy beside it would count as a resource of the stack
      rights: new PolicyDocument({
        statements: [
          right(['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn),
          ...rightsOf(scope, environment, row),
          ...rights,
        ],
      }),
    },
  });
  acknowledgeWildcards(role, environment, row);

  return new LambdaFunction(scope, file, {
    functionName, // fixed, so that the dashboard and the runbook can name it
    description: `functions/${file}.ts`,
    runtime: Runtime.NODEJS_24_X,
    // The runtime changes with a deploy only. An automatic update of its libraries can stop Chromium from starting.
    runtimeManagementMode: RuntimeManagementMode.FUNCTION_UPDATE,
    architecture: row.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
    handler: 'index.handler',
    code: codeOf(scope, file),
    role: role.withoutPolicyUpdates(),
    logGroup,
    timeout: Duration.seconds(row.timeoutSeconds),
    memorySize: (file === 'run-audit' && environment.auditMemoryMb) || row.memoryMb,
    ...(reserved && { reservedConcurrentExecutions: reserved }),
    ...(row.storageMb && { ephemeralStorageSize: Size.mebibytes(row.storageMb) }),
    environment: {
      ...variablesOf(scope, environment, row),
      ...variables,
      POWERTOOLS_SERVICE_NAME: environment.names.service,
      POWERTOOLS_LOG_LEVEL: 'INFO',
      NODE_OPTIONS: '--enable-source-maps',
      ...(row.threads && { UV_THREADPOOL_SIZE: String(row.threads) }),
    },
  });
};

/** Returns the built function. With `-c assets=none` it is one line, for templates that are not deployed. */
const codeOf = (scope: Construct, file: FunctionName): Code =>
  scope.node.tryGetContext('assets') === 'none'
    ? Code.fromInline(`throw new Error('${file} was synthesized without its code');`)
    : assetOf(file);
