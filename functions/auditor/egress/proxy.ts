import { lookup as dnsLookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { AddressInfo, Socket, TcpNetConnectOpts } from 'node:net';
import { createServer, isIP, connect as netConnect } from 'node:net';
import type { BlockedRequest } from '../../../shared/run.ts';
import {
  bareHost,
  isLoopbackAddress,
  isLoopbackHost,
  isPublicAddress,
  refusalOfHost,
  type TargetPolicy,
  targetOf,
} from '../../lib/public-addresses.ts';
import { slots } from '../../lib/slots.ts';
import type { Decision, Outcome } from '../messages.ts';

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
  atOnce: 256,
  inAll: 2000,
  lookUpsAtOnce: 6, // each has a thread until it ends, also when nobody waits for it any more
  handshakeMs: 10_000,
  connectMs: 10_000, // looking up the name and dialling together
  halfOpenMs: 10_000, // silence of a server whose client has gone
  overCapKept: 500,
};

/** RFC 1928's codes: by reason where it has one, else by outcome. */
const REPLIES = {
  ...{ refused: 0x02, 'dns-failure': 0x04, unreachable: 0x04, 'over-cap': 0x01 },
  ...{ ENETUNREACH: 0x03, ECONNREFUSED: 0x05 },
} as Record<Failure['outcome'], number> & Partial<Record<string, number>>;
const LINGER_MS = 1000;
const HEAD_START_MS = 300; // RFC 8305: each address gets this long before the next is tried beside it

type Options = {
  lookup?: (host: string) => Promise<readonly { address: string }[]>;
  connect?: (options: TcpNetConnectOpts) => Socket;
  limits?: Partial<typeof LIMITS>;
};
type Target = { host: string; port: number };
type Failure = { outcome: Exclude<Outcome, 'allowed'>; reason: string };

/**
 * The one way out of an audit's Chromium: SOCKS5 on loopback, no authentication, CONNECT only. It looks names up itself,
 * refuses a name that has any address outside the policy, and dials the very address that it checked.
 */
export const openEgressProxy = async (policy: EgressPolicy, options: Options = {}): Promise<EgressProxy> => {
  const { lookup = (host) => dnsLookup(host, { all: true }), connect = netConnect } = options;
  const limits = { ...LIMITS, ...options.limits };
  const own = targetOf(new URL(policy.url));
  const ownIsLoopback = policy.targets === 'local' && isLoopbackHost(own.host);
  const decisions = new Map<string, Decision>();
  const answers = new Map<string, ReturnType<typeof lookup>>();
  const lookUpTurn = slots(limits.lookUpsAtOnce);
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  let opened = 0;
  let bytes = 0;

  const serve = async (client: Socket): Promise<void> => {
    const cap = capReached(); // on arrival: later ones do not count against this one
    const gone = new AbortController();
    client.once('end', () => gone.abort('gone')).once('close', () => gone.abort('gone'));

    const handshake = setTimeout(() => client.destroy(), limits.handshakeMs);
    const target = await readRequest(client, gone.signal).finally(() => clearTimeout(handshake));
    if (!('host' in target)) return refuse(client, target);

    const patience = setTimeout(() => gone.abort('ETIMEDOUT'), limits.connectMs);
    const way = await open(target, cap, gone.signal).finally(() => clearTimeout(patience));
    const failed = 'outcome' in way;
    if (client.destroyed || gone.signal.reason === 'gone') {
      if (!failed) way.destroy();
      client.destroy(); // nobody is left to tell, and nothing was decided
    } else if (failed) {
      record(target, way.outcome, way.reason);
      refuse(client, reply(REPLIES[way.reason] ?? REPLIES[way.outcome]));
    } else {
      record(target, 'allowed');
      join(client, way, target);
    }
  };

  const capReached = (): string | undefined => {
    if (opened > limits.inAll) return 'connections in all';
    if (clients.size > limits.atOnce) return 'connections at once';
    return bytes > limits.runBytes ? 'bytes of the run' : undefined;
  };

  /** Dials nothing before the policy has said yes to the name, the port and every address. */
  const open = async ({ host, port }: Target, cap: string | undefined, signal: AbortSignal) => {
    if (cap) return failure('over-cap', cap);
    const isOwn = ownIsLoopback && host === own.host && port === own.port;
    const refusal = refusalOfHost(host, port, { targets: isOwn ? 'local' : 'public', ports: policy.ports });
    if (refusal) return failure('refused', refusal.message);
    const found = await orAborted(addressesOf(host, signal), signal).catch(codeOf);
    if (typeof found === 'string') return failure('dns-failure', found);
    if (found.length === 0) return failure('dns-failure', 'ENOTFOUND');
    if (!found.every(isOwn ? isLoopbackAddress : isPublicAddress)) {
      return failure('refused', isOwn ? 'not a loopback address' : 'private address');
    }
    const socket = await dial(found, port, signal).catch(codeOf);
    return typeof socket === 'string' ? failure('unreachable', socket) : socket;
  };

  /**
   * One look-up a name and audit, as a browser's own cache would have it; what failed may be asked for again. A few at once:
   * a look-up can't be ended, and the names of one page that nobody answers for must not have the threads of all others.
   */
  const addressesOf = async (host: string, signal: AbortSignal): Promise<string[]> => {
    if (isIP(host)) return [host];
    if (!answers.has(host)) {
      const giveBack = await lookUpTurn(signal);
      if (answers.has(host))
        giveBack(); // by another connection meanwhile
      else {
        const asked = lookup(host);
        const forget = () => answers.delete(host);
        asked.catch(forget).finally(giveBack);
        answers.set(host, asked);
      }
    }
    return ((await answers.get(host)) ?? []).map(({ address }) => address);
  };

  /** The first of these addresses that accepts. Rejects with the last one's error, or with the signal's reason. */
  const dial = async (addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> => {
    const waiting = [...addresses];
    const attempts = new Set<Socket>();
    let headStart: NodeJS.Timeout | undefined;
    let winner: Socket | undefined;
    const first = new Promise<Socket>((resolve, reject) => {
      const next = () => {
        clearTimeout(headStart);
        const host = waiting.shift();
        if (!host) return;
        const socket = track(connect({ host, port, autoSelectFamily: false, allowHalfOpen: true }));
        attempts.add(socket);
        socket.once('connect', () => resolve(socket));
        socket.once('error', (error) => {
          attempts.delete(socket);
          if (waiting.length > 0) next();
          else if (attempts.size === 0) reject(error);
        });
        headStart = setTimeout(next, HEAD_START_MS);
      };
      next();
    });
    try {
      winner = await orAborted(first, signal);
      return winner;
    } finally {
      waiting.length = 0; // or the winner's own end would have the next one dialled
      for (const socket of attempts) if (socket !== winner) socket.destroy();
    }
  };

  /** Carries bytes both ways until both sides have ended, one breaks, or a cap is reached. A reset stays a reset. */
  const join = (client: Socket, remote: Socket, target: Target): void => {
    let received = 0;
    const cutIf = (over: boolean, cap: string) => {
      if (!over || remote.destroyed) return;
      record(target, 'over-cap', cap);
      client.resetAndDestroy();
      remote.resetAndDestroy();
    };
    client.write(reply(0x00));
    for (const socket of [client, remote]) {
      socket.on('data', (chunk) => {
        bytes += chunk.length;
        if (socket === remote) received += chunk.length;
        cutIf(received > limits.connectionBytes, 'bytes of the connection');
        cutIf(bytes > limits.runBytes, 'bytes of the run');
      });
      const other = socket === client ? remote : client;
      socket.once('close', (broke) => (broke ? other.resetAndDestroy() : other.destroySoon()));
      socket.pipe(other);
    }
    client.once('end', () => remote.setTimeout(limits.halfOpenMs, () => remote.destroy()));
  };

  const record = ({ host, port }: Target, outcome: Outcome, reason?: string): void => {
    const key = `${outcome} ${host}:${port}`;
    const at = Date.now();
    const { count, since } = decisions.get(key) ?? { count: 0, since: at };
    decisions.delete(key); // so that it moves to the end
    decisions.set(key, { host, port, outcome, ...(reason && { reason }), count: count + 1, since, at });
    if (outcome !== 'over-cap') return; // these are as few as connections may be
    const overCaps = [...decisions.keys()].filter((kept) => kept.startsWith('over-cap'));
    if (overCaps.length > limits.overCapKept) decisions.delete(overCaps[0] as string);
  };

  /** Every socket is known, for `close`, and has an error handler: 'close' follows an error and does the work. */
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket
      .setNoDelay(true)
      .on('error', () => {})
      .once('close', () => sockets.delete(socket));
  };

  const server = createServer({ allowHalfOpen: true }, (client) => {
    opened += 1;
    clients.add(track(client));
    client.once('close', () => clients.delete(client));
    serve(client).catch(() => client.destroy()); // it left, or what it spoke is not SOCKS5
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.on('error', () => {}); // an accept that failed, for want of file descriptors: that client is lost, no more

  return {
    port: (server.address() as AddressInfo).port,
    get decisions() {
      return [...decisions.values()];
    },
    lastDecision: (host, port) =>
      [...decisions.values()].findLast((decision) => decision.host === bareHost(host) && decision.port === port),
    bytes: () => bytes,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};

/** What the proxy refused by its policy, the most asked for first: at most 50 targets, and how many requests in all. */
export const blockedOf = (
  decisions: readonly Decision[],
): { blockedRequests: BlockedRequest[]; blockedRequestCount: number } => {
  const refused = decisions.filter(({ outcome }) => outcome === 'refused');
  return {
    blockedRequests: refused
      .toSorted((a, b) => b.count - a.count)
      .slice(0, BLOCKED_KEPT)
      .map(({ host, port, reason = '', count }) => ({ host: host.slice(0, 253), port, reason, count })),
    blockedRequestCount: refused.reduce((sum, { count }) => sum + count, 0),
  };
};
const BLOCKED_KEPT = 50;

/** What the page did not get, or not whole, as it passed a limit of the proxy before `until` (epoch ms). */
export const overCapOf = (decisions: readonly Decision[], until = Infinity): Pick<Decision, 'host' | 'reason'>[] =>
  decisions.filter(({ outcome, since }) => outcome === 'over-cap' && since <= until);

/** What the client asks for (RFC 1928), or the answer that refuses it. Rejects when it speaks something else, or leaves. */
const readRequest = async (client: Socket, signal: AbortSignal): Promise<Target | Buffer> => {
  const read = (size: number) => take(client, size, signal);
  const [version, methods = 0] = await read(2);
  if (version !== 5) throw new Error('not SOCKS5');
  if (!(await read(methods)).includes(0)) return Buffer.of(5, 0xff); // it insists on authentication
  client.write(Buffer.of(5, 0));

  const [again, command, , type] = await read(4);
  if (again !== 5) throw new Error('not SOCKS5');
  let host: string;
  if (type === 1) host = (await read(4)).join('.');
  else if (type === 3) host = (await read((await read(1)).readUInt8())).toString('latin1');
  else if (type === 4)
    host = new URL(`http://[${(await read(16)).toString('hex').replace(/.{4}(?=.)/g, '$&:')}]`).hostname;
  else return reply(0x08);
  const port = (await read(2)).readUInt16BE();
  return command === 1 ? { host: bareHost(host), port } : reply(0x07);
};

/** Exactly `size` bytes; what follows them stays in the socket, for whoever reads next. */
const take = async (socket: Socket, size: number, signal: AbortSignal): Promise<Buffer> => {
  let bytes = Buffer.alloc(0);
  while (bytes.length < size) {
    // Never leaves part of it in the socket: 'readable' would fire for that at once, again and again, and starve all else.
    const part: Buffer | null = socket.read(Math.min(size - bytes.length, socket.readableLength || 1));
    if (part) bytes = Buffer.concat([bytes, part]);
    else await once(socket, 'readable', { signal });
  }
  return bytes;
};

const failure = (outcome: Failure['outcome'], reason: string): Failure => ({ outcome, reason });
const reply = (code: number): Buffer => Buffer.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0);

/** Answers and hangs up; what the client still sends is read and dropped, or the reset would overtake the answer. */
const refuse = (client: Socket, answer: Buffer): void => {
  client.resume().end(answer);
  setTimeout(() => client.destroy(), LINGER_MS).unref();
};

const orAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });

/** Node's own code of an error (ENOTFOUND, ECONNREFUSED), or the reason of an abort. */
const codeOf = (error: NodeJS.ErrnoException | string): string =>
  typeof error === 'string' ? error : (error.code ?? error.message);
