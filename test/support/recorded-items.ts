import { readFileSync } from 'node:fs';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { createCheck } from '../../functions/create-check.ts';
import type { Key } from '../../functions/lib/store/dynamodb.ts';
import { formats } from '../../functions/lib/store/format.ts';
import { finishRun } from './finished-checks.ts';
import type { World } from './world.ts';

/** Items and messages of a format, as the table and the queues have them. Bytes are in base64. */
export type Recorded = { items: (Key & Record<string, unknown>)[]; messages: string[] };

export const fileOf = (format: number): string => `test/recorded/items/${format}.json`;
export const recordedOf = (format: number): Recorded => JSON.parse(readFileSync(fileOf(format), 'utf8'));
/** The formats that this release reads. */
export const readFormats = Array.from({ length: formats.newest - formats.oldest + 1 }, (_, i) => formats.oldest + i);

const url = 'https://example.com/';
/** The recorded checks never expire while the tests run. */
export const recordedAt = new Date('2131-01-01T00:00:00.000Z');

/** Lets the service write an item of each kind that checks, keys, webhooks and links need. Leaves a job in a queue. */
export const writeItems = async (world: World): Promise<void> => {
  const now = () => recordedAt;
  const targets = { targets: 'public' as const, ports: [443] };
  const create = createCheck({ ...world, targets, retentionDays: 90, trendDays: 400, now });
  const post = async (inputs: object) => {
    const body = { url, auditVersion: 'latest', labels: { branch: 'main' }, ...inputs };
    const request = { owner: 'acme', plan: 'large' as const, requestId: 'request-1', method: 'POST', path: '/', body };
    const { body: created } = await create({ ...request, params: {}, query: {}, headers: {}, host: 'localhost' });
    return world.find((created as { id: string }).id);
  };
  await world.newKey({}, recordedAt);
  await world.webhooks.create(
    { id: crypto.randomUUID(), owner: 'acme', url, events: ['check.completed'] },
    10,
    recordedAt,
  );
  const { runs } = await post({ regions: ['us-west1', 'us-east4'], assertions: { 'categories:seo': 'warn' } });
  const [succeeds, fails] = runs as [(typeof runs)[number], (typeof runs)[number]];
  await finishRun(world, succeeds, { lcps: [633.4, 640] });
  await finishRun(world, fails, { failed: 'http-error' });
  await world.regions.recordSuccess('us-west1', recordedAt);
  const running = await post({ regions: ['us-west1'] });
  await world.claim(running.runs[0] as (typeof runs)[number], recordedAt);
  await post({ regions: ['us-west1'] });
};

/** Returns all items of the table, and the messages of the queue of jobs. */
export const stored = async ({ db, sqs, urls }: World): Promise<Recorded> => {
  const { Items = [] } = await db.client.send(new ScanCommand({ TableName: db.table }));
  const receive = new ReceiveMessageCommand({ QueueUrl: urls['us-west1'], MaxNumberOfMessages: 10 });
  const { Messages = [] } = await sqs.send(receive);
  const textOf = (item: object) =>
    JSON.stringify(item, (_, value) =>
      value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
    );
  const items = Items.map((item) => JSON.parse(textOf(item)));
  return { items, messages: Messages.map(({ Body = '' }) => Body) };
};

/** Puts recorded items into the table. */
export const putItems = async ({ db }: World, { items }: Recorded): Promise<void> => {
  for (const item of items) await db.client.send(new PutCommand({ TableName: db.table, Item: withBytes(item) }));
};
/** Returns a recorded item with its bytes. */
export const withBytes = (item: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      const { base64 } = (value ?? {}) as { base64?: string };
      return [name, base64 === undefined ? value : Buffer.from(base64, 'base64')];
    }),
  );

/** Returns the kinds of items with their attributes and the types of these, and the fields of messages. */
export const shapeOf = ({ items, messages }: Recorded): string[] => {
  const kindOf = ({ pk, sk }: Key) => `${pk.split('#')[0]} ${sk.split('#')[0]?.replace(/^[0-9a-f-]{36,}$|^\d+$/, '…')}`;
  const fields = items.flatMap((item) =>
    Object.entries(item).map(
      ([name, value]) => `${kindOf(item)}: ${name} is ${Array.isArray(value) ? 'a list' : typeof value}`,
    ),
  );
  const ofMessages = messages.flatMap((message) => Object.keys(JSON.parse(message)).map((name) => `message: ${name}`));
  return [...new Set([...fields, ...ofMessages])].sort();
};
