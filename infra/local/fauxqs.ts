import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FauxqsServer, startFauxqs as startOnAllInterfaces } from 'fauxqs';
import { isSecretKey } from '../../shared/secret-folders.ts';
import { keepAccepting } from './close-server.ts';
import { unusable } from './data-folder.ts';
import { guardEngine } from './engine-guard.ts';
import type { Credentials } from './signature.ts';

const HOST = '127.0.0.1';
/** Largest request. fauxqs' own limit of 11 MiB refuses large reports. */
const MAX_BODY_BYTES = 64 * 2 ** 20;

type Fastify = {
  listen: (options: object) => unknown;
  addHook: (name: 'onRoute', hook: (route: { bodyLimit?: number }) => void) => void;
  server: Server;
};

type Options = { service: 's3' | 'sqs'; credentials: Credentials; port: number; dataDir?: string };

/**
 * Starts fauxqs on loopback, behind the guard. fauxqs has no setting for its host, so this replaces the host when its
 * server starts.
 */
export const startFauxqs = async ({ service, credentials, ...options }: Options): Promise<FauxqsServer> => {
  await patchFauxqs();
  let app: Fastify | undefined;
  const onApp = (message: unknown) => {
    const fastify = (message as { fastify: Fastify }).fastify;
    const listen = fastify.listen.bind(fastify);
    fastify.listen = (options) => {
      guardEngine(fastify.server, { service, credentials });
      return listen({ ...options, host: HOST });
    };
    fastify.addHook('onRoute', (route) => {
      route.bodyLimit = MAX_BODY_BYTES;
    });
    app = fastify;
  };
  subscribe('fastify.initialization', onApp);
  const starting = startOnAllInterfaces({ ...options, logger: false }); // creates its server synchronously
  unsubscribe('fastify.initialization', onApp);
  const fauxqs = await starting.catch((error) => {
    throw options.dataDir ? unusable(options.dataDir, error) : error;
  });
  if (app && (app.server.address() as AddressInfo | null)?.address === HOST) {
    keepAccepting(app.server);
    return fauxqs;
  }
  await fauxqs.stop();
  throw new Error(
    'fauxqs does not listen on 127.0.0.1 only, so it was stopped. Use the version of fauxqs in package-lock.json.',
  );
};

type Persistence = { deleteObject: (bucket: string, key: string) => void; db: { exec: (sql: string) => void } };
type Deletion = (this: { persistence?: Persistence }, bucket: string, key: string) => void;
let patched = false;

/**
 * Deletes an object from the disk before the memory. fauxqs does it in the other order. On a full disk the object would
 * no longer be listed, but would come back at the next start. Overwrites whatever SQLite deletes or moves within the file, from
 * the opening on: an insert beside a secret copies it too. Then empties the log of deleted secrets.
 */
const patchFauxqs = async (): Promise<void> => {
  if (patched) return;
  patched = true;
  const importPart = (path: string) => import(new URL(path, import.meta.resolve('fauxqs')).href);
  const [{ S3Store }, { PersistenceManager }] = await Promise.all(['s3/s3Store.js', 'persistence.js'].map(importPart));
  const { deleteObject } = S3Store.prototype as { deleteObject: Deletion };
  S3Store.prototype.deleteObject = function (bucket, key) {
    this.persistence?.deleteObject(bucket, key);
    if (isSecretKey(key)) this.persistence?.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    deleteObject.call(this, bucket, key);
  } satisfies Deletion;
  const { prepareStatements } = PersistenceManager.prototype; // the constructor calls it before it writes an object
  PersistenceManager.prototype.prepareStatements = function (this: Persistence) {
    this.db.exec('PRAGMA secure_delete = ON; PRAGMA wal_checkpoint(TRUNCATE)'); // a killed service leaves its log
    return prepareStatements.call(this);
  };
};
