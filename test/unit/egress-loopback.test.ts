import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openEgressProxy } from '../../functions/auditor/egress/proxy.ts';
import { reservePort } from '../../functions/lib/targets/audit-ports.ts';
import { targetPolicy } from '../../functions/lib/targets/public-addresses.ts';
import { AuditEnv } from '../../shared/service/env.ts';
import { asText, cleanUp, cleanUps, dialsTo, open, origin, request } from '../support/egress.ts';
import { ipv6Loopback } from '../support/hostile-server.ts';

afterEach(cleanUp);

const local = { targets: 'local', url: 'http://LocalHost:3000/' } as const;
const noLookup = () => expect.unreachable('looked up a loopback name');

test('a check on loopback reaches every loopback host and port, without a lookup', async () => {
  const { dialled, connect } = dialsTo(await origin());
  const proxy = await open({ policy: local, connect, lookup: noLookup });
  for (const [host, port] of [
    ['localhost', 3000],
    ['LOCALHOST.', 8000],
    ['shop.localhost', 5432],
    ['127.0.0.1', 80],
    ['127.8.8.8', 443],
    ['::1', 3000],
  ] as const) {
    expect((await request(proxy, host, port)).code, host).toBe(0);
  }
  expect(dialled.map(({ host }) => host)).toEqual(['::1', '::1', '::1', '127.0.0.1', '127.8.8.8', '::1']);
});

test('a check on loopback reaches nothing private, no port that browsers refuse, and public hosts on public ports only', async () => {
  const proxy = await open({ policy: local, connect: dialsTo(await origin()).connect });
  const reasonOf = async (host: string, port: number) => {
    expect((await request(proxy, host, port)).code, host).toBe(2);
    return proxy.lastDecision(host, port)?.reason;
  };
  expect(await reasonOf('10.0.0.1', 3000)).toMatch(/^The host must be a public name/);
  expect(await reasonOf('0.0.0.0', 3000)).toMatch(/^The host must be a public name/);
  expect(await reasonOf('127.0.0.1', 9)).toBe('Browsers refuse to open port 9. Use another port.');
  expect(await reasonOf('example.com', 3000)).toMatch(/^Port 3000 is not accepted/);
  expect((await request(proxy, 'example.com', 443)).code).toBe(0);
});

test("the service's own engines are closed to a check on loopback, in every spelling", async () => {
  const env = AuditEnv.parse({
    TABLE_NAME: 't',
    HOME_REGION: 'r',
    REPORT_BUCKET: 'b',
    DELIVERY_QUEUE: 'http://q',
    TARGETS: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:4001',
    AWS_ENDPOINT_URL_S3: 'http://localhost:4002/path',
    AWS_ENDPOINT_URL_SQS: 'http://[::1]:4003',
  });
  expect(targetPolicy(env).ownPorts).toEqual([4001, 4002, 4003]);
  const elsewhere = { ...env, AWS_ENDPOINT_URL_S3: 'https://s3.example.com:4002', AWS_ENDPOINT_URL_SQS: '' };
  expect(targetPolicy(elsewhere).ownPorts).toEqual([4001]);

  const proxy = await open({ policy: { ...targetPolicy(env), url: local.url } });
  for (const host of ['127.0.0.1', 'localhost', 'a.localhost', '::1', '127.0.0.2'])
    for (const port of [4001, 4002, 4003]) expect((await request(proxy, host, port)).code, host).toBe(2);
  expect(proxy.lastDecision('127.0.0.1', 4002)?.reason).toMatch(/^Port 4002 belongs to this service itself/);
});

test('the proxies and the debugging ports of all audits are closed to pages while they are open', async () => {
  const { connect } = dialsTo(await origin());
  const [own, other] = [await open({ policy: local, connect }), await open({ policy: local, connect })];
  const debugging = await reservePort();
  for (const { port } of [own, other, debugging]) expect((await request(own, '127.0.0.1', port)).code).toBe(2);
  await other.close();
  debugging.release();
  for (const { port } of [other, debugging]) expect((await request(own, '127.0.0.1', port)).code).toBe(0);
});

test('a reserved port is free for a browser', async () => {
  const { port, release } = await reservePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  release();
});

test.each(['127.0.0.1', ipv6Loopback()])('localhost reaches a server that listens on %s alone', async (address) => {
  const server = createServer((socket) => socket.pipe(socket));
  await once(server.listen(0, address), 'listening');
  const { port } = server.address() as { port: number };
  const proxy = await openEgressProxy({ targets: 'local', ports: [], url: `http://shop.localhost:${port}/` });
  cleanUps.push(
    () => server.close(),
    () => proxy.close(),
  );
  for (const host of ['localhost', 'shop.localhost']) {
    const { code, body } = await request(proxy, host, port, 1, 'hello');
    expect(code).toBe(0);
    await expect.poll(() => asText(body())).toBe('hello');
  }
});
