import { lookup as dnsLookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, connect as netConnect } from 'node:net';
import { closeToPages } from '../../lib/targets/audit-ports.ts';
import { type Connect, cachedLookup, dialFirst, type Lookup, unlessAborted } from '../../lib/targets/dial.ts';
import type { Target } from '../../lib/targets/public-addresses.ts';
import { type EgressPolicy, targetRules } from '../../lib/targets/target-rules.ts';
import type { Decision, Outcome } from '../messages.ts';
import { type DecisionLog, decisionLog } from './decisions.ts';
import { failureReply, readRequest, refuse, SUCCESS_REPLY } from './socks.ts';

export type EgressProxy = {
  port: number;
  /** Opens the way to the targets of a policy. Until then the proxy closes every connection. */
  allow(policy: EgressPolicy): void;
  /** Decisions about targets, newest last. */
  readonly decisions: readonly Decision[];
  /** Returns the newest decision about a target. The host may be spelled as in a URL. */
  lastDecision(host: string, port: number): Decision | undefined;
  /** Returns the payload bytes in both directions so far. */
  bytes(): number;
  /** Closes every connection at once. */
  close(): Promise<void>;
};

export const LIMITS = {
  connectionBytes: 50 * 2 ** 20, // from the server, per connection
  runBytes: 150 * 2 ** 20, // of all connections, in both directions
  openConnections: 256,
  totalConnections: 2000,
  concurrentLookups: 6, // a lookup holds a thread until it ends, even after its client left
  handshakeMs: 10_000,
  connectMs: 10_000, // for the lookup and the dial together
  halfOpenMs: 10_000, // silence of a server after its client ended
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
 * Opens the SOCKS5 proxy through which an audit's Chromium reaches the network. The proxy resolves names itself, refuses a
 * name if any of its addresses is outside the policy, and dials only addresses that it checked. A browser may start before
 * its audit, and thus before its policy is known.
 */
export const openEgressProxy = async (policy?: EgressPolicy, options: Options = {}): Promise<EgressProxy> => {
  const { lookup = (host) => dnsLookup(host, { all: true }), connect = netConnect } = options;
  const limits = { ...LIMITS, ...options.limits };
  const decisions = decisionLog(limits);
  const state: State = { limits, decisions, sockets: new Set(), clients: new Set(), opened: 0, bytes: 0 };
  const lookUp = cachedLookup(lookup, limits.concurrentLookups);
  const connectorOf = (allowed: EgressPolicy) => connector(allowed, lookUp, (to) => track(connect(to), state));
  let connectTo = policy && connectorOf(policy);

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (!connectTo) return void track(client, state).destroy();
    state.opened += 1;
    state.clients.add(track(client, state));
    client.once('close', () => state.clients.delete(client));
    serve(client, connectTo, state).catch(() => client.destroy()); // the client left, or did not speak SOCKS5
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const openToPages = closeToPages(port);
  server.on('error', () => {}); // a failed accept, for example without free file descriptors, loses only that client

  return {
    port,
    allow: (allowed) => {
      connectTo = connectorOf(allowed);
    },
    get decisions() {
      return decisions.all();
    },
    lastDecision: decisions.last,
    bytes: () => state.bytes,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          openToPages();
          resolve();
        });
        for (const socket of state.sockets) socket.destroy();
      }),
  };
};

const CLIENT_LEFT = 'client-left';

/** Handles one client: reads its request, connects to the target, and pipes. */
const serve = async (client: Socket, connectTo: ConnectTo, state: State): Promise<void> => {
  const { limits, decisions } = state;
  const cap = capReached(state); // on arrival, because later connections do not count against this one
  const abort = new AbortController();
  client.once('end', () => abort.abort(CLIENT_LEFT)).once('close', () => abort.abort(CLIENT_LEFT));

  const handshakeTimeout = setTimeout(() => client.destroy(), limits.handshakeMs);
  const target = await readRequest(client, abort.signal).finally(() => clearTimeout(handshakeTimeout));
  if (!('host' in target)) return refuse(client, target);

  const timeout = setTimeout(() => abort.abort('ETIMEDOUT'), limits.connectMs);
  const connection = await connectTo(target, cap, abort.signal).finally(() => clearTimeout(timeout));
  const failed = 'outcome' in connection;
  if (client.destroyed || abort.signal.reason === CLIENT_LEFT) {
    if (!failed) connection.destroy();
    client.destroy(); // without a decision, because the client left first
  } else if (failed) {
    decisions.record(target, connection.outcome, connection.reason);
    refuse(client, failureReply(connection));
  } else {
    decisions.record(target, 'allowed');
    pipeBoth(client, connection, target, state);
  }
};

const capReached = ({ limits, opened, clients, bytes }: State): string | undefined => {
  if (opened > limits.totalConnections) return 'total connections';
  if (clients.size > limits.openConnections) return 'open connections';
  return bytes > limits.runBytes ? 'bytes per audit' : undefined;
};

/** Returns a function that connects to a target if the policy allows its name, its port and every address. */
const connector = (policy: EgressPolicy, lookUp: ReturnType<typeof cachedLookup>, connect: Connect): ConnectTo => {
  const judge = targetRules(policy, (host, signal) => unlessAborted(lookUp(host, signal), signal).catch(codeOf));
  return async (target, cap, signal) => {
    if (cap) return failure('over-cap', cap);
    const judged = await judge(target, signal);
    if ('outcome' in judged) return judged;
    const socket = await dialFirst(judged.addresses, target.port, connect, signal).catch(codeOf);
    return typeof socket === 'string' ? failure('unreachable', socket) : socket;
  };
};

/** Pipes both directions until both sides end, one side fails, or a limit is exceeded. Forwards a reset as a reset. */
const pipeBoth = (client: Socket, remote: Socket, target: Target, state: State): void => {
  const { limits, decisions } = state;
  let received = 0;
  const resetIf = (exceeded: boolean, cap: string) => {
    if (!exceeded || remote.destroyed) return;
    decisions.record(target, 'over-cap', cap);
    client.resetAndDestroy();
    remote.resetAndDestroy();
  };
  client.write(SUCCESS_REPLY);
  for (const socket of [client, remote]) {
    socket.on('data', (chunk) => {
      state.bytes += chunk.length;
      if (socket === remote) received += chunk.length;
      resetIf(received > limits.connectionBytes, 'bytes per connection');
      resetIf(state.bytes > limits.runBytes, 'bytes per audit');
    });
    const other = socket === client ? remote : client;
    socket.once('close', (hadError) => (hadError ? other.resetAndDestroy() : other.destroySoon()));
    socket.pipe(other);
  }
  client.once('end', () => remote.setTimeout(limits.halfOpenMs, () => remote.destroy()));
};

/** Registers a socket, so that `close` can destroy it. The empty error handler suffices, because 'close' follows an error. */
const track = (socket: Socket, { sockets }: State): Socket => {
  sockets.add(socket);
  return socket
    .setNoDelay(true)
    .on('error', () => {})
    .once('close', () => sockets.delete(socket));
};

const failure = (outcome: Failure['outcome'], reason: string): Failure => ({ outcome, reason });

/** Returns the code of a Node error, such as ENOTFOUND, or the reason of an abort. */
const codeOf = (error: NodeJS.ErrnoException | string): string =>
  typeof error === 'string' ? error : (error.code ?? error.message);
