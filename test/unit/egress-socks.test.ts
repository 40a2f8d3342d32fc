import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  asText,
  cleanUp,
  dialsTo,
  GREETING,
  MIB,
  nameBytes,
  open,
  origin,
  REPLY_BYTES,
  raw,
  request,
  requestFor,
} from '../support/egress.ts';

afterEach(cleanUp);

describe('the handshake', () => {
  test.each([
    ['another command', requestFor(nameBytes('a.example.com'), 80, 2), 7],
    ['UDP', requestFor(nameBytes('a.example.com'), 80, 3), 7],
    ['an unknown address type', requestFor(Buffer.of(9, 1, 2, 3), 80), 8],
  ])('%s gets its reply code although more data follows', async (_, request, code) => {
    const client = await raw(await open());
    vi.useFakeTimers({ toFake: ['setTimeout'] }); // the linger timeout never elapses
    client.socket.end(Buffer.concat([GREETING, request, Buffer.alloc(16 * MIB)]));
    await client.closed;
    expect([...client.state.received]).toEqual([5, 0, 5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
  });

  test.each([
    ['only a password', [5, 1, 2]],
    ['nothing', [5, 0]],
  ])('a client that offers %s gets the reply that no method is acceptable', async (_, greeting) => {
    const client = await raw(await open());
    client.socket.end(Buffer.from(greeting));
    await client.closed;
    expect([...client.state.received]).toEqual([5, 0xff]);
  });

  test('a client may offer several methods and send byte by byte', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect });
    const client = await raw(proxy);
    client.socket.setNoDelay(true);
    for (const byte of [5, 3, 1, 2, 0, ...requestFor(nameBytes('a.example.com'), 443), ...Buffer.from('hi')]) {
      client.socket.write(Buffer.of(byte));
      await sleep(1);
    }
    await expect.poll(() => asText(client.state.received.subarray(REPLY_BYTES))).toBe('hi');
    expect(proxy.decisions).toMatchObject([{ host: 'a.example.com', port: 443, outcome: 'allowed' }]);
  });

  test.each([
    ['HTTP', Buffer.from('GET http://10.0.0.1/ HTTP/1.1\r\n\r\n')],
    ['SOCKS4', Buffer.from([4, 1, 0, 80, 10, 0, 0, 1, 0])],
    ['another version in the request', Buffer.concat([GREETING, Buffer.of(4, 1, 0, 3, 0, 0, 0)])],
  ])('%s closes the connection', async (_, garbage) => {
    const proxy = await open();
    const client = await raw(proxy, false);
    client.socket.write(garbage);
    await client.closed;
    expect(client.state.received.length).toBeLessThanOrEqual(2);
    expect(proxy.decisions).toEqual([]);
  });

  test.each([[GREETING.subarray(0, 1)], [GREETING], [Buffer.concat([GREETING, Buffer.of(5, 1, 0, 3, 20, 97)])]])(
    'a client that ends after %j is closed at once',
    async (half) => {
      const client = await raw(await open());
      client.socket.end(half);
      await client.closed;
    },
  );

  test('a half handshake delays no other client', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect });
    for (const half of ['05', '0502', '05010005', '05010005010003ff61']) {
      (await raw(proxy)).socket.write(Buffer.from(half, 'hex'));
    }
    await sleep(10);
    expect((await request(proxy, 'a.example.com')).code).toBe(0);
  });

  test('a handshake times out', async () => {
    const proxy = await open({ limits: { handshakeMs: 40 } });
    const client = await raw(proxy, false);
    client.socket.write(GREETING);
    await client.closed;
  });

  test('the handshake timeout does not limit the connection', async () => {
    const proxy = await open({ limits: { handshakeMs: 40, connectMs: 40 }, connect: dialsTo(await origin()).connect });
    const { socket, body } = await request(proxy, 'a.example.com');
    await sleep(80);
    socket.write('still here');
    await expect.poll(() => asText(body())).toBe('still here');
  });
});
