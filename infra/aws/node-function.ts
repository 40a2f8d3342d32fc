import { Duration, RemovalPolicy, Size, Stack, Validations } from 'aws-cdk-lib';
import { type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  Runtime,
  RuntimeManagementMode,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { z } from 'zod';
import type { ApiFunction } from '../../shared/routes.ts';
import type { Environment } from '../environments.ts';
import { assetOf } from './assets.ts';

/** Name of a file in `functions/`, which is one Lambda function. */
export type FunctionFile = ApiFunction | 'run-audit' | 'close-lost-runs' | 'sweep';

type Strings<T> = { [Name in keyof T]: string };

type Props<Schema extends z.ZodObject> = {
  environment: Environment;
  functionName: string;
  /** Schema with which the function parses `process.env`. `variables` must satisfy it. */
  schema: Schema;
  variables: Strings<z.input<Schema>>;
  timeoutSeconds: number;
  memoryMb: number;
  storageMb?: number;
  traced?: boolean; // X-Ray bills each trace; true by default
  threadPool?: number; // size of libuv's pool for files, zlib and DNS lookups
  rights?: PolicyStatement[];
};

/** Creates a function with its own role and log group. The role allows `rights`, logging and tracing. */
export const nodeFunction = <Schema extends z.ZodObject>(
  scope: Construct,
  file: FunctionFile,
  {
    environment,
    functionName,
    variables,
    timeoutSeconds,
    memoryMb,
    storageMb,
    traced = true,
    threadPool,
    rights = [],
  }: Props<Schema>,
): LambdaFunction => {
  const logGroup = new LogGroup(scope, `${file}-logs`, {
    logGroupName: `/aws/lambda/${functionName}`,
    retention: environment.logDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, `${file}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  for (const right of rights) role.addToPolicy(right);
  if (traced) {
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'AWS can not scope xray:PutTraceSegments and PutTelemetryRecords. A test checks that no other action has this resource.',
    });
  }

  return new LambdaFunction(scope, file, {
    functionName, // fixed, so that the dashboard and the runbook can name it
    description: `functions/${file}.ts`,
    runtime: Runtime.NODEJS_24_X,
    // The runtime changes with a deploy only. An automatic update of its libraries can stop Chromium from starting.
    runtimeManagementMode: RuntimeManagementMode.FUNCTION_UPDATE,
    architecture: Architecture.X86_64,
    handler: 'index.handler',
    code: codeOf(scope, file),
    role,
    logGroup,
    timeout: Duration.seconds(timeoutSeconds),
    memorySize: memoryMb,
    ...(storageMb && { ephemeralStorageSize: Size.mebibytes(storageMb) }),
    tracing: traced ? Tracing.ACTIVE : Tracing.DISABLED,
    environment: {
      ...withoutUndefined(variables),
      POWERTOOLS_SERVICE_NAME: environment.names.service,
      POWERTOOLS_LOG_LEVEL: 'INFO',
      NODE_OPTIONS: '--enable-source-maps',
      ...(threadPool && { UV_THREADPOOL_SIZE: String(threadPool) }),
    },
  });
};

/** Returns the built function. With `-c assets=none` it is one line, for templates that are not deployed. */
const codeOf = (scope: Construct, file: FunctionFile): Code =>
  scope.node.tryGetContext('assets') === 'none'
    ? Code.fromInline(`throw new Error('${file} was synthesized without its code');`)
    : assetOf(file);

const withoutUndefined = (variables: object): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));

/** Returns the account id of a construct. It is a token if the environment names no account. */
export const accountOf = (scope: Construct): string => Stack.of(scope).account;
