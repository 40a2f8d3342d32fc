import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  DeleteItemCommand,
  DescribeTableCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
// @ts-expect-error dynalite has no types
import dynaliteDb from 'dynalite/db/index.js';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startAws } from '../../infra/local/aws.ts';
import { patchDynalite } from '../../infra/local/dynalite-fixes.ts';
import { FULL } from '../support/full.ts';

type Aws = Awaited<ReturnType<typeof startAws>>;
const folders: string[] = [];
const aFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'aws-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Returns SDK clients as product code creates them: all settings except the region come from the environment. */
const use = (aws: Aws) => {
  for (const [name, value] of Object.entries(aws.env)) vi.stubEnv(name, value);
  return {
    dynamodb: new DynamoDBClient({}),
    s3: new S3Client({}),
    sqs: (region: string) => new SQSClient({ region }),
    TableName: aws.env.TABLE_NAME as string,
    Bucket: aws.env.REPORT_BUCKET as string,
    queues: JSON.parse(aws.env.AUDIT_QUEUES as string) as Record<string, string>,
    deadLetters: JSON.parse(aws.env.DEAD_LETTER_QUEUES as string) as Record<string, string>,
  };
};
afterEach(() => void vi.unstubAllEnvs());

const aReport = { Key: 'reports/a/b/c.json.gz', ContentType: 'application/json', ContentEncoding: 'gzip' };
const anOpenRun = {
  pk: { S: 'CHECK#1' },
  sk: { S: 'RUN#1' },
  open: { S: 'OPEN#us-west1#0' },
  dueAt: { S: '2026-01-01' },
};

describe('in memory', () => {
  let aws: Aws;
  beforeAll(async () => {
    aws = await startAws({ regions: ['us-west1', 'us-east4'], visibilitySeconds: 1 });
  });
  afterAll(() => aws.close());

  test('a client without path-style URLs reads a report with the same bytes and encoding', async () => {
    const { s3, Bucket } = use(aws);
    const Body = Buffer.concat([gzipSync('{}'), Buffer.from([0, 255, 13, 10, 128])]);
    await s3.send(new PutObjectCommand({ Bucket, ...aReport, Body }));
    const report = await s3.send(new GetObjectCommand({ Bucket, Key: aReport.Key }));
    expect(report.ContentEncoding).toBe('gzip');
    expect(report.ContentType).toBe('application/json');
    expect(Buffer.from((await report.Body?.transformToByteArray()) ?? [])).toEqual(Body);
  });

  test('the table has the keys, the index and the billing mode of the settings', async () => {
    const { dynamodb, TableName } = use(aws);
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
    expect(Table?.BillingModeSummary?.BillingMode).toBe('PAY_PER_REQUEST');
    expect(Table?.KeySchema?.map((key) => key.AttributeName)).toEqual(['pk', 'sk']);
    expect(Table?.GlobalSecondaryIndexes).toMatchObject([
      {
        IndexName: 'open',
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['lease'] },
        KeySchema: [{ AttributeName: 'open' }, {}],
      },
      { IndexName: 'list', Projection: { ProjectionType: 'INCLUDE' }, KeySchema: [{ AttributeName: 'list' }, {}] },
    ]);
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
    const update = (UpdateExpression: string, ExpressionAttributeValues?: Record<string, { S: string }>) => {
      const names = UpdateExpression.includes('#') ? { '#open': 'open' } : undefined;
      const input = { TableName, Key, UpdateExpression, ExpressionAttributeValues, ExpressionAttributeNames: names };
      return dynamodb.send(new UpdateItemCommand(input));
    };
    await dynamodb.send(new PutItemCommand({ TableName, Item: anOpenRun }));
    expect(await due()).toEqual(['2026-01-01']);
    await update('SET dueAt = :at', { ':at': { S: '2026-02-02' } });
    expect(await due()).toEqual(['2026-02-02']);
    await update('REMOVE #open');
    expect(await due()).toEqual([]);
    await update('SET #open = :open', { ':open': anOpenRun.open });
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

  test('a message that was received three times becomes a dead letter of its region', async () => {
    const { sqs, queues, deadLetters } = use(aws);
    const west = sqs('us-west-2');
    const VisibilityTimeout = FULL ? undefined : 0.2; // a queue accepts whole seconds only
    const receive = async (QueueUrl?: string, WaitTimeSeconds = 3) =>
      (await west.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds, VisibilityTimeout }))).Messages?.map(
        ({ Body }) => Body,
      );
    await west.send(new SendMessageCommand({ QueueUrl: queues['us-west1'], MessageBody: 'lost' }));
    for (const _ of [1, 2, 3]) expect(await receive(queues['us-west1'])).toEqual(['lost']);
    expect(await receive(queues['us-west1'], FULL ? 2 : 0.5)).toBeUndefined();
    expect(await receive(deadLetters['us-east4'], 0)).toBeUndefined();
    expect(await receive(deadLetters['us-west1'], 0)).toEqual(['lost']);
  });

  test('every URL has a numeric loopback address', () => {
    const { queues, deadLetters } = use(aws);
    const endpoints = Object.entries(aws.env).filter(([name]) => name.startsWith('AWS_ENDPOINT_URL_'));
    const urls = [...Object.values(queues), ...Object.values(deadLetters), ...endpoints.map(([, url]) => url)];
    expect(urls).toHaveLength(7);
    expect(urls.map((url) => new URL(url).hostname)).toEqual(Array(7).fill('127.0.0.1'));
  });

  test('the engines listen on one loopback address only', async () => {
    const ports = ['DYNAMODB', 'SQS', 'S3'].map((name) =>
      Number(new URL(aws.env[`AWS_ENDPOINT_URL_${name}`] ?? '').port),
    );
    const others = Object.values(networkInterfaces()).flatMap(
      (all) => all?.map(({ address, scopeid }) => ({ address, scopeid })) ?? [],
    );
    const hosts = others
      .filter(({ address, scopeid }) => address !== '127.0.0.1' && !scopeid)
      .map(({ address }) => address);
    for (const port of ports) {
      expect(await connects('127.0.0.1', port)).toBe(true);
      for (const host of [...hosts, '127.0.0.2']) expect(await connects(host, port), `${host}:${port}`).toBe(false);
    }
  });

  test('a client that disconnects during a request does not affect others', async () => {
    const { dynamodb, TableName } = use(aws);
    const { port } = new URL(aws.env.AWS_ENDPOINT_URL_DYNAMODB as string);
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{');
    await pause(50);
    socket.destroy();
    await pause(50);
    expect((await dynamodb.send(new DescribeTableCommand({ TableName }))).Table?.TableStatus).toBe('ACTIVE');
  });
});

test('close takes less than two seconds, even with long polls and open connections', async () => {
  const aws = await startAws({ regions: ['us-west1'] });
  const { sqs, s3, dynamodb, queues, Bucket, TableName } = use(aws);
  await dynamodb.send(new ScanCommand({ TableName }));
  await s3.send(new GetObjectCommand({ Bucket, Key: 'none' })).catch(() => {});
  const receive = new ReceiveMessageCommand({ QueueUrl: queues['us-west1'], WaitTimeSeconds: 20 });
  const poll = sqs('us-west-2')
    .send(receive)
    .catch(() => {});
  const halfOpen = connect(Number(new URL(aws.env.AWS_ENDPOINT_URL_DYNAMODB as string).port), '127.0.0.1');
  halfOpen.on('error', () => {}).write('POST / HTTP/1.1\r\n');
  await pause(100);
  const at = Date.now();
  await aws.close();
  expect(Date.now() - at).toBeLessThan(2000);
  await poll;
});

describe('in a folder', () => {
  /** Starts another process on the folder. It runs `code` with its engines, and sends its environment as a message. */
  const child = async (dataDir: string, code = 'process.send(aws.env)') => {
    const start = `
      import { startAws } from ${JSON.stringify(join(import.meta.dirname, '../../infra/local/aws.ts'))};
      import { DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
      const aws = await startAws({ dataDir: ${JSON.stringify(dataDir)}, regions: ['us-west1'] });
      process.on('disconnect', () => process.exit());
      Object.assign(process.env, aws.env);
      ${code}`;
    const started = spawn(process.execPath, ['--input-type=module', '-e', start], { stdio: [0, 1, 2, 'ipc'] });
    const [env] = (await once(started, 'message')) as [Record<string, string>];
    return { process: started, env };
  };
  const kill = async ({ process }: { process: ChildProcess }) => {
    process.kill('SIGKILL');
    await once(process, 'exit');
  };
  const endlessWrites = `
    const dynamodb = new DynamoDBClient({});
    const TableName = aws.env.TABLE_NAME;
    let writes = 0;
    const write = async (pk) => {
      const Key = { pk: { S: pk }, sk: { S: 'CHECK' } };
      await dynamodb.send(new PutItemCommand({ TableName, Item: { ...Key, open: { S: 'OPEN' }, dueAt: { S: '0' } } }));
      for (;;) {
        const ExpressionAttributeValues = { ':at': { S: String(++writes) } };
        const UpdateExpression = 'SET dueAt = :at';
        await dynamodb.send(new UpdateItemCommand({ TableName, Key, UpdateExpression, ExpressionAttributeValues }));
        if (writes === 500) process.send(aws.env);
      }
    };
    for (let i = 0; i < 50; i++) write('CHECK#' + i);`;

  test('items and reports survive a kill', async () => {
    const dataDir = aFolder();
    const first = await child(dataDir);
    const before = use({ env: first.env, close: async () => {} });
    const { TableName, Bucket } = before;
    const Body = Buffer.from([31, 139, 0, 255]);
    await before.s3.send(new PutObjectCommand({ Bucket, ...aReport, Body }));
    await before.dynamodb.send(new PutItemCommand({ TableName, Item: anOpenRun }));
    await kill(first);

    const aws = await startAws({ dataDir, regions: ['us-west1'] });
    const { dynamodb, s3 } = use(aws);
    expect((await dynamodb.send(new ScanCommand({ TableName }))).Items).toEqual([anOpenRun]);
    const report = await s3.send(new GetObjectCommand({ Bucket, Key: aReport.Key }));
    expect(report.ContentEncoding).toBe('gzip');
    expect(Buffer.from((await report.Body?.transformToByteArray()) ?? [])).toEqual(Body);
    await aws.close();
  });

  const killedAgain = aFolder(); // shared, so that each kill starts with the data of the one before
  test.each(FULL ? [1, 2, 3] : [1])('kill %i during writes leaves items and index consistent', async () => {
    await kill(await child(killedAgain, endlessWrites));
    const aws = await startAws({ dataDir: killedAgain, regions: ['us-west1'] });
    const { dynamodb, TableName } = use(aws);
    const scan = async (IndexName?: string) => {
      const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName, IndexName }));
      return Items.map((item) => `${item.pk?.S} ${item.open?.S} ${item.dueAt?.S}`).sort();
    };
    const items = await scan();
    expect(items).toHaveLength(50);
    expect(await scan('open')).toEqual(items);
    await aws.close();
  });

  test('a query closes its iterator, because an open iterator leaks memory', async () => {
    patchDynalite();
    const open = new Set<object>();
    let created = 0;
    const { create } = dynaliteDb;
    dynaliteDb.create = (options: unknown) => {
      const store = create(options);
      const values = store.db.values;
      store.db.values = (range: object) => {
        const iterator = values(range);
        const { close } = iterator;
        open.add(iterator);
        created++;
        return Object.assign(iterator, { close: () => close.call(iterator).then(() => open.delete(iterator)) });
      };
      return store;
    };
    const aws = await startAws({ dataDir: aFolder(), regions: ['us-west1'] });
    dynaliteDb.create = create;
    const { dynamodb, TableName } = use(aws);
    await dynamodb.send(new PutItemCommand({ TableName, Item: anOpenRun }));
    const ExpressionAttributeValues = { ':pk': anOpenRun.pk };
    const query = new QueryCommand({ TableName, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues });
    expect((await dynamodb.send(query)).Items).toEqual([anOpenRun]);
    expect(created).toBeGreaterThan(0);
    await expect.poll(() => open.size).toBe(0);
    await aws.close();
  });

  test('a folder in use is rejected with what to do, and is free when the other process ends', async () => {
    const dataDir = aFolder();
    const other = await child(dataDir);
    await expect(startAws({ dataDir, regions: ['us-west1'] })).rejects.toThrow(
      /in use by another process.*Stop that process/,
    );
    await kill(other);
    const aws = await startAws({ dataDir, regions: ['us-west1'] });
    await aws.close();
    await (await startAws({ dataDir, regions: ['us-west1'] })).close();
  });
});

test('the visibility timeout is six times the function’s timeout', async () => {
  const aws = await startAws({ regions: ['us-west1'] });
  const { sqs, queues } = use(aws);
  const input = { QueueUrl: queues['us-west1'], AttributeNames: ['VisibilityTimeout' as const, 'QueueArn' as const] };
  const { Attributes } = await sqs('us-west-2').send(new GetQueueAttributesCommand(input));
  expect(Attributes?.VisibilityTimeout).toBe('3600');
  expect(Attributes?.QueueArn).toMatch(/^arn:aws:sqs:us-west-2:\d{12}:page-audit-local-audits-us-west1$/);
  await aws.close();
});

const connects = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 500 });
    const end = (connected: boolean) => () => {
      socket.destroy();
      resolve(connected);
    };
    socket.on('connect', end(true)).on('error', end(false)).on('timeout', end(false));
  });
