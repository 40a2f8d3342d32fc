import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FauxqsServer, startFauxqs as startOnAllInterfaces } from 'fauxqs';

const HOST = '127.0.0.1';

/** Starts fauxqs on loopback. fauxqs has no setting for its host, so this replaces the host when its server starts. */
export const startFauxqs = async (options: { port: number; dataDir?: string }): Promise<FauxqsServer> => {
  let app: { listen: (options: object) => unknown; server: Server } | undefined;
  const onApp = (message: unknown) => {
    const fastify = (message as { fastify: NonNullable<typeof app> }).fastify;
    const listen = fastify.listen.bind(fastify);
    fastify.listen = (options) => listen({ ...options, host: HOST });
    app = fastify;
  };
  subscribe('fastify.initialization', onApp);
  const starting = startOnAllInterfaces({ ...options, logger: false }); // creates its server synchronously
  unsubscribe('fastify.initialization', onApp);
  const fauxqs = await starting;
  if ((app?.server.address() as AddressInfo | null)?.address === HOST) return fauxqs;
  await fauxqs.stop();
  throw new Error(
    'fauxqs does not listen on 127.0.0.1 only, so it was stopped. Use the version of fauxqs in package-lock.json.',
  );
};
