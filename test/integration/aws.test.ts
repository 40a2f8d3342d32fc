import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { clientSettings } from '../../functions/lib/aws-client.ts';
import { startAws } from '../../infra/local/aws.ts';

type Aws = Awaited<ReturnType<typeof startAws>>;
let aws: Aws;
beforeAll(async () => {
  aws = await startAws({ regions: ['us-west1', 'us-east4'], visibilitySeconds: 1 });
});
afterAll(() => aws.close());

/** Returns SDK clients as product code creates them. */
const use = (started: Aws) => {
  for (const [name, value] of Object.entries(started.env)) vi.stubEnv(name, value);
  return {
    dynamodb: new DynamoDBClient(clientSettings()),
    s3: new S3Client(clientSettings()),
    sqs: (region: string) => new SQSClient({ region, ...clientSettings() }),
    TableName: started.env.TABLE_NAME as string,
    Bucket: started.env.REPORT_BUCKET as string,
    queues: JSON.parse(started.env.AUDIT_QUEUES as string) as Record<string, string>,
    deadLetters: JSON.parse(started.env.DEAD_LETTER_QUEUES as string) as Record<string, string>,
  };
};
afterEach(() => void vi.unstubAllEnvs());

const anOpenRun = {
  pk: { S: 'CHECK#1' },
  sk: { S: 'RUN#1' },
  open: { S: 'OPEN#us-west1#0' },
  dueAt: { S: '2026-01-01' },
};

test('a client reads a report with the same bytes and encoding', async () => {
  const { s3, Bucket } = use(aws);
  const aReport = { Key: 'reports/a/b/c d+é.json.gz', ContentType: 'application/json', ContentEncoding: 'gzip' };
  const Body = Buffer.concat([gzipSync('{}'), Buffer.from([0, 255, 13, 10, 128])]);
  await s3.send(new PutObjectCommand({ Bucket, ...aReport, Body }));
  const report = await s3.send(new GetObjectCommand({ Bucket, Key: aReport.Key }));
  expect(report.ContentEncoding).toBe('gzip');
  expect(report.ContentType).toBe('application/json');
  expect(Buffer.from((await report.Body?.transformToByteArray()) ?? [])).toEqual(Body);
});

test('of two writes that need an object to be new, one fails', async () => {
  const { s3, Bucket } = use(aws);
  const put = (Body: string) => s3.send(new PutObjectCommand({ Bucket, Key: 'keys/new', Body, IfNoneMatch: '*' }));
  const results = await Promise.allSettled([put('a'), put('b')]);
  const failed = results.filter((each) => each.status === 'rejected');
  expect(failed).toMatchObject([{ reason: { name: 'PreconditionFailed', $metadata: { httpStatusCode: 412 } } }]);
});

test('the index follows changes of an item’s due time, and removes a closed or deleted item', async () => {
  const { dynamodb, TableName } = use(aws);
  const Key = { pk: anOpenRun.pk, sk: anOpenRun.sk };
  const due = async () => {
    const query = new QueryCommand({
      TableName,
      IndexName: 'open',
      KeyConditionExpression: '#open = :open',
      ExpressionAttributeNames: { '#open': 'open' },
      ExpressionAttributeValues: { ':open': anOpenRun.open },
    });
    return (await dynamodb.send(query)).Items?.map((item) => item.dueAt?.S);
  };
  const update = (
    UpdateExpression: string,
    name: string,
    ExpressionAttributeValues?: Record<string, { S: string }>,
  ) => {
    const names = { [`#${name}`]: name };
    const input = { TableName, Key, UpdateExpression, ExpressionAttributeValues, ExpressionAttributeNames: names };
    return dynamodb.send(new UpdateItemCommand(input));
  };
  await dynamodb.send(new PutItemCommand({ TableName, Item: anOpenRun }));
  expect(await due()).toEqual(['2026-01-01']);
  await update('SET #dueAt = :at', 'dueAt', { ':at': { S: '2026-02-02' } });
  expect(await due()).toEqual(['2026-02-02']);
  await update('REMOVE #open', 'open');
  expect(await due()).toEqual([]);
  await update('SET #open = :open', 'open', { ':open': anOpenRun.open });
  expect(await due()).toEqual(['2026-02-02']);
  await dynamodb.send(new DeleteItemCommand({ TableName, Key }));
  expect(await due()).toEqual([]);
});

test('the queues of two regions are separate', async () => {
  const { sqs, queues } = use(aws);
  const [west, east] = [sqs('us-west-2'), sqs('us-east-1')];
  await east.send(new SendMessageCommand({ QueueUrl: queues['us-east4'], MessageBody: 'east' }));
  const receive = (QueueUrl?: string) => new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 30 });
  expect((await west.send(receive(queues['us-west1']))).Messages).toBeUndefined();
  expect((await east.send(receive(queues['us-east4']))).Messages).toMatchObject([{ Body: 'east' }]);
});

test('the messages of one owner don’t delay those of another', async () => {
  const { sqs, queues } = use(aws);
  const west = sqs('us-west-2');
  for (const [MessageGroupId, MessageBody] of ['many', 'many', 'many', 'few'].map((owner, i) => [
    owner,
    `${owner}-${i}`,
  ]))
    await west.send(new SendMessageCommand({ QueueUrl: queues['us-west1'], MessageBody, MessageGroupId }));
  const input = { QueueUrl: queues['us-west1'], MaxNumberOfMessages: 10, VisibilityTimeout: 30 };
  const { Messages } = await west.send(new ReceiveMessageCommand(input));
  expect(Messages?.map(({ Body }) => Body)).toEqual(['many-0', 'few-3', 'many-1', 'many-2']);
});

test('a message that was received three times becomes a dead letter of its region', async () => {
  const { sqs, queues, deadLetters } = use(aws);
  const west = sqs('us-west-2');
  const receive = async (QueueUrl?: string, WaitTimeSeconds = 3) =>
    (await west.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds, VisibilityTimeout: 0.1 }))).Messages?.map(
      ({ Body }) => Body,
    );
  await west.send(new SendMessageCommand({ QueueUrl: queues['us-west1'], MessageBody: 'lost' }));
  for (const _ of [1, 2, 3]) expect(await receive(queues['us-west1'])).toEqual(['lost']);
  expect(await receive(queues['us-west1'], 0.3)).toBeUndefined();
  expect(await receive(deadLetters['us-east4'], 0)).toBeUndefined();
  expect(await receive(deadLetters['us-west1'], 0)).toEqual(['lost']);
});

test('a receive that waits gets a message that is sent later', async () => {
  const { sqs, queues } = use(aws);
  const east = sqs('us-east-1');
  const received = east.send(new ReceiveMessageCommand({ QueueUrl: queues['us-east4'], WaitTimeSeconds: 20 }));
  await east.send(new SendMessageCommand({ QueueUrl: queues['us-east4'], MessageBody: 'later' }));
  expect((await received).Messages).toMatchObject([{ Body: 'later' }]);
});

test('a queue refuses a message with a character that XML has not', async () => {
  const { sqs, queues } = use(aws);
  const send = (MessageBody: string) =>
    sqs('us-west-2').send(new SendMessageCommand({ QueueUrl: queues['us-west1'], MessageBody }));
  await expect(send('\u0001')).rejects.toMatchObject({ name: 'InvalidMessageContents' });
});

test('close ends a receive that waits', async () => {
  const own = await startAws({ regions: ['us-west1'] });
  const { sqs, queues } = use(own);
  const receive = new ReceiveMessageCommand({ QueueUrl: queues['us-west1'], WaitTimeSeconds: 20 });
  const poll = sqs('us-west-2')
    .send(receive)
    .catch((error: Error) => error.name);
  await pause(100); // until it waits
  await own.close();
  expect(await poll).toBe('InternalServerError');
});

test('the visibility timeout is six times the function’s timeout', async () => {
  const own = await startAws({ regions: ['us-west1'] });
  const { sqs, queues } = use(own);
  const input = { QueueUrl: queues['us-west1'], AttributeNames: ['VisibilityTimeout' as const] };
  const { Attributes } = await sqs('us-west-2').send(new GetQueueAttributesCommand(input));
  expect(Number(Attributes?.VisibilityTimeout)).toBe(6 * 600);
  await own.close();
});
