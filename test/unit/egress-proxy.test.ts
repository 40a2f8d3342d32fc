import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Server, Socket, type TcpNetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { blockedOf, overCapOf } from '../../functions/auditor/egress/decisions.ts';
import { type EgressPolicy, type EgressProxy, LIMITS, openEgressProxy } from '../../functions/auditor/egress/proxy.ts';
import { targetOf } from '../../functions/lib/public-addresses.ts';
import { DEFAULT_PORTS } from '../../shared/env.ts';
import { type SsrfCase as Case, ssrfCases as cases } from '../support/ssrf-cases.ts';

type Proxied = NonNullable<Parameters<typeof openEgressProxy>[1]>;
type World = Omit<Proxied, 'lookup'> & {
  policy?: Partial<EgressPolicy>;
  lookup?: (host: string) => string[] | Promise<string[]>;
};

const PUBLIC = '93.184.216.34';
const PUBLIC_6 = '2606:2800:220:1:248:1893:25c8:1946';
const MIB = 2 ** 20;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A real server on loopback; every injected dial ends here or in an error, whatever address was asked for. */
const origin = async (serve: (socket: Socket) => void = (socket) => socket.pipe(socket)): Promise<number> => {
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

const dialsTo = (port: number) => {
  const dialled: TcpNetConnectOpts[] = [];
  const dial = (options: TcpNetConnectOpts) => {
    dialled.push(options);
    return connect({ ...options, host: '127.0.0.1', port });
  };
  return { dialled, connect: dial };
};
const neverDials = (): Socket => expect.unreachable('dialled before the policy said yes');
const failing = (code: string) => () => {
  const socket = new Socket();
  setImmediate(() => socket.destroy(Object.assign(new Error(code), { code })));
  return socket;
};
const silent = () => new Socket(); // a server that never answers the SYN

const open = async ({ policy, lookup = () => [PUBLIC], ...options }: World = {}): Promise<EgressProxy> => {
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

/** A raw client of the proxy that keeps all it receives. */
const raw = async ({ port }: { port: number }, allowHalfOpen = true) => {
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

const nameBytes = (host: string) => Buffer.from([3, host.length, ...Buffer.from(host, 'latin1')]);
const requestFor = (address: Buffer, port: number, command = 1) =>
  Buffer.from([5, command, 0, ...address, port >> 8, port & 0xff]);
const GREETING = Buffer.of(5, 1, 0);
const ANSWERED = 12; // two bytes for the greeting, ten for the request

/** Asks the proxy for a target as Chromium does, and waits for the reply code. */
const ask = async (proxy: { port: number }, host: string | Buffer, port = 80, command = 1, early = '') => {
  const client = await raw(proxy);
  const address = typeof host === 'string' ? nameBytes(host) : host;
  client.socket.write(Buffer.concat([GREETING, requestFor(address, port, command), Buffer.from(early)]));
  while (client.state.received.length < ANSWERED && !client.socket.closed) {
    await Promise.race([once(client.socket, 'data'), client.closed]);
  }
  expect([...client.state.received.subarray(0, 3)]).toEqual([5, 0, 5]);
  return { ...client, code: client.state.received[3], body: () => client.state.received.subarray(ANSWERED) };
};
const asText = (bytes: Buffer) => bytes.toString('latin1');

describe('the collected cases', () => {
  const resolved = cases.filter(({ stage }) => stage === 'resolve');
  const led = cases.filter(({ stage }) => stage === 'redirect' || stage === 'subresource');
  const leadsTo = ({ url, redirectsTo, loads }: Case) => new URL(redirectsTo ?? loads ?? '', url);
  const opensConnection = (to: Case) => /^(https?|wss?):$/.test(leadsTo(to).protocol);

  test('all of them are here', () => {
    expect(resolved).toHaveLength(35);
    expect(led.filter(opensConnection)).toHaveLength(41);
  });

  test.each(resolved)('$id: $expect, because $why', async (given) => {
    const { dialled, connect } = dialsTo(await origin());
    const turns = [...(given.resolvesInTurn ?? [given.resolvesTo ?? []])];
    const policy = { url: given.url, targets: given.policy ?? 'public' } as const;
    const proxy = await open({ policy, connect, lookup: () => turns.shift() ?? [] });
    const { host, port } = targetOf(new URL(given.url));
    for (let turn = 0; turn < 2; turn += 1) {
      const { code } = await ask(proxy, host, port);
      if (given.expect === 'allow') expect(code).toBe(0);
      else expect(code).toBe(given.resolvesTo?.length === 0 ? 4 : 2);
    }
    const dials = given.dials ?? given.resolvesTo?.[0];
    expect(dialled.map((to) => to.host)).toEqual(given.expect === 'allow' ? [dials, dials] : []);
    expect(dialled.every((to) => to.port === port && to.autoSelectFamily === false)).toBe(true);
  });

  test.each(led.filter(opensConnection))('$id: $expect, because $why', async (given) => {
    const { dialled, connect } = dialsTo(await origin());
    const proxy = await open({ policy: { url: given.url, targets: given.policy ?? 'public' }, connect });
    const to = leadsTo(given);
    to.protocol = to.protocol.replace('ws', 'http');
    const { host, port } = targetOf(to);
    const { code } = await ask(proxy, host, port);
    expect(code).toBe(given.expect === 'allow' ? 0 : 2);
    expect(dialled).toHaveLength(given.expect === 'allow' ? 1 : 0);
    expect(proxy.lastDecision(to.hostname, port)?.outcome).toBe(given.expect === 'allow' ? 'allowed' : 'refused');
  });
});

describe('what may be reached', () => {
  test('an address literal is judged as itself, in all three address types, and nothing is looked up', async () => {
    const lookup = () => expect.unreachable('looked up a literal');
    const { dialled, connect } = dialsTo(await origin());
    const proxy = await open({ lookup, connect });
    const v6 = (hex: string) => Buffer.from(`04${hex}`, 'hex');
    expect((await ask(proxy, Buffer.of(1, 93, 184, 216, 34))).code).toBe(0);
    expect((await ask(proxy, v6('26062800022000010248189325c81946'))).code).toBe(0);
    expect((await ask(proxy, PUBLIC_6)).code).toBe(0);
    expect((await ask(proxy, Buffer.of(1, 127, 0, 0, 1))).code).toBe(2);
    expect((await ask(proxy, v6('00000000000000000000000000000001'))).code).toBe(2);
    expect((await ask(proxy, v6('00000000000000000000ffff5db8d822'))).code).toBe(2);
    expect((await ask(proxy, '[::1]')).code).toBe(2);
    expect(dialled.map(({ host }) => host)).toEqual([PUBLIC, PUBLIC_6, PUBLIC_6]);
  });

  test.each([
    'metadata.google.internal',
    'router.lan',
    'intranet',
    'LOCALHOST.',
    '127.1',
    'a\0.example.com',
    '',
    'é.com',
  ])('the name %j is refused before it is looked up', async (host) => {
    const proxy = await open({ lookup: () => expect.unreachable('looked up') });
    expect((await ask(proxy, host)).code).toBe(2);
    expect(proxy.decisions).toMatchObject([{ outcome: 'refused', reason: expect.stringMatching(/host/) }]);
  });

  test('the own loopback origin is reached however its host is spelled in capitals or with a final dot', async () => {
    const { dialled, connect } = dialsTo(await origin());
    const policy = { targets: 'local', url: 'http://LocalHost:3000/' } as const;
    const proxy = await open({ policy, connect, lookup: () => ['::1', '127.0.0.1'] });
    expect((await ask(proxy, 'localhost', 3000)).code).toBe(0);
    expect((await ask(proxy, 'LOCALHOST.', 3000)).code).toBe(0);
    expect((await ask(proxy, '127.0.0.1', 3000)).code).toBe(2);
    expect((await ask(proxy, 'app.localhost', 3000)).code).toBe(2);
    expect((await ask(proxy, 'localhost', 80)).code).toBe(2);
    expect(dialled.map(({ host }) => host)).toEqual(['::1', '::1']);
  });

  test('an own loopback name with one address outside loopback is refused whole', async () => {
    const policy = { targets: 'local', url: 'http://localhost:3000/' } as const;
    const proxy = await open({ policy, lookup: () => ['127.0.0.1', PUBLIC] });
    expect((await ask(proxy, 'localhost', 3000)).code).toBe(2);
    expect(proxy.lastDecision('localhost', 3000)?.reason).toBe('not a loopback address');
  });

  test('a loopback origin is closed where targets are public, and a public one never opens loopback', async () => {
    const local = await open({ policy: { targets: 'public', url: 'http://127.0.0.1:8080/' } });
    expect((await ask(local, '127.0.0.1', 8080)).code).toBe(2);
    const rebound = await open({ policy: { targets: 'local' }, lookup: () => ['127.0.0.1'] });
    expect((await ask(rebound, 'example.com', 443)).code).toBe(2);
    expect(rebound.lastDecision('example.com', 443)?.reason).toBe('private address');
  });

  test('without injected parts it resolves and dials by itself', async () => {
    const port = await origin();
    const proxy = await openEgressProxy({ targets: 'local', ports: [], url: `http://localhost:${port}/` });
    cleanUps.push(() => proxy.close());
    const { code, body } = await ask(proxy, 'localhost', port, 1, 'hello');
    expect(code).toBe(0);
    await vi.waitFor(() => expect(asText(body())).toBe('hello'));
  });
});

describe('names and servers that fail', () => {
  const rejects = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

  test.each(['ENOTFOUND', 'EAI_AGAIN'])(
    'a look-up that fails with %s is a dns-failure of that reason',
    async (code) => {
      const proxy = await open({ lookup: rejects(code) });
      expect((await ask(proxy, 'gone.example.com')).code).toBe(4);
      expect(proxy.lastDecision('gone.example.com', 80)).toMatchObject({ outcome: 'dns-failure', reason: code });
    },
  );

  test('a name without addresses is a dns-failure', async () => {
    const proxy = await open({ lookup: () => [] });
    await ask(proxy, 'empty.example.com');
    expect(proxy.decisions).toMatchObject([{ outcome: 'dns-failure', reason: 'ENOTFOUND' }]);
  });

  test('a look-up that never ends is given up, and what it finds later is not dialled', async () => {
    let found = (_: string[]) => {};
    const lookup = () => new Promise<string[]>((resolve) => (found = resolve));
    const proxy = await open({ lookup, limits: { connectMs: 30 } });
    expect((await ask(proxy, 'slow.example.com')).code).toBe(4);
    expect(proxy.decisions).toMatchObject([{ outcome: 'dns-failure', reason: 'ETIMEDOUT' }]);
    found([PUBLIC]);
    await sleep(5);
  });

  test('of names that nobody answers for a few are looked up at once, and none for whom nobody waits any more', async () => {
    const asked: string[] = [];
    let answer = (_: string[]) => {};
    const lookup = (host: string) => {
      asked.push(host);
      return host.includes('slow') ? new Promise<string[]>((resolve) => (answer = resolve)) : Promise.resolve([PUBLIC]);
    };
    const proxy = await open({ lookup, connect: dialsTo(await origin()).connect, limits: { connectMs: 100 } });
    const hosts = Array.from({ length: 100 }, (_, n) => `${n}.slow.example.com`);
    await Promise.all(hosts.map((host) => ask(proxy, host)));
    expect(asked).toHaveLength(LIMITS.lookUpsAtOnce);
    answer([PUBLIC]);
    await sleep(5);
    expect(asked).toHaveLength(LIMITS.lookUpsAtOnce);
    expect((await ask(proxy, 'next.example.com')).code).toBe(0);
    expect(asked.at(-1)).toBe('next.example.com');
  });

  test('a name is looked up once, unless that failed', async () => {
    const lookup = vi.fn().mockImplementationOnce(rejects('EAI_AGAIN')).mockResolvedValue([PUBLIC]);
    const proxy = await open({ lookup, connect: dialsTo(await origin()).connect });
    expect((await ask(proxy, 'a.example.com')).code).toBe(4);
    expect((await ask(proxy, 'a.example.com')).code).toBe(0);
    expect((await ask(proxy, 'a.example.com', 443)).code).toBe(0);
    expect(lookup).toHaveBeenCalledTimes(2);
    await ask(proxy, 'b.example.com');
    expect(lookup).toHaveBeenLastCalledWith('b.example.com');
  });

  test.each([
    ['ENETUNREACH', 3],
    ['EHOSTUNREACH', 4],
    ['ECONNREFUSED', 5],
    ['ETIMEDOUT', 4],
  ])('a dial that fails with %s is answered with %i', async (reason, reply) => {
    const proxy = await open({ connect: failing(reason) });
    expect((await ask(proxy, 'down.example.com')).code).toBe(reply);
    expect(proxy.decisions).toMatchObject([{ host: 'down.example.com', port: 80, outcome: 'unreachable', reason }]);
  });

  test('the next address is tried at once when one fails', async () => {
    const { dialled, connect } = dialsTo(await origin());
    const dial = (options: TcpNetConnectOpts) =>
      options.host === PUBLIC ? connect(options) : failing('ENETUNREACH')();
    const proxy = await open({ connect: dial, lookup: () => [PUBLIC_6, PUBLIC] });
    const started = performance.now();
    expect((await ask(proxy, 'dual.example.com')).code).toBe(0);
    expect(performance.now() - started).toBeLessThan(250);
    expect(dialled).toHaveLength(1);
  });

  test('the next address is tried beside one that stays silent, and the loser is hung up', async () => {
    const { connect } = dialsTo(await origin());
    const quiet = silent();
    const proxy = await open({
      connect: (options) => (options.host === PUBLIC ? connect(options) : quiet),
      lookup: () => [PUBLIC_6, PUBLIC],
    });
    expect((await ask(proxy, 'dual.example.com')).code).toBe(0);
    expect(quiet.destroyed).toBe(true);
  });

  test('the first address to accept is the only one dialled', async () => {
    const { dialled, connect } = dialsTo(await origin());
    const proxy = await open({ connect, lookup: () => [PUBLIC, PUBLIC_6] });
    await ask(proxy, 'dual.example.com');
    await sleep(350); // longer than the head start
    expect(dialled).toHaveLength(1);
  });

  test('servers that stay silent are given up together', async () => {
    const attempts: Socket[] = [];
    const connect = () => attempts[attempts.push(silent()) - 1] as Socket;
    const proxy = await open({ connect, lookup: () => [PUBLIC_6, PUBLIC], limits: { connectMs: 350 } });
    expect((await ask(proxy, 'silent.example.com')).code).toBe(4);
    expect(proxy.decisions).toMatchObject([{ outcome: 'unreachable', reason: 'ETIMEDOUT' }]);
    expect(attempts.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  });

  test('a client that leaves during the dial takes the attempt with it, and nothing was decided', async () => {
    const attempts: Socket[] = [];
    const connect = () => attempts[attempts.push(silent()) - 1] as Socket;
    const proxy = await open({ connect });
    const client = await raw(proxy);
    client.socket.write(Buffer.concat([GREETING, requestFor(nameBytes('a.example.com'), 80)]));
    await vi.waitFor(() => expect(attempts).toHaveLength(1));
    client.socket.resetAndDestroy();
    await vi.waitFor(() => expect(attempts[0]?.destroyed).toBe(true));
    expect(proxy.decisions).toEqual([]);
  });
});

describe('the handshake', () => {
  test.each([
    ['another command', requestFor(nameBytes('a.example.com'), 80, 2), 7],
    ['UDP', requestFor(nameBytes('a.example.com'), 80, 3), 7],
    ['an unknown address type', requestFor(Buffer.of(9, 1, 2, 3), 80), 8],
  ])('%s is answered with its code, though more follows', async (_, request, code) => {
    const client = await raw(await open());
    const started = performance.now();
    client.socket.end(Buffer.concat([GREETING, request, Buffer.alloc(16 * MIB)]));
    await client.closed;
    expect(performance.now() - started).toBeLessThan(500); // ended, not waited out
    expect([...client.state.received]).toEqual([5, 0, 5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
  });

  test.each([
    ['only a password', [5, 1, 2]],
    ['nothing', [5, 0]],
  ])('a client that offers %s is told that no method fits', async (_, greeting) => {
    const client = await raw(await open());
    client.socket.end(Buffer.from(greeting));
    await client.closed;
    expect([...client.state.received]).toEqual([5, 0xff]);
  });

  test('a client that offers no authentication among others is served, byte by byte too', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect });
    const client = await raw(proxy);
    client.socket.setNoDelay(true);
    for (const byte of [5, 3, 1, 2, 0, ...requestFor(nameBytes('a.example.com'), 443), ...Buffer.from('hi')]) {
      client.socket.write(Buffer.of(byte));
      await sleep(1);
    }
    await vi.waitFor(() => expect(asText(client.state.received.subarray(ANSWERED))).toBe('hi'));
    expect(proxy.decisions).toMatchObject([{ host: 'a.example.com', port: 443, outcome: 'allowed' }]);
  });

  test.each([
    ['HTTP', Buffer.from('GET http://10.0.0.1/ HTTP/1.1\r\n\r\n')],
    ['SOCKS4', Buffer.from([4, 1, 0, 80, 10, 0, 0, 1, 0])],
    ['another version in the request', Buffer.concat([GREETING, Buffer.of(4, 1, 0, 3, 0, 0, 0)])],
  ])('%s is hung up on', async (_, garbage) => {
    const proxy = await open();
    const client = await raw(proxy, false);
    client.socket.write(garbage);
    await client.closed;
    expect(client.state.received.length).toBeLessThanOrEqual(2);
    expect(proxy.decisions).toEqual([]);
  });

  test.each([[GREETING.subarray(0, 1)], [GREETING], [Buffer.concat([GREETING, Buffer.of(5, 1, 0, 3, 20, 97)])]])(
    'a client that ends after %j is let go at once',
    async (half) => {
      const client = await raw(await open());
      client.socket.end(half);
      await client.closed;
    },
  );

  test('a half handshake keeps nobody else waiting', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect });
    for (const half of ['05', '0502', '05010005', '05010005010003ff61']) {
      (await raw(proxy)).socket.write(Buffer.from(half, 'hex'));
    }
    await sleep(10);
    expect((await ask(proxy, 'a.example.com')).code).toBe(0);
  });

  test('a client that dawdles is hung up on', async () => {
    const proxy = await open({ limits: { handshakeMs: 40 } });
    const client = await raw(proxy, false);
    client.socket.write(GREETING);
    await client.closed;
  });

  test('the time for a handshake is not the time of the connection', async () => {
    const proxy = await open({ limits: { handshakeMs: 40, connectMs: 40 }, connect: dialsTo(await origin()).connect });
    const { socket, body } = await ask(proxy, 'a.example.com');
    await sleep(80);
    socket.write('still here');
    await vi.waitFor(() => expect(asText(body())).toBe('still here'));
  });
});

describe('the bytes', () => {
  test('early data reaches the server, in order and once', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect });
    const { socket, body } = await ask(proxy, 'a.example.com', 80, 1, 'early ');
    socket.write('late');
    await vi.waitFor(() => expect(asText(body())).toBe('early late'));
    expect(proxy.bytes()).toBe(20);
  });

  test('a server may speak first, and both sides send without delay', async () => {
    const setNoDelay = vi.spyOn(Socket.prototype, 'setNoDelay');
    const proxy = await open({ connect: dialsTo(await origin((socket) => socket.write('hello'))).connect });
    const { body } = await ask(proxy, 'a.example.com');
    await vi.waitFor(() => expect(asText(body())).toBe('hello'));
    expect(setNoDelay.mock.calls).toEqual([[true], [true]]);
    setNoDelay.mockRestore();
  });

  test('a client that ended still gets its answer', async () => {
    const serve = (socket: Socket) => {
      socket.resume().once('end', () => setTimeout(() => socket.end('answer'), 30));
    };
    const proxy = await open({ connect: dialsTo(await origin(serve)).connect });
    const { socket, body, closed } = await ask(proxy, 'a.example.com');
    socket.end('question');
    await closed;
    expect(asText(body())).toBe('answer');
  });

  test('a server that ended still gets what its client has to say', async () => {
    let heard = '';
    const serve = (socket: Socket) => {
      socket.end('bye');
      socket.on('data', (chunk) => (heard += chunk));
    };
    const proxy = await open({ connect: dialsTo(await origin(serve)).connect });
    const { socket, body } = await ask(proxy, 'a.example.com');
    await vi.waitFor(() => expect(asText(body())).toBe('bye'));
    socket.end('and you');
    await vi.waitFor(() => expect(heard).toBe('and you'));
  });

  test('a server that stays silent after its client has gone is hung up on', async () => {
    let left = false;
    const serve = (socket: Socket) => void socket.resume().once('close', () => (left = true));
    const proxy = await open({ connect: dialsTo(await origin(serve)).connect, limits: { halfOpenMs: 30 } });
    const { socket, closed } = await ask(proxy, 'a.example.com');
    await sleep(60);
    expect(left).toBe(false); // only the silence after an end counts
    socket.end();
    await closed;
    await sleep(5);
    expect(socket.errored).toBeNull();
  });

  test('a reset of the server is a reset for the client', async () => {
    const serve = (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy());
    const { dialled, connect } = dialsTo(await origin(serve));
    const proxy = await open({ connect, lookup: () => [PUBLIC, PUBLIC_6] });
    const { state, closed } = await ask(proxy, 'a.example.com', 80, 1, 'x');
    await closed;
    expect(state.error).toBe('ECONNRESET');
    expect(dialled).toHaveLength(1); // not a reason to try the other address
  });

  test('a reset of the client is a reset for the server', async () => {
    const failed = Promise.withResolvers<string>();
    const serve = (socket: Socket) =>
      void socket.resume().once('error', (error: NodeJS.ErrnoException) => failed.resolve(error.code ?? ''));
    const proxy = await open({ connect: dialsTo(await origin(serve)).connect });
    const { socket } = await ask(proxy, 'a.example.com', 80, 1, 'x');
    socket.resetAndDestroy();
    expect(await failed.promise).toBe('ECONNRESET');
  });

  test('a client that reads slowly slows the server down', async () => {
    let taken = 0;
    const block = Buffer.alloc(256 * 1024);
    const serve = (socket: Socket) => {
      const push = () => {
        while (socket.writable && socket.write(block)) taken += block.length;
        taken += block.length;
      };
      socket.on('drain', push);
      push();
    };
    const proxy = await open({ connect: dialsTo(await origin(serve)).connect, limits: { runBytes: 10 ** 12 } });
    const { socket } = await ask(proxy, 'a.example.com');
    socket.pause();
    await sleep(300);
    const before = proxy.bytes();
    await sleep(100);
    expect(proxy.bytes()).toBe(before); // the sockets' own buffers are full, and the proxy adds none
    expect(before).toBeLessThan(30 * MIB);
    socket.resume();
    await vi.waitFor(() => expect(proxy.bytes()).toBeGreaterThan(before + MIB));
    expect(taken).toBeGreaterThan(before);
  });

  const sends = (size: number) => (socket: Socket) => void socket.end(Buffer.alloc(size));

  test('a connection ends at its cap of bytes from the server, and the next one is free', async () => {
    const connect = dialsTo(await origin(sends(200_000))).connect;
    const proxy = await open({ connect, limits: { connectionBytes: 199_999 } });
    const { state, closed, body } = await ask(proxy, 'a.example.com');
    await closed;
    expect(state.error).toBe('ECONNRESET');
    expect(body().length).toBeLessThan(200_000);
    expect(proxy.lastDecision('a.example.com', 80)).toMatchObject({
      outcome: 'over-cap',
      reason: 'bytes of the connection',
      count: 1,
    });
    expect((await ask(proxy, 'a.example.com')).code).toBe(0);
  });

  test('a connection may carry exactly its cap, and what goes up does not count', async () => {
    const proxy = await open({
      connect: dialsTo(await origin(sends(200_000))).connect,
      limits: { connectionBytes: 200_000 },
    });
    const { socket, body, closed } = await ask(proxy, 'a.example.com', 80, 1, 'up and up');
    await vi.waitFor(() => expect(body().length).toBe(200_000));
    socket.end();
    await closed;
    expect(proxy.decisions).toMatchObject([{ outcome: 'allowed' }]);
  });

  test('the cap of a run counts all connections and both ways, and closes the proxy for good', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect, limits: { runBytes: 25 } });
    const first = await ask(proxy, 'a.example.com', 80, 1, '0123456789');
    await vi.waitFor(() => expect(asText(first.body())).toBe('0123456789'));
    expect(proxy.bytes()).toBe(20);
    const second = await ask(proxy, 'b.example.com', 80, 1, '012345');
    await second.closed;
    expect(proxy.lastDecision('b.example.com', 80)).toMatchObject({ outcome: 'over-cap', reason: 'bytes of the run' });
    expect((await ask(proxy, 'c.example.com')).code).toBe(1);
    expect(proxy.lastDecision('c.example.com', 80)).toMatchObject({ outcome: 'over-cap', reason: 'bytes of the run' });
  });

  test('the caps are 50 MiB a connection and 150 MiB a run', async () => {
    expect(LIMITS).toMatchObject({ connectionBytes: 50 * MIB, runBytes: 150 * MIB, atOnce: 256, inAll: 2000 });
    const proxy = await open({ connect: dialsTo(await origin(sends(51 * MIB))).connect });
    for (const host of ['a.example.com', 'b.example.com', 'c.example.com']) {
      const client = await raw(proxy);
      client.socket.removeAllListeners('data').resume(); // 150 MiB are not worth keeping
      client.socket.write(Buffer.concat([GREETING, requestFor(nameBytes(host), 80)]));
      await client.closed;
      expect(proxy.lastDecision(host, 80)?.outcome).toBe('over-cap');
    }
    expect(proxy.bytes()).toBeGreaterThan(150 * MIB);
    expect(proxy.bytes()).toBeLessThan(152 * MIB);
    expect(proxy.lastDecision('b.example.com', 80)?.reason).toBe('bytes of the connection');
    expect((await ask(proxy, 'd.example.com')).code).toBe(1);
  }, 20_000);
});

describe('the number of connections', () => {
  test('one connection too many at once is refused, and there is room again when one has closed', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect, limits: { atOnce: 2 } });
    const first = await ask(proxy, 'a.example.com');
    await ask(proxy, 'b.example.com');
    const third = await ask(proxy, 'c.example.com');
    expect(third.code).toBe(1);
    expect(proxy.lastDecision('c.example.com', 80)).toMatchObject({
      outcome: 'over-cap',
      reason: 'connections at once',
    });
    for (const { socket, closed } of [first, third]) {
      socket.end();
      await closed;
    }
    await sleep(5);
    expect((await ask(proxy, 'c.example.com')).code).toBe(0);
  });

  test('connections in all are counted, closed ones too', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect, limits: { inAll: 2 } });
    for (const host of ['a.example.com', 'b.example.com']) {
      const { socket, closed } = await ask(proxy, host);
      socket.end();
      await closed;
    }
    expect((await ask(proxy, 'c.example.com')).code).toBe(1);
    expect(proxy.lastDecision('c.example.com', 80)).toMatchObject({
      outcome: 'over-cap',
      reason: 'connections in all',
    });
  });

  test('a refused client that stays is hung up on', async () => {
    const { socket, state } = await ask(await open(), 'intranet');
    const stays = () => {
      socket.write('still here');
      expect(state.error).toMatch(/EPIPE|ECONNRESET/);
    };
    await vi.waitFor(stays, { timeout: 3000 });
  });
});

describe('the decisions', () => {
  test('those alike are one, counted, and the newest is last', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect });
    const before = Date.now();
    for (const host of ['a.lan', 'a.example.com', 'a.lan']) await ask(proxy, host);
    expect(proxy.decisions).toMatchObject([
      { host: 'a.example.com', port: 80, outcome: 'allowed', count: 1 },
      { host: 'a.lan', port: 80, outcome: 'refused', count: 2 },
    ]);
    expect(proxy.decisions[1]?.at).toBeGreaterThanOrEqual(before);
    expect(proxy.decisions[0]).not.toHaveProperty('reason');
  });

  test('the last decision on a target is found by its spelling in a URL, and per port', async () => {
    const lookup = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue([PUBLIC]);
    const proxy = await open({ connect: dialsTo(await origin()).connect, lookup });
    await ask(proxy, 'a.example.com');
    expect(proxy.lastDecision('A.Example.com.', 80)).toMatchObject({ outcome: 'dns-failure', reason: 'broken' });
    await ask(proxy, 'a.example.com');
    expect(proxy.lastDecision('a.example.com', 80)?.outcome).toBe('allowed');
    expect(proxy.lastDecision('a.example.com', 443)).toBeUndefined();
    await ask(proxy, '::1');
    expect(proxy.lastDecision('[::1]', 80)?.outcome).toBe('refused');
  });

  test('a flood of connections over the cap is forgotten before anything else is', async () => {
    const proxy = await open({ limits: { inAll: 2, overCapKept: 3 } });
    await ask(proxy, 'main.lan');
    await ask(proxy, 'other.lan');
    for (let flood = 0; flood < 6; flood += 1) await ask(proxy, `f${flood}.example.com`);
    expect(proxy.decisions.map(({ host }) => host)).toEqual([
      ...['main.lan', 'other.lan', 'f3.example.com', 'f4.example.com', 'f5.example.com'],
    ]);
  });
});

describe('closing', () => {
  test('every socket is cut at once, dialled ones and half handshakes too', async () => {
    const attempts: Socket[] = [];
    const { connect } = dialsTo(await origin());
    const dial = (options: TcpNetConnectOpts) => {
      attempts.push(options.port === 443 ? silent() : connect(options));
      return attempts.at(-1) as Socket;
    };
    const proxy = await open({ connect: dial });
    const half = await raw(proxy);
    const joined = await ask(proxy, 'a.example.com', 80);
    const dialling = await raw(proxy);
    dialling.socket.write(Buffer.concat([GREETING, requestFor(nameBytes('b.example.com'), 443)]));
    await vi.waitFor(() => expect(attempts).toHaveLength(2));
    await proxy.close();
    for (const { socket, closed } of [half, joined, dialling]) {
      socket.end();
      await closed;
    }
    expect(attempts.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    await proxy.close(); // twice does no harm
    await expect(raw(proxy)).rejects.toThrow('ECONNREFUSED');
  });

  test('a name found after the close is not dialled', async () => {
    let found = (_: string[]) => {};
    const proxy = await open({ lookup: () => new Promise<string[]>((resolve) => (found = resolve)) });
    const client = await raw(proxy);
    client.socket.write(Buffer.concat([GREETING, requestFor(nameBytes('a.example.com'), 80)]));
    await sleep(20);
    await proxy.close();
    found([PUBLIC]);
    await sleep(5);
    expect(proxy.decisions).toEqual([]);
  });
});

test('it listens on loopback only, each proxy on a port of its own', async () => {
  const listen = vi.spyOn(Server.prototype, 'listen');
  const [one, two] = [await open(), await open()];
  expect(listen.mock.calls.map(([port, host]) => [port, host])).toEqual([
    [0, '127.0.0.1'],
    [0, '127.0.0.1'],
  ]);
  listen.mockRestore();
  expect(one.port).not.toBe(two.port);
});

test('what was cut off counts from its first time, and not where that came after the measuring', async () => {
  const port = await origin((socket) => socket.end(Buffer.alloc(MIB)));
  const proxy = await open({ connect: dialsTo(port).connect, limits: { connectionBytes: 1000 } });
  const before = Date.now();
  await ask(proxy, 'cdn.example.com');
  await vi.waitFor(() => expect(overCapOf(proxy.decisions)).toHaveLength(1));
  const after = Date.now();
  await sleep(5);
  await ask(proxy, 'cdn.example.com');
  await vi.waitFor(() => expect(overCapOf(proxy.decisions)).toMatchObject([{ host: 'cdn.example.com', count: 2 }]));
  expect(overCapOf(proxy.decisions, after)).toMatchObject([{ reason: 'bytes of the connection' }]);
  expect(overCapOf(proxy.decisions, before - 1)).toEqual([]);
});

describe('what was blocked', () => {
  const decision = {
    host: 'a.example.com',
    port: 80,
    outcome: 'refused',
    reason: 'private address',
    count: 1,
    since: 0,
    at: 0,
  } as const;

  test('is what the policy refused, with its reason, and nothing that failed or was allowed', () => {
    const others = (['allowed', 'dns-failure', 'unreachable', 'over-cap'] as const).map((outcome) => ({
      ...decision,
      outcome,
    }));
    expect(blockedOf([decision, ...others])).toEqual({
      blockedRequests: [{ host: 'a.example.com', port: 80, reason: 'private address', count: 1 }],
      blockedRequestCount: 1,
    });
    expect(blockedOf([])).toEqual({ blockedRequests: [], blockedRequestCount: 0 });
  });

  test('lists the 50 that were asked for most, and counts all', () => {
    const decisions = Array.from({ length: 60 }, (_, i) => ({ ...decision, port: i, count: i + 1 }));
    const { blockedRequests, blockedRequestCount } = blockedOf(decisions);
    expect(blockedRequests.map(({ port }) => port)).toEqual(Array.from({ length: 50 }, (_, i) => 59 - i));
    expect(blockedRequestCount).toBe((60 * 61) / 2);
  });

  test('keeps a name short, whatever the page asked for', () => {
    const { blockedRequests } = blockedOf([{ ...decision, host: 'x'.repeat(255) }]);
    expect(blockedRequests[0]?.host).toHaveLength(253);
  });

  test('is told by a proxy of each host and port', async () => {
    const proxy = await open();
    await ask(proxy, 'localhost', 9001);
    await ask(proxy, 'localhost', 9001);
    await ask(proxy, '10.0.0.1');
    const reason = expect.stringMatching(/private/);
    expect(blockedOf(proxy.decisions)).toEqual({
      blockedRequests: [
        { host: 'localhost', port: 9001, reason, count: 2 },
        { host: '10.0.0.1', port: 80, reason, count: 1 },
      ],
      blockedRequestCount: 3,
    });
  });
});
