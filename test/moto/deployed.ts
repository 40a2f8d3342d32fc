import { CreateTableCommand, DynamoDBClient, UpdateContinuousBackupsCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { environmentOf } from '../../infra/environments.ts';
import { writersOf } from '../../infra/operator/pausing/writers.ts';
import { startFunctions } from '../support/gateway.ts';
import { tableDefinition } from '../support/table-definition.ts';
import { worldHere } from '../support/world.ts';
import { callMoto, cliEnv } from './aws-env.ts';
import { startFront } from './aws-front.ts';

export const environment = environmentOf('trial');
export const REGION = 'us-west1';
const { names, homeRegion } = environment;
const ACCOUNT = '123456789012';
/** The audit function of the region, the canary and the sweeper. */
export const functionName = {
  audit: names.regionFunction('run-audit', REGION),
  canary: names.homeFunction('canary'),
  sweep: names.homeFunction('sweep'),
  wait: names.homeFunction('wait-check'),
};

/** Makes the parts of the environment `trial` on moto that an operator's commands use, and serves its API. */
export const startDeployed = async (motoUrl: string) => {
  const front = await startFront(motoUrl, {
    [functionName.canary]: async (event) => (await import('../../functions/canary.ts')).handler(event),
    [functionName.sweep]: async (event) => (await import('../../functions/sweep.ts')).handler(event),
  });
  const env = cliEnv(front.url);
  const call = callMoto.bind(undefined, front.url);
  Object.assign(process.env, env, {
    HOME_REGION: homeRegion,
    TABLE_NAME: names.table,
    REPORT_BUCKET: names.reportBucket,
    AUTH: 'keys',
    TARGETS: 'local',
    REGIONS: REGION,
    OPEN_SHARDS: `${environment.openShards}`,
    CANARY_MINUTES: '15',
  });
  await makeStores();
  await makeFunctions(call);
  const world = worldHere();
  const api = await startFunctions();
  await makeStack(call, api.url);
  const close = async () => {
    world.sqs.destroy();
    await api.close();
    await front.close();
  };
  return { call, env, world, api, dynamodb: new DynamoDBClient({}), close };
};
export type Deployed = Awaited<ReturnType<typeof startDeployed>>;
type CallHere = Deployed['call'];

const makeStores = async (): Promise<void> => {
  const dynamodb = new DynamoDBClient({});
  await dynamodb.send(new CreateTableCommand(tableDefinition(names.table)));
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await dynamodb.send(new UpdateContinuousBackupsCommand({ TableName: names.table, PointInTimeRecoverySpecification }));
  const CreateBucketConfiguration = { LocationConstraint: 'us-west-2' } as const;
  await new S3Client({}).send(new CreateBucketCommand({ Bucket: names.reportBucket, CreateBucketConfiguration }));
  const sqs = new SQSClient({});
  const queue = async (QueueName: string, deadLetters?: string) => {
    const deadLetterTargetArn = `arn:aws:sqs:${homeRegion}:${ACCOUNT}:${deadLetters}`;
    const Attributes = deadLetters && { RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 }) };
    return (await sqs.send(new CreateQueueCommand({ QueueName, ...(Attributes && { Attributes }) }))).QueueUrl ?? '';
  };
  process.env.DEAD_LETTER_QUEUES = JSON.stringify({ [REGION]: await queue(names.deadLetters(REGION)) });
  process.env.AUDIT_QUEUES = JSON.stringify({
    [REGION]: await queue(names.auditQueue(REGION), names.deadLetters(REGION)),
  });
  await queue(names.lostDeliveries);
  process.env.DELIVERY_QUEUE = await queue(names.deliveryQueue, names.lostDeliveries);
};

const makeFunctions = async (call: CallHere): Promise<void> => {
  const { called, fed, queues } = writersOf(environment);
  const trust = JSON.stringify({ Version: '2012-10-17', Statement: [] });
  const role = { Action: 'CreateRole', Version: '2010-05-08', RoleName: 'functions', AssumeRolePolicyDocument: trust };
  await call(['iam', homeRegion], { form: role });
  const Code = { ZipFile: Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1').toString('base64') }; // an empty archive
  for (const name of [...[...called, ...fed].map((each) => each.name), functionName.wait]) {
    const Role = `arn:aws:iam::${ACCOUNT}:role/functions`;
    const body = { FunctionName: name, Runtime: 'nodejs22.x', Role, Handler: 'index.handler', Code };
    await call(['lambda', homeRegion], { path: '/2015-03-31/functions', body });
  }
  for (const [i, { name }] of fed.entries()) {
    const EventSourceArn = `arn:aws:sqs:${homeRegion}:${ACCOUNT}:${queues[i]?.name}`;
    const body = { FunctionName: name, EventSourceArn, Enabled: true };
    await call(['lambda', homeRegion], { path: '/2015-03-31/event-source-mappings/', body });
  }
  const [create] = called;
  await call(['lambda', homeRegion], {
    path: `/2017-10-31/functions/${create?.name}/concurrency`,
    method: 'PUT',
    body: { ReservedConcurrentExecutions: 3 },
  });
  for (const name of [functionName.canary, functionName.sweep]) {
    const target = (operation: string) => `AWSEvents.${operation}`;
    const rule = { Name: `rule-of-${name}`, ScheduleExpression: 'rate(15 minutes)', State: 'DISABLED' };
    await call(['events', homeRegion], { target: target('PutRule'), body: rule });
    const Arn = `arn:aws:lambda:${homeRegion}:${ACCOUNT}:function:${name}`;
    const body = { Rule: rule.Name, Targets: [{ Id: '1', Arn }] };
    await call(['events', homeRegion], { target: target('PutTargets'), body });
  }
};

/** Makes a home stack whose output is the URL of the API. */
const makeStack = (call: CallHere, url: string) => {
  const Outputs = { ApiUrl: { Value: url } };
  const TemplateBody = JSON.stringify({ Resources: { Topic: { Type: 'AWS::SNS::Topic' } }, Outputs });
  const form = { Action: 'CreateStack', Version: '2010-05-15', StackName: names.homeStack, TemplateBody };
  return call(['cloudformation', homeRegion], { form });
};
