import { once } from 'node:events';
import { connect, Socket, type TcpNetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { openEgressProxy } from '../../../functions/auditor/egress/proxy.ts';
import { DEFAULT_PORTS } from '../../../shared/service/env.ts';
import { assertProperty, fuzzTimeoutMs, host, isPrivate, numRuns } from '../../support/fuzz.ts';

vi.setConfig({ testTimeout: fuzzTimeoutMs });

describe('the egress proxy', () => {
  const PUBLIC = '93.184.216.34';
  const bytes = (...parts: (number | fc.Arbitrary<Uint8Array>)[]) =>
    fc
      .tuple(...parts.map((part) => (typeof part === 'number' ? fc.constant(Uint8Array.of(part)) : part)))
      .map((all) => Buffer.concat(all));
  const bytesUpTo = (maxLength: number, minLength = 0) => fc.uint8Array({ minLength, maxLength });
  const byteOf = (...values: number[]) => fc.constantFrom(...values).map((value) => Uint8Array.of(value));
  const mostlyByte = (value: number) =>
    fc.oneof({ weight: 9, arbitrary: byteOf(value) }, { weight: 1, arbitrary: bytesUpTo(1, 1) });
  const lengthPrefixed = (name: Uint8Array) => Buffer.concat([Uint8Array.of(name.length), name]);
  const target = fc.oneof(
    bytes(1, bytesUpTo(4, 4)),
    bytes(4, bytesUpTo(16, 16)),
    bytes(3, bytesUpTo(255).map(lengthPrefixed)),
    bytes(
      3,
      host.map((name) => lengthPrefixed(Buffer.from(name).subarray(0, 255))),
    ),
    bytesUpTo(30),
  );
  const port = fc.oneof(fc.constantFrom(...DEFAULT_PORTS), fc.nat(65535)).map((to) => Buffer.of(to >> 8, to & 255));
  const greeting = fc.oneof(
    byteOf(0).map(() => Buffer.of(5, 1, 0)),
    bytes(5, bytesUpTo(255).map(lengthPrefixed)),
    bytesUpTo(8),
  );
  const request = bytes(mostlyByte(5), mostlyByte(1), mostlyByte(0), target, port);
  const conversation = fc.oneof(
    bytesUpTo(600),
    fc.tuple(greeting, request, bytesUpTo(20)).map((parts) => Buffer.concat(parts)),
  );
  const splitConversation = fc.tuple(
    conversation,
    fc.array(fc.nat(400), { maxLength: 4 }),
    fc.constantFrom('end', 'reset', 'stay'),
  );

  const startProxy = async () => {
    const dialled: TcpNetConnectOpts[] = [];
    const proxy = await openEgressProxy(
      { targets: 'public', ports: DEFAULT_PORTS, url: 'https://example.com/' },
      {
        limits: { totalConnections: Number.POSITIVE_INFINITY, openConnections: 1000, handshakeMs: 150, connectMs: 150 },
        lookup: async (name) => {
          if (name.length % 3 === 0) throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' });
          return [{ address: name.length % 3 === 1 ? PUBLIC : '10.0.0.1' }];
        },
        connect: (options) => {
          dialled.push(options);
          const socket = new Socket();
          setImmediate(() => socket.destroy(Object.assign(new Error('ECONNREFUSED'), { code: 'ECONNREFUSED' })));
          return socket;
        },
      },
    );
    return { proxy, dialled };
  };

  let clients = 0;
  /** Sends the parts and returns all bytes received. Each client has its own address, so that ports don't run out. */
  const exchange = async (to: number, parts: Uint8Array[], ending: string): Promise<Buffer> => {
    clients += 1;
    const localAddress = `127.${1 + (clients & 63)}.${(clients >> 6) & 255}.${1 + ((clients >> 14) & 127)}`;
    const socket = connect({ port: to, host: '127.0.0.1', localAddress, noDelay: true });
    const received: Buffer[] = [];
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (chunk) => received.push(chunk)).on('error', () => {});
    for (const part of parts) {
      socket.write(part);
      if (parts.length > 1) await new Promise(setImmediate);
    }
    if (ending === 'end') socket.end();
    if (ending === 'reset') socket.once('connect', () => setImmediate(() => socket.resetAndDestroy()));
    await closed;
    return Buffer.concat(received);
  };

  const split = (bytes: Uint8Array, at: number[]): Uint8Array[] => {
    const cuts = [...new Set([0, ...at.filter((cut) => cut < bytes.length), bytes.length])].sort((a, b) => a - b);
    return cuts.slice(1).map((cut, i) => bytes.subarray(cuts[i], cut));
  };

  test('no client input crashes or hangs the proxy, which dials public addresses only', async () => {
    const { proxy, dialled } = await startProxy();
    const lanes = Math.min(numRuns, 100); // run in parallel, so that stalled conversations share one timeout
    const property = fc.asyncProperty(
      fc.array(splitConversation, { minLength: lanes, maxLength: lanes }),
      async (inputs) => {
        const answers = await Promise.all(
          inputs.map(([bytes, at, ending]) => {
            const received = exchange(proxy.port, split(bytes, at), ending);
            return Promise.race([received, sleep(5000, 'hangs' as const, { ref: false })]);
          }),
        );
        for (const answer of answers) {
          expect(answer).not.toBe('hangs');
          // Nothing, a refused greeting, or an accepted greeting with an optional error reply. No dial succeeds here.
          expect((answer as Buffer).toString('hex')).toMatch(/^(|05ff|0500(05(0[1-9])0001000000000000)?)$/);
        }
        for (const { host: to = '', port: on } of dialled.splice(0)) {
          expect([isPrivate(to), DEFAULT_PORTS.includes(on)]).toEqual([false, true]);
        }
      },
    );
    await assertProperty(property, Math.ceil(numRuns / lanes));
    const conversation = Buffer.concat([Buffer.of(5, 1, 0, 5, 1, 0, 1, 8, 8, 8, 8, 0, 80)]);
    expect((await exchange(proxy.port, [conversation], 'stay')).toString('hex')).toBe('050005050001000000000000');
    await proxy.close();
  });

  test('slow, stalled and half-closed clients do not block others', async () => {
    const { proxy } = await startProxy();
    const sockets = Array.from({ length: 300 }, (_, i) => {
      const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
      const half = Buffer.of(5, 1, 0, 5, 1, 0, 3, 200, 97).subarray(0, i % 10);
      if (i % 3 === 0) socket.end(half);
      else socket.write(half);
      return socket;
    });
    const drip = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('a');
    }, 5);
    await Promise.all(sockets.map((socket) => (socket.connecting ? once(socket, 'connect') : undefined)));
    vi.useFakeTimers({ toFake: ['setTimeout'] }); // no timeout of a slow client helps the others
    for (let i = 0; i < 20; i++) {
      const answer = await exchange(proxy.port, [Buffer.of(5, 1, 0, 5, 1, 0, 1, 8, 8, 8, 8, 0, 80)], 'stay');
      expect(answer.toString('hex')).toBe('050005050001000000000000');
    }
    vi.useRealTimers();
    clearInterval(drip);
    for (const socket of sockets) socket.destroy();
    await proxy.close();
  });
});
