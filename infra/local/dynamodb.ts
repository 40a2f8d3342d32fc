import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
// @ts-expect-error dynalite has no types
import dynalite from 'dynalite';
import { namesOf } from '../names.ts';
import { tableSettings } from '../settings.ts';
import { closeServer } from './close-server.ts';
import { DataFolderInUse, endpointFile, lockDataFolder, readEndpoint } from './data-folder.ts';
import { patchDynalite } from './dynalite-fixes.ts';

const HOST = '127.0.0.1';
const HOME_REGION = 'us-west-2';
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Overrides the user's own AWS settings, which could redirect our requests or reject our endpoints. */
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

/** Starts the table's engine. It writes its URL into the folder, so that `openTable` of another process finds it. */
export const startTable = async ({ dataDir, environment = 'local', port }: TableOptions) => {
  await using engines = new AsyncDisposableStack();
  if (dataDir) {
    engines.defer(lockDataFolder(dataDir));
    rmSync(endpointFile(dataDir), { force: true }); // a killed process may have left it
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

/**
 * Opens the table of a data folder. Connects to the running service's engine, or starts an engine and stops it on
 * `close`. Waits up to `waitMs` for a service that is starting or stopping.
 */
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
      throw new Error(`The service that uses ${dataDir} is starting or stopping. Run the command again in a moment.`);
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
    request.removeAllListeners('error').on('error', () => {}); // dynalite would throw if a client disconnects
  });
  await once(server.listen(port, HOST), 'listening');

  const close = async () => {
    await pause(100); // dynalite throws if its database closes during a request, even of a client that has left
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
    if (error.name !== 'ResourceInUseException') throw error; // from an earlier start
  });
  for (let tries = 0; tries < 100; tries++) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table?.TableStatus === 'ACTIVE') return;
    await pause(20);
  }
  throw new Error(
    `The table ${TableName} did not become active within two seconds. Start again. If that fails, delete the data folder.`,
  );
};
