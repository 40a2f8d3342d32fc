import { Server, Socket, type TcpNetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { LIMITS, openEgressProxy } from '../../functions/auditor/egress/proxy.ts';
import { targetOf } from '../../functions/lib/public-addresses.ts';
import {
  ask,
  asText,
  cleanUp,
  cleanUps,
  dialsTo,
  GREETING,
  MIB,
  nameBytes,
  open,
  origin,
  PUBLIC,
  PUBLIC_6,
  raw,
  requestFor,
  silent,
} from '../support/egress.ts';
import { type SsrfCase as Case, ssrfCases as cases } from '../support/ssrf-cases.ts';

afterEach(cleanUp);

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
    expect(proxy.lastDecision('localhost', 3000)?.reason).toBe('The host resolves to an address that is not loopback.');
  });

  test('a loopback origin is closed where targets are public, and a public one never opens loopback', async () => {
    const local = await open({ policy: { targets: 'public', url: 'http://127.0.0.1:8080/' } });
    expect((await ask(local, '127.0.0.1', 8080)).code).toBe(2);
    const rebound = await open({ policy: { targets: 'local' }, lookup: () => ['127.0.0.1'] });
    expect((await ask(rebound, 'example.com', 443)).code).toBe(2);
    expect(rebound.lastDecision('example.com', 443)?.reason).toBe('The host resolves to a non-public address.');
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
      reason: 'bytes per connection',
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
    expect(proxy.lastDecision('b.example.com', 80)).toMatchObject({ outcome: 'over-cap', reason: 'bytes per audit' });
    expect((await ask(proxy, 'c.example.com')).code).toBe(1);
    expect(proxy.lastDecision('c.example.com', 80)).toMatchObject({ outcome: 'over-cap', reason: 'bytes per audit' });
  });

  test('the caps are 50 MiB a connection and 150 MiB a run', async () => {
    expect(LIMITS).toMatchObject({
      connectionBytes: 50 * MIB,
      runBytes: 150 * MIB,
      openConnections: 256,
      totalConnections: 2000,
    });
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
    expect(proxy.lastDecision('b.example.com', 80)?.reason).toBe('bytes per connection');
    expect((await ask(proxy, 'd.example.com')).code).toBe(1);
  }, 20_000);
});

describe('the number of connections', () => {
  test('one connection too many at once is refused, and there is room again when one has closed', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect, limits: { openConnections: 2 } });
    const first = await ask(proxy, 'a.example.com');
    await ask(proxy, 'b.example.com');
    const third = await ask(proxy, 'c.example.com');
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
    expect((await ask(proxy, 'c.example.com')).code).toBe(0);
  });

  test('connections in all are counted, closed ones too', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect, limits: { totalConnections: 2 } });
    for (const host of ['a.example.com', 'b.example.com']) {
      const { socket, closed } = await ask(proxy, host);
      socket.end();
      await closed;
    }
    expect((await ask(proxy, 'c.example.com')).code).toBe(1);
    expect(proxy.lastDecision('c.example.com', 80)).toMatchObject({
      outcome: 'over-cap',
      reason: 'total connections',
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
