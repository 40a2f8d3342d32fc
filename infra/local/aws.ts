import type { ClientSettings } from '../../functions/lib/aws-client.ts';
import { formats } from '../../functions/lib/store/format.ts';
import type { Region } from '../../shared/regions.ts';
import { StoreEnv } from '../../shared/service/env.ts';
import { namesOf } from '../names.ts';
import { deadLetterSettings, deliverySettings, queueSettings } from '../settings.ts';
import { checkPages } from './check-pages.ts';
import { databaseFile, openFolder } from './data-folder.ts';
import { raiseFormat, requireFormat } from './data-format.ts';
import { Database } from './database.ts';
import { answerOf, type Handle } from './in-process.ts';
import { Objects } from './objects.ts';
import { type Queue, Queues } from './queues.ts';
import { Table } from './table/table.ts';
import { inFolder } from './unusable.ts';
import { watchTable } from './watch-table.ts';

type Options = {
  dataDir?: string | undefined; // without a folder, all data is in memory
  regions: readonly Region[];
  environment?: string;
  visibilitySeconds?: number; // of the audit queues; for tests
  print?: ((line: string) => void) | undefined; // receives lines for the operator about a full disk
  onRecovered?: (() => void) | undefined; // called when a table that could not be written can be written again
};

export const HOME_REGION = 'us-west-2';

/**
 * Opens table, queues and objects of this machine, and lets the AWS clients that are made from now on use them. `env` has
 * the variables of the functions. Without `dataDir` everything is in memory.
 */
export const startAws = async ({ dataDir, regions, environment = 'local', ...options }: Options) => {
  await using open = new AsyncDisposableStack(); // closes what is open if a later step fails
  const { print = console.error, onRecovered = () => {} } = options;
  if (dataDir) open.defer(openFolder(dataDir, { print, isService: true }));
  const { database, format } = await openDatabase(dataDir);
  open.defer(() => database.close());
  if (dataDir) open.defer(checkPages(databaseFile(dataDir), { print }));
  if (dataDir) open.defer(watchTable(database, { dataDir, print, onRecovered }));

  const names = namesOf(environment);
  const audits = regions.flatMap((region): Queue[] => [
    {
      name: names.auditQueue(region),
      visibilitySeconds: options.visibilitySeconds ?? queueSettings.visibilitySeconds,
      deadLetters: names.deadLetters(region),
      maxReceiveCount: queueSettings.maxReceiveCount,
    },
    { name: names.deadLetters(region), ...deadLetterSettings },
  ]);
  const { visibilitySeconds } = deliverySettings;
  const { maxReceiveCount } = queueSettings;
  const deliveries: Queue[] = [
    { name: names.deliveryQueue, visibilitySeconds, deadLetters: names.lostDeliveries, maxReceiveCount },
    { name: names.lostDeliveries },
  ];
  const queues = new Queues(database, [...audits, ...deliveries], urlOf);
  open.defer(() => queues.close());
  const objects = new Objects(database);
  if (dataDir)
    await inFolder(dataDir, async () => {
      await queues.empty();
    });

  const handle = answerOf({ table: new Table(database, names.table), queues, objects });
  const connect = (other: Handle = handle) => connectClients(other);
  await connect();
  const urlsOf = (name: (region: Region) => string) =>
    JSON.stringify(Object.fromEntries(regions.map((region) => [region, urlOf(name(region))])));
  const env: Record<string, string> = {
    ...tableEnv(names.table),
    REPORT_BUCKET: names.reportBucket,
    AUDIT_QUEUES: urlsOf(names.auditQueue),
    DELIVERY_QUEUE: urlOf(names.deliveryQueue),
    DEAD_LETTER_QUEUES: urlsOf(names.deadLetters),
    REGIONS: regions.join(','),
  };
  if (format < formats.newest) await raise(env);
  const started = open.move();
  return { env, database, handle, connect, close: () => started.disposeAsync() };
};

/** Opens the table of a data folder, also beside a running service. */
export const openTable = async (dataDir: string) => {
  const release = openFolder(dataDir, { print: () => {}, isService: false });
  const { database } = await openDatabase(dataDir);
  const name = namesOf('local').table;
  await connectClients(answerOf({ table: new Table(database, name) }));
  const close = async () => {
    await database.close();
    release();
  };
  return { env: tableEnv(name), close };
};

const openDatabase = async (dataDir: string | undefined): Promise<{ database: Database; format: number }> => {
  const path = dataDir === undefined ? undefined : databaseFile(dataDir);
  const database = path === undefined ? new Database({}) : inFolder(path, () => new Database({ path }));
  try {
    return { database, format: inFolder(path ?? '', () => requireFormat(database, path ?? '')) };
  } catch (error) {
    await database.close();
    throw error;
  }
};

const raise = async (env: Record<string, string>): Promise<void> => {
  const { openDb } = await import('../../functions/lib/store/dynamodb.ts'); // tests load it more than once
  await raiseFormat(openDb(StoreEnv.parse(env)), new Date());
};

const tableEnv = (table: string): Record<string, string> => ({
  AWS_REGION: HOME_REGION,
  HOME_REGION,
  TABLE_NAME: table,
});

const ORIGIN = 'http://in-process';
const urlOf = (name: string): string => `${ORIGIN}/000000000000/${name}`;

/** Lets the clients that are made from now on send their requests to `handle`. */
const connectClients = async (handle: Handle): Promise<void> => {
  const { replaceClientSettings } = await import('../../functions/lib/aws-client.ts'); // tests load it more than once
  replaceClientSettings(
    (): ClientSettings => ({
      requestHandler: {
        handle: handle as never,
        updateHttpClientConfig: () => {},
        httpHandlerConfigs: () => ({}),
        destroy: () => {},
      },
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' }, // nobody can send a request from outside
      signer: { sign: async (request) => request },
      endpoint: ORIGIN,
      forcePathStyle: true,
    }),
  );
};
