import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Socket, type TcpNetConnectOpts } from 'node:net';
import { expect, vi } from 'vitest';
import { type EgressProxy, openEgressProxy } from '../../functions/auditor/egress/proxy.ts';
import type { EgressPolicy } from '../../functions/lib/targets/target-rules.ts';
import { DEFAULT_PORTS } from '../../shared/service/env.ts';

type Proxied = NonNullable<Parameters<typeof openEgressProxy>[1]>;
type World = Omit<Proxied, 'lookup'> & {
  policy?: Partial<EgressPolicy>;
  lookup?: (host: string) => string[] | Promise<string[]>;
};

export const PUBLIC = '93.184.216.34';
export const PUBLIC_6 = '2606:2800:220:1:248:1893:25c8:1946';
export const MIB = 2 ** 20;

export const cleanUps: (() => unknown)[] = [];
/** Closes the sockets and servers of a test. */
export const cleanUp = async (): Promise<void> => {
  vi.useRealTimers();
  for (const each of cleanUps.splice(0).reverse()) await each();
};

/** Starts a real server on loopback. Injected dials connect to it, no matter which address they name. */
export const origin = async (serve: (socket: Socket) => void = (socket) => socket.pipe(socket)): Promise<number> => {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket.on('error', () => {}));
    serve(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUps.push(() => {
    for (const socket of open) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
};

export const dialsTo = (port: number) => {
  const dialled: TcpNetConnectOpts[] = [];
  const dial = (options: TcpNetConnectOpts) => {
    dialled.push(options);
    return connect({ ...options, host: '127.0.0.1', port });
  };
  return { dialled, connect: dial };
};
const neverDials = (): Socket => expect.unreachable('dialled before the policy allowed it');
export const failing = (code: string) => () => {
  const socket = new Socket();
  setImmediate(() => socket.destroy(Object.assign(new Error(code), { code })));
  return socket;
};
export const silent = () => new Socket(); // a server that never replies to the SYN

export const open = async ({ policy, lookup = () => [PUBLIC], ...options }: World = {}): Promise<EgressProxy> => {
  const proxy = await openEgressProxy(
    { targets: 'public', ports: DEFAULT_PORTS, url: 'https://example.com/', ...policy },
    {
      connect: neverDials,
      ...options,
      lookup: async (host) => (await lookup(host)).map((address) => ({ address })),
    },
  );
  cleanUps.push(() => proxy.close());
  return proxy;
};

/** Connects to the proxy and keeps all received bytes. */
export const raw = async ({ port }: { port: number }, allowHalfOpen = true) => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  const state = { received: Buffer.alloc(0), error: undefined as string | undefined };
  socket.on('data', (chunk) => {
    state.received = Buffer.concat([state.received, chunk]);
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    state.error = error.code;
  });
  cleanUps.push(() => socket.destroy());
  await once(socket, 'connect');
  return { socket, state, closed: new Promise<void>((resolve) => socket.once('close', () => resolve())) };
};

export const nameBytes = (host: string) => Buffer.from([3, host.length, ...Buffer.from(host, 'latin1')]);
export const requestFor = (address: Buffer, port: number, command = 1) =>
  Buffer.from([5, command, 0, ...address, port >> 8, port & 0xff]);
export const GREETING = Buffer.of(5, 1, 0);
export const REPLY_BYTES = 12; // two for the greeting, ten for the request

/** Requests a target from the proxy as Chromium does, and waits for the reply code. */
export const request = async (proxy: { port: number }, host: string | Buffer, port = 80, command = 1, early = '') => {
  const client = await raw(proxy);
  const address = typeof host === 'string' ? nameBytes(host) : host;
  client.socket.write(Buffer.concat([GREETING, requestFor(address, port, command), Buffer.from(early)]));
  while (client.state.received.length < REPLY_BYTES && !client.socket.closed) {
    await Promise.race([once(client.socket, 'data'), client.closed]);
  }
  expect([...client.state.received.subarray(0, 3)]).toEqual([5, 0, 5]);
  return { ...client, code: client.state.received[3], body: () => client.state.received.subarray(REPLY_BYTES) };
};
export const asText = (bytes: Buffer) => bytes.toString('latin1');
