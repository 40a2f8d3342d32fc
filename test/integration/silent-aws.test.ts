import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { replaceClientSettings } from '../../functions/lib/aws-client.ts';
import { type Gateway, startFunctions } from '../support/gateway.ts';
import { problemOf } from '../support/problem.ts';
import { serveOnHttp } from '../support/services-on-http.ts';
import { startWorld, type World } from '../support/world.ts';

/** Timeout of the functions, in seconds. It is less than the SDK's timeout of one try. */
const TIMEOUT_SECONDS = 2;

/** A service that accepts connections and never answers. */
const sockets = new Set<Socket>();
let connections = 0;
const silent = createServer((socket) => {
  connections++;
  sockets.add(socket);
  socket
    .resume()
    .on('error', () => {})
    .on('close', () => sockets.delete(socket));
});

let world: World;
let url: string;
let http: Awaited<ReturnType<typeof serveOnHttp>>;
let api: Gateway;
beforeAll(async () => {
  world = await startWorld();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  http = await serveOnHttp(world.aws);
  replaceClientSettings(undefined); // the functions use the network, as on AWS
  Object.assign(process.env, http.env, {
    AUDIT_QUEUES: world.env.AUDIT_QUEUES?.replaceAll('http://in-process', url),
  });
  api = await startFunctions({ timeoutSeconds: TIMEOUT_SECONDS });
});
afterAll(async () => {
  await api.close();
  await http.close();
  silent.close();
  for (const socket of sockets) socket.destroy();
  await world.stop();
});

const create = () =>
  fetch(`${api.url}/v1/checks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com/', auditVersion: '13', regions: ['us-west1', 'us-east4'] }),
  });
const callsEnd = () => expect.poll(() => sockets.size).toBe(0);

test('a create answers 201 in time while SQS does not answer, and the sweeper sends its jobs', async () => {
  const answer = await create();
  expect(answer.status).toBe(201);
  const { id } = (await answer.json()) as { id: string };
  expect(connections).toBeGreaterThan(0);
  await callsEnd();
  expect((await world.find(id)).runs).toMatchObject([
    { state: 'created', sends: 0, dueAt: expect.any(String) },
    { state: 'created', sends: 0, dueAt: expect.any(String) },
  ]);
});

test('every request answers 503 in time while DynamoDB does not answer, and leaves no call behind', async () => {
  process.env.AWS_ENDPOINT_URL = url;
  vi.resetModules(); // new clients read the new endpoint
  await api.close();
  api = await startFunctions({ timeoutSeconds: TIMEOUT_SECONDS });
  const check = `${api.url}/v1/checks/${randomUUID()}`;
  const answers = await Promise.all([
    create(),
    fetch(check),
    fetch(`${check}/runs/${randomUUID()}/report`),
    fetch(check, { method: 'DELETE' }),
  ]);
  await callsEnd();
  for (const answer of answers) {
    expect(answer.headers.get('retry-after')).toBe('5');
    const { detail } = await problemOf(answer, 503, 'unavailable');
    expect(detail).toBe('A part of the service did not respond. Retry in 5 seconds.');
  }
});
