import { lookup as dnsLookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, connect as netConnect } from 'node:net';
import {
  isLoopbackAddress,
  isLoopbackHost,
  isPublicAddress,
  refusalOfHost,
  type TargetPolicy,
  targetOf,
} from '../../lib/public-addresses.ts';
import type { Decision, Outcome } from '../messages.ts';
import { type DecisionLog, decisionLog, type Target } from './decisions.ts';
import { type Connect, cachedLookup, dialFirst, type Lookup, unlessAborted } from './dial.ts';
import { failureReply, readRequest, refuse, SUCCESS_REPLY } from './socks.ts';

/** `url` is the check's. If it is loopback and `targets` local, its own host and port are all of loopback that is open. */
export type EgressPolicy = TargetPolicy & { url: string };

export type EgressProxy = {
  port: number;
  /** Newest last. Bounded by the connection cap; never loses a host to anything but the noise of `over-cap`. */
  readonly decisions: readonly Decision[];
  /** The newest decision on a target, for example the main document's; the host may be spelled as in a URL. */
  lastDecision(host: string, port: number): Decision | undefined;
  /** Payload carried so far, both ways. */
  bytes(): number;
  /** Cuts every connection at once. */
  close(): Promise<void>;
};

export const LIMITS = {
  connectionBytes: 50 * 2 ** 20, // from the server, per connection
  runBytes: 150 * 2 ** 20, // both ways, all connections
  openConnections: 256,
  totalConnections: 2000,
  concurrentLookups: 6, // each has a thread until it ends, also when nobody waits for it any more
  handshakeMs: 10_000,
  connectMs: 10_000, // looking up the name and dialling together
  halfOpenMs: 10_000, // silence of a server whose client has gone
  maxOverCaps: 500,
};

type Options = { lookup?: Lookup; connect?: Connect; limits?: Partial<typeof LIMITS> };
type Failure = { outcome: Exclude<Outcome, 'allowed'>; reason: string };
type ConnectTo = (target: Target, cap: string | undefined, signal: AbortSignal) => Promise<Socket | Failure>;
type State = {
  limits: typeof LIMITS;
  decisions: DecisionLog;
  sockets: Set<Socket>;
  clients: Set<Socket>;
  opened: number;
  bytes: number;
};

/**
 * The one connection out of an audit's Chromium: SOCKS5 on loopback, no authentication, CONNECT only. It looks names up itself,
 * refuses a name that has any address outside the policy, and dials the very address that it checked.
 */
export const openEgressProxy = async (policy: EgressPolicy, options: Options = {}): Promise<EgressProxy> => {
  const { lookup = (host) => dnsLookup(host, { all: true }), connect = netConnect } = options;
  const limits = { ...LIMITS, ...options.limits };
  const decisions = decisionLog(limits);
  const state: State = { limits, decisions, sockets: new Set(), clients: new Set(), opened: 0, bytes: 0 };
  const connectTo = connector(policy, cachedLookup(lookup, limits.concurrentLookups), (to) =>
    track(connect(to), state),
  );

  const server = createServer({ allowHalfOpen: true }, (client) => {
    state.opened += 1;
    state.clients.add(track(client, state));
    client.once('close', () => state.clients.delete(client));
    serve(client, connectTo, state).catch(() => client.destroy()); // it left, or what it spoke is not SOCKS5
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.on('error', () => {}); // an accept that failed, for want of file descriptors: that client is lost, no more

  return {
    port: (server.address() as AddressInfo).port,
    get decisions() {
      return decisions.all();
    },
    lastDecision: decisions.last,
    bytes: () => state.bytes,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of state.sockets) socket.destroy();
      }),
  };
};

const serve = async (client: Socket, connectTo: ConnectTo, state: State): Promise<void> => {
  const { limits, decisions } = state;
  const cap = capReached(state); // on arrival: later ones do not count against this one
  const gone = new AbortController();
  client.once('end', () => gone.abort('gone')).once('close', () => gone.abort('gone'));

  const handshakeTimeout = setTimeout(() => client.destroy(), limits.handshakeMs);
  const target = await readRequest(client, gone.signal).finally(() => clearTimeout(handshakeTimeout));
  if (!('host' in target)) return refuse(client, target);

  const timeout = setTimeout(() => gone.abort('ETIMEDOUT'), limits.connectMs);
  const connection = await connectTo(target, cap, gone.signal).finally(() => clearTimeout(timeout));
  const failed = 'outcome' in connection;
  if (client.destroyed || gone.signal.reason === 'gone') {
    if (!failed) connection.destroy();
    client.destroy(); // nobody is left to tell, and nothing was decided
  } else if (failed) {
    decisions.record(target, connection.outcome, connection.reason);
    refuse(client, failureReply(connection));
  } else {
    decisions.record(target, 'allowed');
    join(client, connection, target, state);
  }
};

const capReached = ({ limits, opened, clients, bytes }: State): string | undefined => {
  if (opened > limits.totalConnections) return 'total connections';
  if (clients.size > limits.openConnections) return 'open connections';
  return bytes > limits.runBytes ? 'bytes per audit' : undefined;
};

/** Dials nothing before the policy has said yes to the name, the port and every address. */
const connector = (policy: EgressPolicy, lookUp: ReturnType<typeof cachedLookup>, connect: Connect): ConnectTo => {
  const checkTarget = targetOf(new URL(policy.url));
  const checkIsLoopback = policy.targets === 'local' && isLoopbackHost(checkTarget.host);
  return async ({ host, port }, cap, signal) => {
    if (cap) return failure('over-cap', cap);
    const isCheckTarget = checkIsLoopback && host === checkTarget.host && port === checkTarget.port;
    const refusal = refusalOfHost(host, port, { targets: isCheckTarget ? 'local' : 'public', ports: policy.ports });
    if (refusal) return failure('refused', refusal.message);
    const addresses = await unlessAborted(lookUp(host, signal), signal).catch(codeOf);
    if (typeof addresses === 'string') return failure('dns-failure', addresses);
    if (addresses.length === 0) return failure('dns-failure', 'ENOTFOUND');
    if (!addresses.every(isCheckTarget ? isLoopbackAddress : isPublicAddress)) {
      return failure('refused', isCheckTarget ? NOT_LOOPBACK : NOT_PUBLIC);
    }
    const socket = await dialFirst(addresses, port, connect, signal).catch(codeOf);
    return typeof socket === 'string' ? failure('unreachable', socket) : socket;
  };
};

const NOT_PUBLIC = 'The host resolves to a non-public address.';
const NOT_LOOPBACK = 'The host resolves to an address that is not loopback.';

/** Carries bytes both ways until both sides have ended, one breaks, or a cap is reached. A reset stays a reset. */
const join = (client: Socket, remote: Socket, target: Target, state: State): void => {
  const { limits, decisions } = state;
  let received = 0;
  const cutIf = (over: boolean, cap: string) => {
    if (!over || remote.destroyed) return;
    decisions.record(target, 'over-cap', cap);
    client.resetAndDestroy();
    remote.resetAndDestroy();
  };
  client.write(SUCCESS_REPLY);
  for (const socket of [client, remote]) {
    socket.on('data', (chunk) => {
      state.bytes += chunk.length;
      if (socket === remote) received += chunk.length;
      cutIf(received > limits.connectionBytes, 'bytes per connection');
      cutIf(state.bytes > limits.runBytes, 'bytes per audit');
    });
    const other = socket === client ? remote : client;
    socket.once('close', (broke) => (broke ? other.resetAndDestroy() : other.destroySoon()));
    socket.pipe(other);
  }
  client.once('end', () => remote.setTimeout(limits.halfOpenMs, () => remote.destroy()));
};

/** Every socket is known, for `close`, and has an error handler: 'close' follows an error and does the work. */
const track = (socket: Socket, { sockets }: State): Socket => {
  sockets.add(socket);
  return socket
    .setNoDelay(true)
    .on('error', () => {})
    .once('close', () => sockets.delete(socket));
};

const failure = (outcome: Failure['outcome'], reason: string): Failure => ({ outcome, reason });

/** Node's own code of an error (ENOTFOUND, ECONNREFUSED), or the reason of an abort. */
const codeOf = (error: NodeJS.ErrnoException | string): string =>
  typeof error === 'string' ? error : (error.code ?? error.message);
