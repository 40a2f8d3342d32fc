import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
// @ts-expect-error it has no types
import dynalite from 'dynalite';
import { namesOf } from '../names.ts';
import { tableSettings } from '../settings.ts';
import { closeServer } from './close-server.ts';
import { DataFolderInUse, endpointFile, lockDataFolder, readEndpoint } from './data-folder.ts';
import { patchDynalite } from './dynalite-fixes.ts';

const HOST = '127.0.0.1';
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

type TableOptions = { dataDir?: string | undefined; environment?: string; port?: number | undefined };

/** The table alone. Where it listens is noted in the folder, for `openTable` of another process. */
export const startTable = async ({ dataDir, environment = 'local', port }: TableOptions) => {
  await using engines = new AsyncDisposableStack();
  if (dataDir) {
    engines.defer(lockDataFolder(dataDir));
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
export const openTable = async (dataDir: string, waitMs = 5000) => {
  for (const startedAt = Date.now(); ; ) {
    try {
      return await startTable({ dataDir });
    } catch (error) {
      if (!(error instanceof DataFolderInUse)) throw error;
    }
    const url = readEndpoint(dataDir);
    if (url) return { env: tableEnv(url, namesOf('local').table), close: async () => {} };
    if (Date.now() - startedAt > waitMs)
      throw new Error(`The service that uses ${dataDir} is starting or ending. Try again in a moment.`);
    await pause(100);
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

const startDynamodb = async (path: string | undefined, port = 0) => {
  patchDynalite();
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
