import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
// @ts-expect-error dynalite has no types
import dynalite from 'dynalite';
import { namesOf } from '../names.ts';
import { countChecks } from './check-counts.ts';
import { closeServer, keepAccepting } from './close-server.ts';
import { compactErased } from './compaction.ts';
import {
  DataFolderInUseError,
  type Endpoint,
  lockDataFolder,
  readEndpoint,
  removeRemains,
  requireSpace,
  unusable,
  writeEndpoint,
} from './data-folder.ts';
import { FORMAT, readFormat, writeFormat } from './data-format.ts';
import { patchDynalite } from './dynalite-fixes.ts';
import type { Store } from './dynalite-store.ts';
import { addDynamodbRules } from './dynamodb-rules.ts';
import { guardEngine } from './engine-guard.ts';
import { migrate } from './migrations.ts';
import { type Credentials, newCredentials } from './signature.ts';
import { rebuildIndexes, tableDefinition } from './table-definition.ts';
import { guardTable } from './table-guard.ts';

const HOST = '127.0.0.1';
export const HOME_REGION = 'us-west-2';

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

export type TableOptions = {
  credentials?: Credentials; // new ones by default
  dataDir?: string | undefined;
  environment?: string;
  port?: number | undefined;
  print?: ((line: string) => void) | undefined; // receives lines for the operator about damage and a full disk
  compactMs?: number | undefined; // time from an erasure to the compaction; for tests
  onRecovered?: (() => void) | undefined; // called when a table that could not be written can be written again
};

/** Starts the table's engine. It writes its endpoint into the folder, so that `openTable` of another process finds it. */
export const startTable = async ({ dataDir, environment = 'local', ...options }: TableOptions) => {
  const { credentials = newCredentials(), print = console.error } = options;
  await using engines = new AsyncDisposableStack();
  let format = FORMAT;
  if (dataDir) {
    engines.defer(lockDataFolder(dataDir, print));
    format = readFormat(dataDir);
    removeRemains(dataDir);
    requireSpace(dataDir);
  }
  const name = namesOf(environment).table;
  const dynamodb = await startDynamodb(dataDir && join(dataDir, 'dynamodb'), name, { ...options, credentials });
  engines.defer(dynamodb.close);
  const endpoint = { url: dynamodb.url, ...credentials };
  const client = new DynamoDBClient({ endpoint: dynamodb.url, region: HOME_REGION, credentials });
  await createTable(client, name);
  if (dataDir && format < FORMAT) await updateFormat(client, name, { dataDir, format, print });
  client.destroy();
  if (dataDir) {
    writeEndpoint(dataDir, endpoint);
    engines.defer(() => removeRemains(dataDir));
  }
  const started = engines.move();
  return { env: tableEnv(endpoint, name), close: () => started.disposeAsync() };
};

/**
 * Opens the table of a data folder. Connects to the running service's engine, or starts an engine and stops it on
 * `close`. Waits up to `waitMs` for a service that is starting or stopping.
 */
export const openTable = async (dataDir: string, waitMs = 5000) => {
  for (const startedAt = performance.now(); ; ) {
    try {
      return await startTable({ dataDir });
    } catch (error) {
      if (!(error instanceof DataFolderInUseError)) throw error;
    }
    const endpoint = readEndpoint(dataDir);
    if (endpoint) return { env: tableEnv(endpoint, namesOf('local').table), close: async () => {} };
    if (performance.now() - startedAt > waitMs)
      throw new Error(`The service that uses ${dataDir} is starting or stopping. Run the command again in a moment.`);
    await pause(100);
  }
};

/** Brings the data of an earlier version to the present format. A new folder has nothing to change. */
const updateFormat = async (
  client: DynamoDBClient,
  table: string,
  { dataDir, format, print }: { dataDir: string; format: number; print: (line: string) => void },
) => {
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const { changed, notes } = await migrate({ client: documents, table, openShards: 1 }, format, new Date());
  writeFormat(dataDir);
  if (changed > 0) {
    print(
      `${changed} changes brought the items of the table in ${dataDir} from an earlier format to format ${FORMAT}.`,
    );
  }
  notes.forEach(print);
};

const tableEnv = ({ url, ...credentials }: Endpoint, table: string): Record<string, string> => ({
  ...noUserSettings,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_REGION: HOME_REGION,
  AWS_ENDPOINT_URL_DYNAMODB: url,
  HOME_REGION,
  TABLE_NAME: table,
});

const startDynamodb = async (
  path: string | undefined,
  table: string,
  {
    credentials,
    port = 0,
    compactMs,
    print = console.error,
    onRecovered = () => {},
  }: TableOptions & { credentials: Credentials },
) => {
  patchDynalite();
  addDynamodbRules();
  if (path) requireFiles(path);
  let store: Store | undefined;
  const onStore = (created: Store) => {
    store = created;
  };
  const server: Server = dynalite({ path, createTableMs: 0, onStore });
  let endGuard = () => {};
  let endCounts = () => {};
  let endCompaction = () => {};
  if (path && store) {
    endCounts = await openLevelDb(store, path, table, print);
    endCompaction = compactErased(store, path, compactMs);
    endGuard = guardTable(store, { path, print, onRecovered });
  }
  server.on('request', (request: IncomingMessage) => {
    request.removeAllListeners('error').on('error', () => {}); // dynalite would throw if a client disconnects
  });
  guardEngine(server, { service: 'dynamodb', credentials });
  await once(server.listen(port, HOST), 'listening');
  keepAccepting(server);

  const close = async () => {
    endGuard();
    endCompaction();
    await pause(100); // dynalite throws if its database closes during a request, even of a client that has left
    await closeServer(server);
    endCounts();
  };
  return { url: `http://${HOST}:${(server.address() as AddressInfo).port}`, close };
};

/** Throws if a file is missing that LevelDB would replace by an empty one. It would then delete the others. */
const requireFiles = (path: string): void => {
  const files = existsSync(path) ? readdirSync(path) : [];
  const hasLog = files.some((name) => name.endsWith('.log'));
  const hasData = files.some((name) => /\.(ldb|log)$/.test(name) && statSync(join(path, name)).size > 0);
  const current = files.includes('CURRENT') && readFileSync(join(path, 'CURRENT'), 'utf8');
  if (hasData && current === false) throw unusable(path, new Error('its file CURRENT is missing'));
  const isNew = current === 'MANIFEST-000001\n'; // a start that was killed before it wrote its first log
  if (current && !isNew && !hasLog) throw unusable(path, new Error('its .log file is missing'));
};

/** Opens LevelDB, reports what it lost, and brings its indexes up to date. Returns the function that ends its counting. */
const openLevelDb = async (store: Store, path: string, table: string, print: (line: string) => void) => {
  await store.db.open().catch((error) => {
    throw unusable(path, error.cause ?? error);
  });
  const lost = bytesLost(path);
  if (lost > 0) {
    print(
      `✗ The log of the table in ${path} is damaged: ${lost} bytes of its last writes are lost, so checks may be missing. To get them back, stop the service and restore the data folder from a backup.`,
    );
  }
  const items = await rebuildIndexes(store, tableDefinition(table), { path, damaged: lost > 0 }).catch((error) => {
    throw error.code ? unusable(path, error) : error;
  });
  if (items) print(`The indexes of the table in ${path} were rebuilt from its ${items} items.`);
  return await countChecks(store, { path, table, damaged: lost > 0, print });
};

/** Returns how many bytes LevelDB has dropped from damaged logs. LevelDB reports this in its own log only. */
const bytesLost = (path: string): number => {
  const log = readFileSync(join(path, 'LOG'), 'latin1'); // new with each start
  return [...log.matchAll(/dropping (\d+) bytes/g)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
};

const createTable = async (client: DynamoDBClient, TableName: string) => {
  await client.send(new CreateTableCommand(tableDefinition(TableName))).catch((error) => {
    if (error.name !== 'ResourceInUseException') throw error; // from an earlier start, with this definition
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
