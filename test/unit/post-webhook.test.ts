import { connect, type TcpNetConnectOpts } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { postWebhook, webhookRefusal } from '../../functions/lib/webhooks/post-webhook.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const local = { targets: 'local' as const, ports: [80, 443, 8080, 8443] };
const publicOnly = { ...local, targets: 'public' as const };
const receivers: Receiver[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
});
const receiverOf = async (answer?: Parameters<typeof startReceiver>[0]): Promise<Receiver> => {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  return receiver;
};
const post = (url: string, options: Partial<Parameters<typeof postWebhook>[0]> = {}) =>
  postWebhook({ targets: local, timeoutMs: 300, ...options })(url, { 'webhook-id': 'x' }, '{"a":1}');

test('a post sends its headers and its body once, and keeps the start of the answer', async () => {
  const receiver = await receiverOf((response) => response.writeHead(201).end('thanks\n'.repeat(1000)));
  const answer = await post(receiver.url);
  expect(answer).toMatchObject({ status: 201, response: expect.stringMatching(/^thanks thanks .*…$/) });
  expect((answer as { response: string }).response).toHaveLength(500);
  expect(receiver.received).toMatchObject([{ body: '{"a":1}', path: '/hooks', headers: { 'webhook-id': 'x' } }]);
});

test('a redirect is not followed', async () => {
  const [target, receiver] = [await receiverOf(), await receiverOf()];
  receiver.answer((response) => response.writeHead(302, { location: target.url }).end());
  expect(await post(receiver.url)).toMatchObject({ status: 302 });
  expect(target.received).toEqual([]);
});

test.each<[string, Parameters<Receiver['answer']>[0]]>([
  ['before it answers', () => {}],
  ['in the headers', (response) => void response.socket?.write('HTTP/1.1 200 OK\r\nx: ')],
])('a receiver that hangs %s fails after the time limit', async (_, answer) => {
  const { url } = await receiverOf(answer);
  expect(await post(url)).toEqual({ status: null, error: 'The receiver did not answer within 0.3 s.' });
});

test.each([
  ['an answer 101', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', { status: 101 }],
  [
    'interim answers without an end',
    'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100),
    { status: null, error: 'The receiver sends interim answers without an end.' },
  ],
])('%s ends the try at once', async (_, bytes, expected) => {
  const { url } = await receiverOf((response) => void response.socket?.write(bytes));
  expect(await post(url)).toMatchObject(expected);
});

test('the status counts although the body of the answer never ends', async () => {
  const { url } = await receiverOf((response) => void response.writeHead(200).write('so far'));
  expect(await post(url)).toMatchObject({ status: 200, response: 'so far' });
  const endless = await receiverOf((response) => {
    const more = () => response.destroyed || response.write('x'.repeat(65_536), more);
    more();
  });
  expect(await post(endless.url)).toMatchObject({ status: 200, response: expect.stringMatching(/^x+…$/) });
});

test('the kept answer has no secret, no control character and no bytes of a picture', async () => {
  const { url } = await receiverOf((response) =>
    response.writeHead(500).end('\u001b[31mtoken=abcdef0123456789 whsec_c2VjcmV0c2VjcmV0'),
  );
  const { response } = (await post(url)) as { response: string };
  expect(response).not.toMatch(/abcdef|c2Vjcm|\p{Cc}/u);
  const packed = await receiverOf((answer) => answer.writeHead(500, { 'content-encoding': 'gzip' }).end('packed'));
  expect(await post(packed.url)).toMatchObject({ status: 500, response: null });
  const picture = await receiverOf((answer) => answer.writeHead(500, { 'content-type': 'image/png' }).end('\x89PNG'));
  expect(await post(picture.url)).toMatchObject({ status: 500, response: null });
});

test.each([
  ['7', 7000],
  ['Fri, 01 Jan 2100 00:00:00 GMT', expect.any(Number)],
  ['-1', null],
  ['soon', null],
])('reads Retry-After: %s', async (value, expected) => {
  const { url } = await receiverOf((response) => response.writeHead(503, { 'retry-after': value }).end());
  expect(await post(url)).toMatchObject({ status: 503, retryAfterMs: expected });
});

test('a closed port and an unknown name are failures with a reason', async () => {
  const { url, stop } = await startReceiver();
  await stop();
  expect(await post(url)).toEqual({ status: null, error: 'The connection failed (ECONNREFUSED).' });
  const lookup = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
  const unknown = await post('https://hooks.example.org/', { lookup });
  expect(unknown).toEqual({ status: null, error: 'The host name does not resolve to an address.' });
});

test.each([
  ['a private address', 'https://hooks.example.org/', ['93.184.216.34', '10.0.0.1']],
  ['loopback', 'https://hooks.example.org/', ['127.0.0.1']],
  ['the metadata address', 'https://hooks.example.org/', ['169.254.169.254']],
])('a name that resolves to %s is not dialled', async (_, url, addresses) => {
  const dialled: TcpNetConnectOpts[] = [];
  const options = {
    targets: publicOnly,
    lookup: async () => addresses.map((address) => ({ address })),
    connect: (to: TcpNetConnectOpts) => {
      dialled.push(to);
      return connect(to);
    },
  };
  expect(await post(url, options)).toEqual({ status: null, error: 'The host resolves to a non-public address.' });
  expect(dialled).toEqual([]);
});

test.each([
  ['without TLS', 'http://hooks.example.org/', 'The URL of a webhook must start with https://.'],
  ['at a port that is no longer allowed', 'https://hooks.example.org:9000/', expect.stringContaining('9000')],
])('a URL %s, which an earlier policy has accepted, is not dialled', async (_, url, error) => {
  const dialled: unknown[] = [];
  const options = {
    targets: publicOnly,
    lookup: async () => [{ address: '93.184.216.34' }],
    connect: (to: TcpNetConnectOpts) => {
      dialled.push(to);
      return connect(to);
    },
  };
  expect(await post(url, options)).toEqual({ status: null, error });
  expect(dialled).toEqual([]);
});

test('a name is dialled at the address that was checked, and its certificate must be valid for the name', async () => {
  const { url } = await receiverOf(); // speaks no TLS
  const dialled: unknown[] = [];
  const answer = await post('https://hooks.example.org/', {
    lookup: async () => [{ address: '93.184.216.34' }],
    connect: ({ host, port }: { host?: string; port?: number }) => {
      dialled.push([host, port]);
      return connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
    },
  });
  expect(answer).toMatchObject({ status: null, error: expect.stringMatching(/^The (TLS )?connection failed/) });
  expect(dialled).toEqual([['93.184.216.34', 443]]);
});

test('on AWS a webhook needs https and a public host, on one machine it may be on loopback', () => {
  expect(webhookRefusal('https://example.com/hooks', publicOnly)).toBeUndefined();
  for (const url of ['http://example.com/', 'http://127.0.0.1:3000/', 'https://localhost/', 'https://10.1.2.3/'])
    expect(webhookRefusal(url, publicOnly), url).toBeDefined();
  expect(webhookRefusal('http://127.0.0.1:3000/', local)).toBeUndefined();
  expect(webhookRefusal('http://example.com/', local)).toBeDefined();
  expect(webhookRefusal('http://127.0.0.1:3000/', { ...local, ownPorts: [3000] })).toBeDefined();
});
