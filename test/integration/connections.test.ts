import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { ConnectionLimits } from '../../infra/local/connections.ts';
import type { Handler } from '../../infra/local/gateway.ts';
import { MAX_BODY_BYTES } from '../../shared/check.ts';
import { type Gateway, startHandlers } from '../support/gateway.ts';

let gateway: Gateway;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await gateway.close();
});

const start = async (handler: Handler, limits: ConnectionLimits = {}) => {
  gateway = await startHandlers(() => handler, { limits, graceMs: 100 });
};
const open = () => {
  const socket = connect(gateway.port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  return socket;
};
const closeOf = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
const textOf = async (socket: Socket) => Buffer.concat(await socket.toArray()).toString();
const get = (path = '/v1/regions', more = '') => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`;
const post = (bytes: number, more = '') =>
  `POST /v1/checks HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${bytes}\r\n${more}\r\n`;

/** A function that refuses by its headers alone, and counts its calls. */
const refusing = () => {
  const calls = { handled: 0 };
  const handler: Handler = () => {
    calls.handled += 1;
    return { statusCode: 200, body: 'ok' };
  };
  handler.admit = ({ headers }) => (headers.authorization ? undefined : { statusCode: 401, body: 'no key' });
  return { handler, calls };
};

test('a request that is refused by its headers is answered before its body arrives', async () => {
  const { handler, calls } = refusing();
  await start(handler);
  const socket = open();
  socket.write(post(10_000_000));
  expect(`${await once(socket, 'data')}`).toMatch(/^HTTP\/1.1 401 /);
  expect(calls.handled).toBe(0);
});

test('a client that sends its whole body first receives the refusal, and may use its connection again', async () => {
  const { handler } = refusing();
  await start(handler);
  const socket = open();
  socket.write(Buffer.concat([Buffer.from(post(3_000_000)), Buffer.alloc(3_000_000)]));
  socket.write(get('/v1/regions', 'connection: close\r\n'));
  expect((await textOf(socket)).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
});

test('a client that asks first sends its body only after it is admitted', async () => {
  const { handler, calls } = refusing();
  await start(handler, { discardMs: 50 });
  const refused = open();
  refused.write(post(5, 'expect: 100-continue\r\n'));
  expect(`${await once(refused, 'data')}`).toMatch(/^HTTP\/1.1 401 /);
  await closeOf(refused); // its body never comes
  const admitted = open();
  admitted.write(post(5, 'expect: 100-continue\r\nauthorization: any\r\nconnection: close\r\n'));
  expect(`${await once(admitted, 'data')}`).toMatch(/^HTTP\/1.1 100 Continue/);
  admitted.write('hello');
  expect(await textOf(admitted)).toMatch(/^HTTP\/1.1 200 /);
  expect(calls.handled).toBe(1);
});

test('a function has all of its time when a slow body has arrived', async () => {
  await start((_, context) => ({ statusCode: 200, body: `${context.getRemainingTimeInMillis()}` }));
  const socket = open();
  socket.write(post(5, 'connection: close\r\n'));
  await pause(1500);
  socket.write('hello');
  expect(Number((await textOf(socket)).split('\r\n\r\n')[1])).toBeGreaterThan(9000);
});

test('an endless body is answered while it arrives, and its connection is closed', async () => {
  await start(() => ({ statusCode: 413, body: 'too large' }), { discardMs: 300 });
  const socket = open();
  socket.write('POST /v1/checks HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n');
  const chunk = `${MAX_BODY_BYTES.toString(16)}\r\n${'x'.repeat(MAX_BODY_BYTES)}\r\n`;
  const more = setInterval(() => socket.writable && socket.write(chunk), 5);
  expect(`${await once(socket, 'data')}`).toMatch(/^HTTP\/1.1 413 /);
  await closeOf(socket);
  clearInterval(more);
});

test('a connection is served one request at a time, in order, and is closed if it sends many ahead', async () => {
  let running = 0;
  let most = 0;
  const paths: string[] = [];
  await start(async ({ rawPath }) => {
    running += 1;
    most = Math.max(most, running);
    paths.push(rawPath);
    await pause(5);
    running -= 1;
    return { statusCode: 200, body: rawPath };
  });
  const socket = open();
  socket.write(`${['/1', '/2', '/3'].map((path) => get(path)).join('')}${get('/4', 'connection: close\r\n')}`);
  expect((await textOf(socket)).match(/\/\d$|\/\d(?=HTTP)/g)).toEqual(['/1', '/2', '/3', '/4']);
  expect([most, paths]).toEqual([1, ['/1', '/2', '/3', '/4']]);
  const flood = open().resume();
  flood.write(get('/flood').repeat(30));
  await closeOf(flood);
  expect(paths.filter((path) => path === '/flood').length).toBeLessThanOrEqual(1);
});

test('a client that does not read its answer is disconnected', async () => {
  const body = 'x'.repeat(20_000_000); // more than the buffers of both sockets
  let signal: AbortSignal | undefined;
  const handler = (_: unknown, context: object) => {
    ({ signal } = context as { signal: AbortSignal }); // aborts with the connection
    return { statusCode: 200, body };
  };
  await start(handler, { answerMs: () => 100 });
  const socket = open().pause();
  socket.write(get());
  await expect.poll(() => signal?.aborted).toBe(true);
  socket.resume();
  await closeOf(socket);
  expect(socket.bytesRead).toBeLessThan(body.length);
});

test('the number of connections is limited, and a closed one makes room', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  await start(() => ({ statusCode: 200, body: 'ok' }), { maxConnections: 3 });
  const first = open();
  await Promise.all([first, open(), open()].map((socket) => once(socket, 'connect')));
  for (const further of [open(), open()]) expect(await textOf(further)).toBe('');
  expect(error.mock.calls).toEqual([['The API has 3 connections, its limit. It closes further ones.']]);
  error.mockRestore();
  first.destroy();
  const status = () =>
    fetch(`${gateway.url}/v1/regions`).then(
      (answer) => answer.status,
      () => 0,
    );
  await expect.poll(status).toBe(200);
});
