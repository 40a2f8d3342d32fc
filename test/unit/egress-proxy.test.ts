import { Server, Socket, type TcpNetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { LIMITS, openEgressProxy } from '../../functions/auditor/egress/proxy.ts';
import { targetOf } from '../../functions/lib/targets/public-addresses.ts';
import { elsewhere } from '../support/allowed-elsewhere.ts';
import {
  asText,
  cleanUp,
  dialsTo,
  GREETING,
  MIB,
  nameBytes,
  open,
  origin,
  PUBLIC,
  PUBLIC_6,
  raw,
  request,
  requestFor,
  silent,
} from '../support/egress.ts';
import { type SsrfCase as Case, ssrfCases as cases } from '../support/ssrf-cases.ts';

afterEach(cleanUp);

describe.each([
  ['', []],
  [' if the operator allows other hosts', elsewhere],
])('the collected cases%s', (_, allowed) => {
  const resolved = cases.filter(({ stage }) => stage === 'resolve');
  const led = cases.filter(({ stage }) => stage === 'redirect' || stage === 'subresource');
  const leadsTo = ({ url, redirectsTo, loads }: Case) => new URL(redirectsTo ?? loads ?? '', url);
  const opensConnection = (to: Case) => /^(https?|wss?):$/.test(leadsTo(to).protocol);

  test('the collection has all its cases', () => {
    expect(resolved).toHaveLength(35);
    expect(led.filter(opensConnection)).toHaveLength(41);
  });

  test.each(resolved)('$id: $expect, because $why', async (given) => {
    const { dialled, connect } = dialsTo(await origin());
    const turns = [...(given.resolvesInTurn ?? [given.resolvesTo ?? []])];
    const policy = { url: given.url, targets: given.policy ?? 'public', allowed } as const;
    const proxy = await open({ policy, connect, lookup: () => turns.shift() ?? [] });
    const { host, port } = targetOf(new URL(given.url));
    for (let turn = 0; turn < 2; turn += 1) {
      const { code } = await request(proxy, host, port);
      if (given.expect === 'allow') expect(code).toBe(0);
      else expect(code).toBe(given.resolvesTo?.length === 0 ? 4 : 2);
    }
    const dials = given.dials ?? given.resolvesTo?.[0];
    expect(dialled.map((to) => to.host)).toEqual(given.expect === 'allow' ? [dials, dials] : []);
    expect(dialled.every((to) => to.port === port && to.autoSelectFamily === false)).toBe(true);
  });

  test.each(led.filter(opensConnection))('$id: $expect, because $why', async (given) => {
    const { dialled, connect } = dialsTo(await origin());
    const policy = { url: given.url, targets: given.policy ?? 'public', allowed } as const;
    const proxy = await open({ policy, connect });
    const to = leadsTo(given);
    to.protocol = to.protocol.replace('ws', 'http');
    const { host, port } = targetOf(to);
    const { code } = await request(proxy, host, port);
    expect(code).toBe(given.expect === 'allow' ? 0 : 2);
    expect(dialled).toHaveLength(given.expect === 'allow' ? 1 : 0);
    expect(proxy.lastDecision(to.hostname, port)?.outcome).toBe(given.expect === 'allow' ? 'allowed' : 'refused');
  });
});

describe('reachable targets', () => {
  test('an address literal is checked without a lookup, in all three address types', async () => {
    const lookup = () => expect.unreachable('looked up a literal');
    const { dialled, connect } = dialsTo(await origin());
    const proxy = await open({ lookup, connect });
    const v6 = (hex: string) => Buffer.from(`04${hex}`, 'hex');
    expect((await request(proxy, Buffer.of(1, 93, 184, 216, 34))).code).toBe(0);
    expect((await request(proxy, v6('26062800022000010248189325c81946'))).code).toBe(0);
    expect((await request(proxy, PUBLIC_6)).code).toBe(0);
    expect((await request(proxy, Buffer.of(1, 127, 0, 0, 1))).code).toBe(2);
    expect((await request(proxy, v6('00000000000000000000000000000001'))).code).toBe(2);
    expect((await request(proxy, v6('00000000000000000000ffff5db8d822'))).code).toBe(2);
    expect((await request(proxy, '[::1]')).code).toBe(2);
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
  ])('the name %j is refused without a lookup', async (host) => {
    const proxy = await open({ lookup: () => expect.unreachable('looked up') });
    expect((await request(proxy, host)).code).toBe(2);
    expect(proxy.decisions).toMatchObject([{ outcome: 'refused', reason: expect.stringMatching(/host/) }]);
  });

  test('loopback is closed for public targets, and for a check of a public URL', async () => {
    const local = await open({ policy: { targets: 'public', url: 'http://127.0.0.1:8080/' } });
    expect((await request(local, '127.0.0.1', 8080)).code).toBe(2);
    const rebound = await open({ policy: { targets: 'local' }, lookup: () => ['127.0.0.1'] });
    expect((await request(rebound, 'example.com', 443)).code).toBe(2);
    expect(rebound.lastDecision('example.com', 443)?.reason).toBe('The host resolves to a non-public address.');
    expect((await request(rebound, 'shop.localhost', 443)).code).toBe(2);
    expect(rebound.lastDecision('shop.localhost', 443)?.reason).toBe(
      'Only a check whose own URL is on loopback may use loopback.',
    );
  });
});

describe('bytes', () => {
  test('early data reaches the server once and in order', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect });
    const { socket, body } = await request(proxy, 'a.example.com', 80, 1, 'early ');
    socket.write('late');
    await expect.poll(() => asText(body())).toBe('early late');
    expect(proxy.bytes()).toBe(20);
  });

  test('a server may send first, and both sides send without delay', async () => {
    const setNoDelay = vi.spyOn(Socket.prototype, 'setNoDelay');
    const proxy = await open({ connect: dialsTo(await origin((socket) => socket.write('hello'))).connect });
    const { body } = await request(proxy, 'a.example.com');
    await expect.poll(() => asText(body())).toBe('hello');
    expect(setNoDelay.mock.calls).toEqual([[true], [true]]);
    setNoDelay.mockRestore();
  });

  test('a client that ended its side still receives the response', async () => {
    const serve = (socket: Socket) => {
      socket.resume().once('end', () => setTimeout(() => socket.end('answer'), 30));
    };
    const proxy = await open({ connect: dialsTo(await origin(serve)).connect });
    const { socket, body, closed } = await request(proxy, 'a.example.com');
    socket.end('question');
    await closed;
    expect(asText(body())).toBe('answer');
  });

  test('a server that ended its side still receives data', async () => {
    let received = '';
    const serve = (socket: Socket) => {
      socket.end('bye');
      socket.on('data', (chunk) => (received += chunk));
    };
    const proxy = await open({ connect: dialsTo(await origin(serve)).connect });
    const { socket, body } = await request(proxy, 'a.example.com');
    await expect.poll(() => asText(body())).toBe('bye');
    socket.end('and you');
    await expect.poll(() => received).toBe('and you');
  });

  test('a silent server is closed after its client ended', async () => {
    let left = false;
    const serve = (socket: Socket) => void socket.resume().once('close', () => (left = true));
    const proxy = await open({ connect: dialsTo(await origin(serve)).connect, limits: { halfOpenMs: 30 } });
    const { socket, closed } = await request(proxy, 'a.example.com');
    await sleep(60);
    expect(left).toBe(false); // silence counts only after the client ended
    socket.end();
    await closed;
    await sleep(5);
    expect(socket.errored).toBeNull();
  });

  test('a reset by the server resets the client', async () => {
    const serve = (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy());
    const { dialled, connect } = dialsTo(await origin(serve));
    const proxy = await open({ connect, lookup: () => [PUBLIC, PUBLIC_6] });
    const { state, closed } = await request(proxy, 'a.example.com', 80, 1, 'x');
    await closed;
    expect(state.error).toBe('ECONNRESET');
    expect(dialled).toHaveLength(1); // a reset after the connect dials no other address
  });

  test('a reset by the client resets the server', async () => {
    const failed = Promise.withResolvers<string>();
    const serve = (socket: Socket) =>
      void socket.resume().once('error', (error: NodeJS.ErrnoException) => failed.resolve(error.code ?? ''));
    const proxy = await open({ connect: dialsTo(await origin(serve)).connect });
    const { socket } = await request(proxy, 'a.example.com', 80, 1, 'x');
    socket.resetAndDestroy();
    expect(await failed.promise).toBe('ECONNRESET');
  });

  test('a slow client slows the server down', async () => {
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
    const { socket } = await request(proxy, 'a.example.com');
    socket.pause();
    await sleep(300);
    const before = proxy.bytes();
    await sleep(100);
    expect(proxy.bytes()).toBe(before); // the socket buffers are full, and the proxy adds none
    expect(before).toBeLessThan(30 * MIB);
    socket.resume();
    await expect.poll(() => proxy.bytes()).toBeGreaterThan(before + MIB);
    expect(taken).toBeGreaterThan(before);
  });

  const sends = (size: number) => (socket: Socket) => void socket.end(Buffer.alloc(size));

  test('a connection ends when it exceeds its byte limit, and the next one starts at zero', async () => {
    const connect = dialsTo(await origin(sends(200_000))).connect;
    const proxy = await open({ connect, limits: { connectionBytes: 199_999 } });
    const { state, closed, body } = await request(proxy, 'a.example.com');
    await closed;
    expect(state.error).toBe('ECONNRESET');
    expect(body().length).toBeLessThan(200_000);
    expect(proxy.lastDecision('a.example.com', 80)).toMatchObject({
      outcome: 'over-cap',
      reason: 'bytes per connection',
      count: 1,
    });
    expect((await request(proxy, 'a.example.com')).code).toBe(0);
  });

  test('a connection may receive exactly its limit, and sent bytes do not count', async () => {
    const proxy = await open({
      connect: dialsTo(await origin(sends(200_000))).connect,
      limits: { connectionBytes: 200_000 },
    });
    const { socket, body, closed } = await request(proxy, 'a.example.com', 80, 1, 'up and up');
    await expect.poll(() => body().length).toBe(200_000);
    socket.end();
    await closed;
    expect(proxy.decisions).toMatchObject([{ outcome: 'allowed' }]);
  });

  test('the limit of an audit counts all bytes of all connections, and then refuses every connection', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect, limits: { runBytes: 25 } });
    const first = await request(proxy, 'a.example.com', 80, 1, '0123456789');
    await expect.poll(() => asText(first.body())).toBe('0123456789');
    expect(proxy.bytes()).toBe(20);
    const second = await request(proxy, 'b.example.com', 80, 1, '012345');
    await second.closed;
    expect(proxy.lastDecision('b.example.com', 80)).toMatchObject({ outcome: 'over-cap', reason: 'bytes per audit' });
    expect((await request(proxy, 'c.example.com')).code).toBe(1);
    expect(proxy.lastDecision('c.example.com', 80)).toMatchObject({ outcome: 'over-cap', reason: 'bytes per audit' });
  });

  test('the limits are 50 MiB per connection and 150 MiB per audit', async () => {
    expect(LIMITS).toMatchObject({
      connectionBytes: 50 * MIB,
      runBytes: 150 * MIB,
      openConnections: 256,
      totalConnections: 2000,
    });
    const proxy = await open({ connect: dialsTo(await origin(sends(51 * MIB))).connect });
    for (const host of ['a.example.com', 'b.example.com', 'c.example.com']) {
      const client = await raw(proxy);
      client.socket.removeAllListeners('data').resume(); // discard the 150 MiB
      client.socket.write(Buffer.concat([GREETING, requestFor(nameBytes(host), 80)]));
      await client.closed;
      expect(proxy.lastDecision(host, 80)?.outcome).toBe('over-cap');
    }
    expect(proxy.bytes()).toBeGreaterThan(150 * MIB);
    expect(proxy.bytes()).toBeLessThan(152 * MIB);
    expect(proxy.lastDecision('b.example.com', 80)?.reason).toBe('bytes per connection');
    expect((await request(proxy, 'd.example.com')).code).toBe(1);
  }, 20_000);
});

describe('the number of connections', () => {
  test('a connection over the limit of open ones is refused until another closes', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect, limits: { openConnections: 2 } });
    const first = await request(proxy, 'a.example.com');
    await request(proxy, 'b.example.com');
    const third = await request(proxy, 'c.example.com');
    expect(third.code).toBe(1);
    expect(proxy.lastDecision('c.example.com', 80)).toMatchObject({
      outcome: 'over-cap',
      reason: 'open connections',
    });
    for (const { socket, closed } of [first, third]) {
      socket.end();
      await closed;
    }
    await sleep(5);
    expect((await request(proxy, 'c.example.com')).code).toBe(0);
  });

  test('closed connections count towards the total', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect, limits: { totalConnections: 2 } });
    for (const host of ['a.example.com', 'b.example.com']) {
      const { socket, closed } = await request(proxy, host);
      socket.end();
      await closed;
    }
    expect((await request(proxy, 'c.example.com')).code).toBe(1);
    expect(proxy.lastDecision('c.example.com', 80)).toMatchObject({
      outcome: 'over-cap',
      reason: 'total connections',
    });
  });

  test('a refused client that stays is closed', async () => {
    const { socket, state } = await request(await open(), 'intranet');
    const stays = () => {
      socket.write('still here');
      expect(state.error).toMatch(/EPIPE|ECONNRESET/);
    };
    await vi.waitFor(stays, { timeout: 3000 });
  });
});

describe('closing', () => {
  test('closes every socket at once, also during a dial or a handshake', async () => {
    const attempts: Socket[] = [];
    const { connect } = dialsTo(await origin());
    const dial = (options: TcpNetConnectOpts) => {
      attempts.push(options.port === 443 ? silent() : connect(options));
      return attempts.at(-1) as Socket;
    };
    const proxy = await open({ connect: dial });
    const half = await raw(proxy);
    const joined = await request(proxy, 'a.example.com', 80);
    const dialling = await raw(proxy);
    dialling.socket.write(Buffer.concat([GREETING, requestFor(nameBytes('b.example.com'), 443)]));
    await expect.poll(() => attempts).toHaveLength(2);
    await proxy.close();
    for (const { socket, closed } of [half, joined, dialling]) {
      socket.end();
      await closed;
    }
    expect(attempts.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    await proxy.close(); // a second close does nothing
    await expect(raw(proxy)).rejects.toThrow('ECONNREFUSED');
  });

  test('a name that resolves after the close is not dialled', async () => {
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

test('each proxy listens on loopback only, on its own port', async () => {
  const listen = vi.spyOn(Server.prototype, 'listen');
  const [one, two] = [await open(), await open()];
  expect(listen.mock.calls.map(([port, host]) => [port, host])).toEqual([
    [0, '127.0.0.1'],
    [0, '127.0.0.1'],
  ]);
  listen.mockRestore();
  expect(one.port).not.toBe(two.port);
});

test('a proxy without a policy yet closes every connection, and records no decision', async () => {
  const proxy = await openEgressProxy();
  const port = await origin();
  try {
    const early = await raw(proxy, false);
    early.socket.write(Buffer.concat([GREETING, requestFor(nameBytes('127.0.0.1'), port)]));
    await early.closed;
    expect([early.state.received.length, proxy.decisions]).toEqual([0, []]);
    proxy.allow({ targets: 'local', ports: [], url: `http://127.0.0.1:${port}/` });
    expect((await request(proxy, '127.0.0.1', port)).code).toBe(0);
  } finally {
    await proxy.close();
  }
});
