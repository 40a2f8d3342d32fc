import { once } from 'node:events';
import { connect, Socket, type TcpNetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { openEgressProxy } from '../../../functions/auditor/egress/proxy.ts';
import { DEFAULT_PORTS } from '../../../shared/env.ts';
import { fuzzTimeoutMs, held, host, isPrivate, numRuns } from '../../support/fuzz.ts';

vi.setConfig({ testTimeout: fuzzTimeoutMs });

describe('the egress proxy', () => {
  const PUBLIC = '93.184.216.34';
  const bytes = (...parts: (number | fc.Arbitrary<Uint8Array>)[]) =>
    fc
      .tuple(...parts.map((part) => (typeof part === 'number' ? fc.constant(Uint8Array.of(part)) : part)))
      .map((all) => Buffer.concat(all));
  const any = (maxLength: number, minLength = 0) => fc.uint8Array({ minLength, maxLength });
  const one = (...values: number[]) => fc.constantFrom(...values).map((value) => Uint8Array.of(value));
  const mostly = (value: number) => fc.oneof({ weight: 9, arbitrary: one(value) }, { weight: 1, arbitrary: any(1, 1) });
  const lengthFirst = (name: Uint8Array) => Buffer.concat([Uint8Array.of(name.length), name]);
  const target = fc.oneof(
    bytes(1, any(4, 4)),
    bytes(4, any(16, 16)),
    bytes(3, any(255).map(lengthFirst)),
    bytes(
      3,
      host.map((name) => lengthFirst(Buffer.from(name).subarray(0, 255))),
    ),
    any(30),
  );
  const port = fc.oneof(fc.constantFrom(...DEFAULT_PORTS), fc.nat(65535)).map((to) => Buffer.of(to >> 8, to & 255));
  const greeting = fc.oneof(
    one(0).map(() => Buffer.of(5, 1, 0)),
    bytes(5, any(255).map(lengthFirst)),
    any(8),
  );
  const request = bytes(mostly(5), mostly(1), mostly(0), target, port);
  const conversation = fc.oneof(
    any(600),
    fc.tuple(greeting, request, any(20)).map((parts) => Buffer.concat(parts)),
  );
  const inParts = fc.tuple(
    conversation,
    fc.array(fc.nat(400), { maxLength: 4 }),
    fc.constantFrom('end', 'reset', 'stay'),
  );

  const proxyOf = async () => {
    const dialled: TcpNetConnectOpts[] = [];
    const proxy = await openEgressProxy(
      { targets: 'public', ports: DEFAULT_PORTS, url: 'https://example.com/' },
      {
        limits: { inAll: Number.POSITIVE_INFINITY, atOnce: 1000, handshakeMs: 150, connectMs: 150 },
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

  /** Says something to the proxy, and gives all that it said. Each client has an address of its own: ports are few. */
  let clients = 0;
  const say = async (to: number, parts: Uint8Array[], then: string): Promise<Buffer> => {
    clients += 1;
    const localAddress = `127.${1 + (clients & 63)}.${(clients >> 6) & 255}.${1 + ((clients >> 14) & 127)}`;
    const socket = connect({ port: to, host: '127.0.0.1', localAddress, noDelay: true });
    const said: Buffer[] = [];
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (chunk) => said.push(chunk)).on('error', () => {});
    for (const part of parts) {
      socket.write(part);
      if (parts.length > 1) await new Promise(setImmediate);
    }
    if (then === 'end') socket.end();
    if (then === 'reset') socket.once('connect', () => setImmediate(() => socket.resetAndDestroy()));
    await closed;
    return Buffer.concat(said);
  };

  const cut = (whole: Uint8Array, at: number[]): Uint8Array[] => {
    const places = [...new Set([0, ...at.filter((place) => place < whole.length), whole.length])].sort((a, b) => a - b);
    return places.slice(1).map((place, i) => whole.subarray(places[i], place));
  };

  test('nothing that a client says breaks it or hangs it, and nothing but public addresses is dialled', async () => {
    const { proxy, dialled } = await proxyOf();
    const lanes = Math.min(numRuns, 100); // beside each other: those that stall wait for the time-out together
    const property = fc.asyncProperty(fc.array(inParts, { minLength: lanes, maxLength: lanes }), async (inputs) => {
      const answers = await Promise.all(
        inputs.map(([whole, at, then]) => {
          const said = say(proxy.port, cut(whole, at), then);
          return Promise.race([said, sleep(5000, 'hangs' as const, { ref: false })]);
        }),
      );
      for (const answer of answers) {
        expect(answer).not.toBe('hangs');
        // Nothing; a greeting that is refused; one that is taken, and perhaps an answer. No dial succeeds here.
        expect((answer as Buffer).toString('hex')).toMatch(/^(|05ff|0500(05(0[1-9])0001000000000000)?)$/);
      }
      for (const { host: to = '', port: on } of dialled.splice(0)) {
        expect([isPrivate(to), DEFAULT_PORTS.includes(on)]).toEqual([false, true]);
      }
    });
    await held(property, Math.ceil(numRuns / lanes));
    const asked = Buffer.concat([Buffer.of(5, 1, 0, 5, 1, 0, 1, 8, 8, 8, 8, 0, 80)]);
    expect((await say(proxy.port, [asked], 'stay')).toString('hex')).toBe('050005050001000000000000'); // refused, as told
    await proxy.close();
  });

  test('clients that dawdle, stall or are half gone do not stop others', async () => {
    const { proxy } = await proxyOf();
    const halves = Array.from({ length: 300 }, (_, i) => {
      const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
      const half = Buffer.of(5, 1, 0, 5, 1, 0, 3, 200, 97).subarray(0, i % 10);
      if (i % 3 === 0) socket.end(half);
      else socket.write(half);
      return socket;
    });
    const dawdling = setInterval(() => {
      for (const socket of halves) if (socket.writable) socket.write('a');
    }, 5);
    await Promise.all(halves.map((socket) => (socket.connecting ? once(socket, 'connect') : undefined)));
    const startedAt = performance.now();
    for (let i = 0; i < 20; i++) {
      const answer = await say(proxy.port, [Buffer.of(5, 1, 0, 5, 1, 0, 1, 8, 8, 8, 8, 0, 80)], 'stay');
      expect(answer.toString('hex')).toBe('050005050001000000000000');
    }
    expect(performance.now() - startedAt).toBeLessThan(5000);
    clearInterval(dawdling);
    for (const socket of halves) socket.destroy();
    await proxy.close();
  });
});
