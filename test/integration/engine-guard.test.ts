import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTable } from '../../infra/local/dynamodb.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let Key: string;
beforeAll(async () => {
  world = await startWorld();
  const { run } = await world.finishedRun('{"secret":"report"}');
  Key = (await world.runOf(run.checkId)).report?.key as string;
});
afterAll(() => world.stop());

type Sent = { method: string; path: string; headers: Record<string, string>; body?: string };
const engines = ['DYNAMODB', 'S3', 'SQS'] as const;
type Engine = (typeof engines)[number];
const urlOf = (engine: Engine) => world.env[`AWS_ENDPOINT_URL_${engine}`] as string;
const bucket = () => ({ Bucket: world.env.REPORT_BUCKET as string });

/** Sends a request as it is: with any host, origin and signature. */
const send = async (engine: Engine, { method, path, headers, body }: Sent) => {
  const { port } = new URL(urlOf(engine));
  const asked = request({ host: '127.0.0.1', port, method, path, headers });
  asked.end(body);
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    asked.on('response', resolve).on('error', reject),
  );
  return { status: answer.statusCode, cors: answer.headers['access-control-allow-origin'], body: await text(answer) };
};
const refused = { status: 403, cors: undefined, body: expect.stringContaining('AccessDeniedException') };

const commandOf = (engine: Engine) => {
  if (engine === 'DYNAMODB') return new ScanCommand({ TableName: world.env.TABLE_NAME as string });
  return engine === 'S3' ? new ListObjectsV2Command(bucket()) : new ListQueuesCommand({});
};
const clients = { DYNAMODB: DynamoDBClient, S3: S3Client, SQS: SQSClient };

/** Returns the request that the SDK signs for a command, by default with the key of the engines. */
const signed = async (engine: Engine, settings: object = {}, command: object = commandOf(engine)): Promise<Sent> => {
  let sent: Sent | undefined;
  const requestHandler = {
    handle: async (made: Sent & { query: Record<string, string> }) => {
      const query = new URLSearchParams(made.query).toString();
      sent = { ...made, path: query ? `${made.path}?${query}` : made.path };
      throw new Error('recorded');
    },
  };
  const client = new clients[engine]({ endpoint: urlOf(engine), requestHandler, maxAttempts: 1, ...settings } as never);
  await (client as DynamoDBClient).send(command as never).catch(() => {});
  if (!sent) throw new Error('the SDK sent nothing');
  return sent;
};
const with_ = (sent: Sent, headers: Record<string, string>, more: Partial<Sent> = {}): Sent => ({
  ...sent,
  ...more,
  headers: { ...sent.headers, ...headers },
});

describe.each(engines)('the engine %s', (engine) => {
  test('answers a request that its own clients have signed', async () => {
    expect(await send(engine, await signed(engine))).toMatchObject({ status: 200, cors: undefined });
  });

  test('refuses a request without a signature, of another start, or with the key id alone', async () => {
    const { authorization: _, ...bare } = (await signed(engine)).headers;
    expect(await send(engine, { ...(await signed(engine)), headers: bare })).toEqual(refused);
    expect(await send(engine, { method: 'GET', path: '/', headers: {} })).toEqual(refused);
    expect(await send(engine, { method: 'OPTIONS', path: '/', headers: { origin: 'https://evil.example' } })).toEqual(
      refused,
    );
    const other = await startTable({});
    await other.close();
    const accessKeyId = world.env.AWS_ACCESS_KEY_ID as string;
    for (const credentials of [
      { accessKeyId, secretAccessKey: 'local' },
      { accessKeyId, secretAccessKey: other.env.AWS_SECRET_ACCESS_KEY },
      { accessKeyId: 'local', secretAccessKey: world.env.AWS_SECRET_ACCESS_KEY },
    ])
      expect(await send(engine, await signed(engine, { credentials }))).toEqual(refused);
  });

  test('refuses a signed request of a web page, and for another host', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-origin' },
    ] as Record<string, string>[])
      expect(await send(engine, with_(await signed(engine), headers)), JSON.stringify(headers)).toEqual(refused);
    const { port } = new URL(urlOf(engine));
    for (const name of ['rebound.example', 'localhost', '127.0.0.1.rebound.example'])
      expect(await send(engine, await signed(engine, { endpoint: `http://${name}:${port}` })), name).toEqual(refused);
  });

  test('refuses a signature for another service, of another day, and for another request', async () => {
    const sent = await signed(engine);
    const other = engine === 'SQS' ? 'DYNAMODB' : 'SQS';
    const old = new Date(Date.now() - 20 * 60_000);
    const { authorization = '' } = sent.headers;
    const changes: Record<string, Sent> = {
      'another service': await signed(other, { endpoint: urlOf(engine) }),
      'twenty minutes ago': await signed(engine, { systemClockOffset: old.getTime() - Date.now() }),
      'another method': { ...sent, method: 'PUT' },
      'another path': { ...sent, path: `/x${sent.path}` },
      'another query': { ...sent, path: `${sent.path}${sent.path.includes('?') ? '&' : '?'}delete` },
      'another header': with_(sent, { 'x-amz-content-sha256': createHash('sha256').update('x').digest('hex') }),
      'an unsigned header': with_(sent, { 'x-amz-more': 'x' }),
      'a longer scope': with_(sent, { authorization: authorization.replace('/aws4_request', '/aws4_request/x') }),
    };
    for (const [name, changed] of Object.entries(changes)) expect(await send(engine, changed), name).toEqual(refused);
  });
});

const presigned = async (command: object = new GetObjectCommand({ ...bucket(), Key }), settings: object = {}) => {
  const url = new URL(await getSignedUrl(new S3Client({}), command as never, { expiresIn: 60, ...settings }));
  return { method: 'GET', path: `${url.pathname}${url.search}`, headers: { host: url.host } };
};

test('a presigned URL lets pages of any origin read its object, and nothing else', async () => {
  const sent = await presigned();
  const page = { origin: 'null', 'sec-fetch-site': 'cross-site' };
  expect(await send('S3', with_(sent, page))).toMatchObject({ status: 200, cors: '*' });
  expect(await send('S3', sent)).toMatchObject({ status: 200 });

  const expired = { signingDate: new Date(Date.now() - 61_000) };
  const other = Key.replace(/.\.json/, (end) => `${end.startsWith('0') ? '1' : '0'}.json`);
  const changes: Record<string, Sent> = {
    'another object': { ...sent, path: sent.path.replace(Key, other) },
    'the bucket': { ...sent, path: sent.path.replace(`/${Key}`, '') },
    deletion: { ...sent, method: 'DELETE' },
    'a list': { ...sent, path: `${sent.path}&list-type=2` },
    'a longer time': { ...sent, path: sent.path.replace('X-Amz-Expires=60', 'X-Amz-Expires=600') },
    'an unsigned header': with_(sent, { 'x-amz-target': 'AmazonSQS.ListQueues' }),
    'a foreign host': with_(sent, { host: 'rebound.example' }),
    'an expired URL': await presigned(undefined, expired),
    'a presigned deletion': { ...(await presigned(new DeleteObjectCommand({ ...bucket(), Key }))), method: 'DELETE' },
  };
  for (const [name, changed] of Object.entries(changes))
    expect(await send('S3', with_(changed, page)), name).toEqual(refused);
  expect(await world.reports.exists(Key)).toBe(true);
});

test('the secret is in no URL that a client sees', async () => {
  const { path } = await presigned();
  expect(path).toContain(world.env.AWS_ACCESS_KEY_ID);
  expect(path).not.toContain(world.env.AWS_SECRET_ACCESS_KEY);
});
