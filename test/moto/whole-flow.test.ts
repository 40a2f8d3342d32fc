import { CreateTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Lease } from '../../functions/lib/store/leases.ts';
import { build } from '../../infra/bundle/main.ts';
import { lambdaContext } from '../../infra/local/lambda-context.ts';
import { namesOf } from '../../infra/names.ts';
import { type AuditRegion, regions } from '../../shared/regions.ts';
import { plans } from '../../shared/service/plans.ts';
import { builtHandler } from '../support/built-functions.ts';
import { chromiumDir } from '../support/chromium-dir.ts';
import { type Gateway, startHandlers } from '../support/gateway.ts';
import { type Pages, servePages } from '../support/pages.ts';
import { tableDefinition } from '../support/table-definition.ts';
import { worldHere } from '../support/world.ts';
import { awsEnv } from './aws-env.ts';

const names = namesOf('moto');
const used: readonly AuditRegion[] = ['us-west1', 'europe-west3'];

let pages: Pages;
let api: Gateway;
let world: ReturnType<typeof worldHere>;
let authorization: string;
const sqs = {} as Record<AuditRegion, SQSClient>;
beforeAll(async () => {
  await build();
  pages = await servePages();
  Object.assign(process.env, awsEnv(inject('motoUrl')), {
    HOME_REGION: 'us-west-2',
    TABLE_NAME: names.table,
    REPORT_BUCKET: names.reportBucket,
    AUTH: 'keys',
    TARGETS: 'local',
    CHROMIUM_DIR: chromiumDir(),
    REGIONS: used.join(','),
  });
  await new DynamoDBClient({}).send(new CreateTableCommand(tableDefinition(names.table)));
  const LocationConstraint = 'us-west-2';
  await new S3Client({}).send(
    new CreateBucketCommand({ Bucket: names.reportBucket, CreateBucketConfiguration: { LocationConstraint } }),
  );
  const queues: [AuditRegion, string | undefined][] = [];
  const deadLetters: [AuditRegion, string | undefined][] = [];
  for (const region of used) {
    sqs[region] = new SQSClient({ region: regions[region] });
    const created = await sqs[region].send(new CreateQueueCommand({ QueueName: names.auditQueue(region) }));
    queues.push([region, created.QueueUrl]);
    const lost = await sqs[region].send(new CreateQueueCommand({ QueueName: names.deadLetters(region) }));
    deadLetters.push([region, lost.QueueUrl]);
  }
  const deliveries = await new SQSClient({}).send(new CreateQueueCommand({ QueueName: names.deliveryQueue }));
  process.env.DELIVERY_QUEUE = deliveries.QueueUrl;
  process.env.AUDIT_QUEUES = JSON.stringify(Object.fromEntries(queues));
  process.env.DEAD_LETTER_QUEUES = JSON.stringify(Object.fromEntries(deadLetters));
  world = worldHere();
  api = await startHandlers(builtHandler);
  authorization = await keyOf('acme');
});
afterAll(async () => {
  await api?.close();
  await pages?.close();
});

const keyOf = async (owner: string) => `Bearer ${(await world.newKey({ owner, plan: 'small' })).text}`;

type Call = { method?: string; body?: unknown; headers?: Record<string, string> };
/** Calls the API. Returns the status, the headers and the parsed body. */
const call = async (path: string, { method, body, headers }: Call = {}) => {
  const answer = await fetch(`${api.url}${path}`, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json');
  return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : undefined };
};
const create = (more: object = {}, headers: Record<string, string> = {}) =>
  call('/v1/checks', {
    body: { url: pages.url('/perfect'), auditVersion: '13', regions: used, ...more },
    headers,
  });

const received = async (region: AuditRegion): Promise<Message[]> => {
  const QueueUrl = world.urls[region];
  const { Messages = [] } = await sqs[region].send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
  );
  return Messages;
};
/** Moves each waiting job to the dead letters, as SQS does after its third delivery. Returns the number of jobs. */
const loseJobs = async (region: AuditRegion): Promise<number> => {
  const messages = await received(region);
  const { [region]: QueueUrl } = JSON.parse(process.env.DEAD_LETTER_QUEUES as string);
  for (const { ReceiptHandle, Body } of messages) {
    await sqs[region].send(new SendMessageCommand({ QueueUrl, MessageBody: Body }));
    await sqs[region].send(new DeleteMessageCommand({ QueueUrl: world.urls[region], ReceiptHandle }));
  }
  return messages.length;
};
/** Gives each waiting message of a region to a consumer, as Lambda does. Returns the number of messages. */
const consume = async (name: 'run-audit', region: AuditRegion): Promise<number> => {
  const handler = await builtHandler(name);
  const messages = await received(region);
  for (const { MessageId, ReceiptHandle, Body, Attributes } of messages) {
    const record = {
      messageId: MessageId,
      receiptHandle: ReceiptHandle,
      body: Body,
      attributes: Attributes,
      messageAttributes: {},
      eventSource: 'aws:sqs',
      eventSourceARN: `arn:aws:sqs:${regions[region]}:123456789012:${names.auditQueue(region)}`,
      awsRegion: regions[region],
    };
    const answer = await handler({ Records: [record] } as never, lambdaContext(name, 600));
    expect(answer).toEqual({ batchItemFailures: [] });
    await sqs[region].send(new DeleteMessageCommand({ QueueUrl: world.urls[region], ReceiptHandle }));
  }
  return messages.length;
};
const sweep = async (event: object = {}) => (await builtHandler('sweep'))(event as never, lambdaContext('sweep', 60));
/** Makes an item due now. The test would else wait for minutes. */
const makeDue = async (id: string): Promise<void> => {
  const due = await world.due.list({ kind: 'checks', shard: 0 }, new Date('9999-01-01'), 100);
  const item = due.find(({ pk }) => pk === `CHECK#${id}`);
  expect(item).toBeDefined();
  await world.due.postpone({ ...item, id } as never, new Date(Date.now() - 1000));
};
const keysOf = async (id: string): Promise<string[]> => {
  const { Items = [] } = await new DynamoDBClient({}).send(new ScanCommand({ TableName: names.table }));
  return Items.filter((item) => JSON.stringify(item).includes(id)).map(({ pk, sk }) => `${pk?.S} ${sk?.S}`);
};

let first: string;
let firstRun: string;

test('creates a check once for an idempotency key', async () => {
  const created = await create({ labels: { branch: 'main' } }, { 'idempotency-key': 'one' });
  expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  const repeated = await create({ labels: { branch: 'main' } }, { 'idempotency-key': 'one' });
  expect([repeated.status, repeated.body.id]).toEqual([200, created.body.id]);
  expect(await create({ device: 'desktop' }, { 'idempotency-key': 'one' })).toMatchObject({ status: 422 });
  first = created.body.id;
  firstRun = created.body.runs[0].id;
  expect(await call(`/v1/checks/${first}`)).toMatchObject({ status: 200, body: { state: 'created' } });
  expect(await call(`/v1/checks/${first}`, { headers: { authorization: await keyOf('other') } })).toMatchObject({
    status: 404,
  });
  expect(await call(`/v1/checks/${first}/runs/${firstRun}/report`)).toMatchObject({ status: 409 });
});

test('audits the page in each region, and returns the results', async () => {
  for (const region of used) expect(await consume('run-audit', region)).toBe(1);
  const check = await call(`/v1/checks/${first}`, { headers: { prefer: 'wait=5' } });
  expect(check.body, check.text).toMatchObject({ state: 'succeeded', runs: [{ accessibility: 100 }, {}] });
  const run = `/v1/checks/${first}/runs/${firstRun}`;
  for (const path of [run, `/v1/audit/runs/${firstRun}?checkId=${first}`]) {
    expect(await call(path)).toMatchObject({ status: 200, body: { id: firstRun, state: 'succeeded' } });
  }
  const report = await call(`${run}/report`);
  expect(report.body).toMatchObject({ auditVersion: '13.5.0', lighthouseVersion: '13.5.0' });
  const page = await call(`${run}/report`, { headers: { accept: 'text/html' } });
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await call(`${run}/screenshot`)).toMatchObject({ status: 200 });
  expect(await call(`${run}/filmstrip`)).toMatchObject({ status: 200 });
});

let second: string;

test('lists checks and runs from any bound to any other, page by page', async () => {
  const created = await create({ regions: ['us-west1'], labels: { branch: 'next' } });
  second = created.body.id;
  expect(await consume('run-audit', 'us-west1')).toBe(1);
  const ids = async (query: string) => {
    const { status, text, body } = await call(`/v1/checks${query}`);
    expect([status, text]).toEqual([200, expect.any(String)]);
    return body.checks.map(({ id }: { id: string }) => id);
  };
  const [hourAgo, inAnHour] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
  expect(await ids('')).toEqual([second, first]);
  expect(await ids(`?createdAfter=${hourAgo}`)).toEqual([second, first]);
  expect(await ids(`?createdBefore=${hourAgo}`)).toEqual([]);
  expect(await ids(`?createdAfter=${hourAgo}&createdBefore=${inAnHour}`)).toEqual([second, first]);
  expect(await ids('?label=branch:main&state=succeeded')).toEqual([first]);
  const { nextCursor } = (await call('/v1/checks?limit=1')).body;
  expect(await ids(`?limit=1&cursor=${nextCursor}`)).toEqual([first]);
  expect(await ids(`?cursor=${nextCursor}&createdAfter=${inAnHour}`)).toEqual([]);

  const series = `/v1/runs?url=${encodeURIComponent(pages.url('/perfect'))}`;
  const runs = await call(series);
  expect([runs.status, runs.body.runs.length]).toEqual([200, 3]);
  const csv = await call(series, { headers: { accept: 'text/csv' } });
  expect(csv.text.trim().split('\r\n')).toHaveLength(4);
});

test('compares the regions of a check, and two checks', async () => {
  expect(await call(`/v1/checks/${first}/comparison`)).toMatchObject({ status: 200 });
  const compared = await call(`/v1/checks/${second}/comparison?base=${first}`);
  expect([compared.status, compared.body]).toMatchObject([200, { checkId: second, baseCheckId: first }]);
});

test('shows a check to the holder of a link, until the link is revoked', async () => {
  const links = `/v1/checks/${first}/links`;
  const link = await call(links, { method: 'POST' });
  expect(link.status, link.text).toBe(201);
  const token = new URLSearchParams(new URL(link.body.url).hash.slice(1)).get('share');
  const read = () => fetch(`${api.url}/v1/checks/${first}?share=${token}`);
  expect((await read()).status).toBe(200);
  expect((await call(links, { method: 'DELETE' })).status).toBe(204);
  expect((await read()).status).toBe(404);
});

test('resends a lost job, and fails a run whose job was lost too often', async () => {
  const { id } = (await create({ regions: ['us-west1'] })).body;
  await sqs['us-west1'].send(new PurgeQueueCommand({ QueueUrl: world.urls['us-west1'] }));
  await sweep({ wake: 'all' });
  await sweep();
  const run = await world.runOf(id);
  expect(run.sends).toBe(1); // since the wake
  expect(await loseJobs('us-west1')).toBe(1);
  await sweep(); // makes the run due in a minute, because it has attempts left
  await sweep({ wake: 'all' });
  await sweep();
  const lease = await world.leases.claim(await world.runOf(id), crypto.randomUUID(), new Date());
  const attempt = { startedAt: run.createdAt, finishedAt: run.createdAt, seconds: 1, contended: false };
  const failed = { ...attempt, code: 'internal' as const, auditCode: null };
  const attempts = [1, 2, 3].map((number) => ({ ...failed, number }));
  await world.leases.recordAttempt(lease as Lease, { attempts, samples: [] });
  await world.leases.release(lease as Lease, new Date());
  expect(await loseJobs('us-west1')).toBe(1);
  await sweep();
  expect((await call(`/v1/checks/${id}`)).body).toMatchObject({
    state: 'failed',
    runs: [{ error: { code: 'abandoned' } }],
  });
});

test('refuses a check beyond the limits of the plan', async () => {
  const statuses: number[] = [];
  for (let i = 0; i < plans.small.openChecks + 1; i++) statuses.push((await create({ regions: ['us-west1'] })).status);
  expect(statuses[0]).toBe(201);
  expect(statuses.at(-1)).toBe(429);
});

test('erases a check with all that belongs to it', async () => {
  expect(await world.reports.keysOf(first, 90)).toHaveLength(2);
  expect((await call(`/v1/checks/${first}`, { method: 'DELETE' })).status).toBe(204);
  expect((await call(`/v1/checks/${first}`)).status).toBe(404);
  await makeDue(first);
  await sweep();
  expect(await keysOf(first)).toEqual([]);
  expect(await world.reports.keysOf(first, 90)).toEqual([]);
});
