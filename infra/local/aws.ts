import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
// @ts-expect-error it has no types
import dynalite from 'dynalite';
// @ts-expect-error it has no types
import dynaliteDb from 'dynalite/db/index.js';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { regions as awsRegions, type Region } from '../../shared/regions.ts';
import { namesOf } from '../names.ts';
import { queueSettings, tableSettings } from '../settings.ts';
import { closeServer } from './close-server.ts';

type Options = {
  dataDir?: string; // without it everything is in memory
  regions: readonly Region[];
  environment?: string;
  ports?: { dynamodb?: number; sqs?: number; s3?: number }; // any free one by default
  visibilitySeconds?: number; // for tests
};

const HOST = '127.0.0.1';
const ACCOUNT = '000000000000';
const HOME_REGION = 'us-west-2';
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** AWS settings of this machine's user, which would send our requests elsewhere or refuse our endpoints. */
const noUserSettings = {
  AWS_PROFILE: '',
  AWS_SESSION_TOKEN: '',
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'false',
  AWS_USE_DUALSTACK_ENDPOINT: 'false',
  AWS_USE_FIPS_ENDPOINT: 'false',
};

/**
 * DynamoDB, SQS and S3 on loopback, with the table, the bucket and each region's queues in place. `env` is what the AWS
 * SDK and our functions find in `process.env`. Table and bucket are kept in `dataDir`, whatever ends the process; what was
 * queued is not: the table says which runs are open, and the sweeper queues them again.
 */
export const startAws = async ({ dataDir, regions, environment = 'local', ports = {}, visibilitySeconds }: Options) => {
  await using engines = new AsyncDisposableStack(); // ends what was started if a later one fails
  const names = namesOf(environment);
  const table = await startTable({ dataDir, environment, port: ports.dynamodb });
  engines.defer(table.close);

  const s3 = await startFauxqsOnLoopback({ port: ports.s3 ?? 0, dataDir: dataDir && join(dataDir, 's3') });
  engines.defer(() => s3.stop());
  s3.createBucket(names.reportBucket);

  const sqs = await startFauxqsOnLoopback({ port: ports.sqs ?? 0 });
  engines.defer(() => sqs.stop());
  const sqsUrl = `http://${HOST}:${sqs.port}`;
  const createQueue = (region: Region, name: string, attributes: Record<string, string> = {}) => {
    const { queueArn } = sqs.createQueue(name, { region: awsRegions[region], attributes });
    return { arn: queueArn, url: `${sqsUrl}/${ACCOUNT}/${name}` }; // fauxqs' own URL has a host that needs a name server
  };
  const auditQueues: Record<string, string> = {};
  const deadLetterQueues: Record<string, string> = {};
  for (const region of regions) {
    const deadLetters = createQueue(region, names.deadLetters(region));
    const { maxReceiveCount } = queueSettings;
    deadLetterQueues[region] = deadLetters.url;
    auditQueues[region] = createQueue(region, names.auditQueue(region), {
      VisibilityTimeout: String(visibilitySeconds ?? queueSettings.visibilitySeconds),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount }),
    }).url;
  }

  const env: Record<string, string> = {
    ...table.env,
    AWS_ENDPOINT_URL_SQS: sqsUrl,
    AWS_ENDPOINT_URL_S3: `http://${HOST}:${s3.port}`,
    REPORT_BUCKET: names.reportBucket,
    AUDIT_QUEUES: JSON.stringify(auditQueues),
    DEAD_LETTER_QUEUES: JSON.stringify(deadLetterQueues),
    REGIONS: regions.join(','),
  };
  const started = engines.move();
  return { env, close: () => started.disposeAsync() };
};

/** The table alone. Where it listens is noted in the folder, for `openTable` of another process. */
const startTable = async ({ dataDir, environment = 'local', port }: TableOptions) => {
  await using engines = new AsyncDisposableStack();
  if (dataDir) {
    engines.defer(claim(dataDir));
    rmSync(endpointFile(dataDir), { force: true }); // of one that was killed
  }
  const dynamodb = await startDynamodb(dataDir && join(dataDir, 'dynamodb'), port);
  engines.defer(dynamodb.close);
  const name = namesOf(environment).table;
  const client = new DynamoDBClient({ endpoint: dynamodb.url, region: HOME_REGION, credentials });
  await createTable(client, name);
  client.destroy();
  if (dataDir) {
    writeFileSync(endpointFile(dataDir), dynamodb.url, { mode: 0o600 });
    engines.defer(() => rmSync(endpointFile(dataDir), { force: true }));
  }
  const started = engines.move();
  return { env: tableEnv(dynamodb.url, name), close: () => started.disposeAsync() };
};

/** The table of a data folder, whether a service runs on it or not: that one's engine, or one of our own until `close`. */
export const openTable = async (dataDir: string) => {
  for (let tries = 0; ; tries++) {
    try {
      return await startTable({ dataDir });
    } catch (error) {
      if (!(error instanceof InUse)) throw error;
    }
    const url = endpointIn(dataDir);
    if (url) return { env: tableEnv(url, namesOf('local').table), close: async () => {} };
    if (tries >= 50) throw new Error(`The service that uses ${dataDir} is starting or ending. Try again in a moment.`);
    await pause(100);
  }
};

type TableOptions = { dataDir?: string | undefined; environment?: string; port?: number | undefined };

const endpointFile = (dataDir: string): string => join(dataDir, 'dynamodb-url');
const endpointIn = (dataDir: string): string | undefined => {
  try {
    return readFileSync(endpointFile(dataDir), 'utf8') || undefined;
  } catch {
    return undefined; // not there yet, or no more
  }
};

const tableEnv = (url: string, table: string): Record<string, string> => ({
  ...noUserSettings,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_REGION: HOME_REGION,
  AWS_ENDPOINT_URL_DYNAMODB: url,
  HOME_REGION,
  TABLE_NAME: table,
});

/** The folder is another process's. */
class InUse extends Error {}

/** Takes the folder for this process until the answer is called or the process ends, however it does. */
const claim = (dataDir: string) => {
  mkdirSync(dataDir, { recursive: true });
  const lock = new DatabaseSync(join(dataDir, 'in-use.lock')); // SQLite's locks die with their process
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!/locked/.test(String(error))) throw error;
    throw new InUse(
      `${dataDir} is in use by another process of this service. End that one, or set DATA_DIR to another folder.`,
    );
  }
  return () => lock.close();
};

const startDynamodb = async (path: string | undefined, port = 0) => {
  const server: Server = dynalite({ path, createTableMs: 0 });
  server.on('request', (request: IncomingMessage) => {
    request.removeAllListeners('error').on('error', () => {}); // dynalite throws it: a client that left would end us
  });
  await once(server.listen(port, HOST), 'listening');

  const close = async () => {
    await pause(100); // what an absent client asked for is still at work: dynalite throws if its database closes under it
    await closeServer(server);
  };
  return { url: `http://${HOST}:${(server.address() as AddressInfo).port}`, close };
};

/**
 * dynalite writes an item's index entries and then the item, one after the other: a kill between them hid open runs from
 * the sweeper for ever. All go in one batch here, and dynalite's own write of the item then changes nothing.
 */
dynaliteDb.updateIndexes = (store: Store, table: Table, before: unknown, after: unknown, done: () => void) => {
  if (!before && !after) return done();
  const { puts, deletes } = dynaliteDb.getIndexActions(table.GlobalSecondaryIndexes ?? [], before, after, table);
  const entry = (type: string) => (action: { index: string; key: string; item?: unknown }) => ({
    type,
    key: `index-global~${table.TableName}~${action.index}~${action.key}`,
    value: action.item,
  });
  const key = `item-${table.TableName}~${dynaliteDb.createKey(after ?? before, table)}`;
  const item = { type: after ? 'put' : 'del', key, value: after };
  store.db.batch([...deletes.map(entry('del')), ...puts.map(entry('put')), item], done);
};
type Store = { db: { batch(operations: unknown[], done: () => void): void; values(range: object): Values } };
type Values = { close(): Promise<void>; return?: () => Promise<void> };

/**
 * dynalite ends the iterator of a query by its `return`, and those of its LevelDB have none: each query kept 7 to 43 KB
 * for good.
 */
const { create } = dynaliteDb;
dynaliteDb.create = (options: unknown): Store => {
  const store: Store = create(options);
  const values = store.db.values.bind(store.db);
  store.db.values = (range) => {
    const iterator = values(range);
    iterator.return = () => iterator.close();
    return iterator;
  };
  return store;
};
type Table = { TableName: string; GlobalSecondaryIndexes?: unknown[] };

const createTable = async (client: DynamoDBClient, TableName: string) => {
  const { partitionKey, sortKey, index } = tableSettings;
  const keys = (partition: string, sort: string) => [
    { AttributeName: partition, KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ];
  const strings = [partitionKey, sortKey, index.partitionKey, index.sortKey];
  const table = new CreateTableCommand({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: strings.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keys(partitionKey, sortKey),
    GlobalSecondaryIndexes: [
      {
        IndexName: index.name,
        KeySchema: keys(index.partitionKey, index.sortKey),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });
  await client.send(table).catch((error) => {
    if (error.name !== 'ResourceInUseException') throw error; // there from an earlier start
  });
  for (let tries = 0; tries < 100; tries++) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table?.TableStatus === 'ACTIVE') return;
    await pause(20);
  }
  throw new Error(`The table ${TableName} was never made whole. Delete its folder and start again.`);
};

/** fauxqs listens on every interface, whatever it is told: its app is caught as it is made, and its host replaced. */
const startFauxqsOnLoopback = async (options: { port: number; dataDir?: string }): Promise<FauxqsServer> => {
  let app: { listen: (options: object) => unknown; server: Server } | undefined;
  const onApp = (message: unknown) => {
    const made = (message as { fastify: NonNullable<typeof app> }).fastify;
    const listen = made.listen.bind(made);
    made.listen = (options) => listen({ ...options, host: HOST });
    app = made;
  };
  subscribe('fastify.initialization', onApp);
  const starting = startFauxqs({ ...options, logger: false }); // makes its app before it first waits
  unsubscribe('fastify.initialization', onApp);
  const fauxqs = await starting;
  if ((app?.server.address() as AddressInfo | null)?.address === HOST) return fauxqs;
  await fauxqs.stop();
  throw new Error('fauxqs would listen beyond loopback');
};
