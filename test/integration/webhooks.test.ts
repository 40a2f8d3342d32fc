import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { validSecrets, type WebhookItem } from '../../functions/lib/store/webhooks.ts';
import type { ApiKey } from '../../shared/service/keys.ts';
import type { CreatedWebhook, Delivery } from '../../shared/webhooks.ts';
import { startDeliveryPoller } from '../support/delivery-poller.ts';
import { fetchDocumented } from '../support/documented.ts';
import { type Gateway, startFunctions } from '../support/gateway.ts';
import { problemOf } from '../support/problem.ts';
import { type Receiver, startReceiver, verified } from '../support/receiver.ts';
import { waitFor } from '../support/service.ts';
import { aCheck, later, startWorld, type World } from '../support/world.ts';

let world: World;
let api: Gateway;
let poller: Awaited<ReturnType<typeof startDeliveryPoller>>;
const receivers: Receiver[] = [];
beforeAll(async () => {
  world = await startWorld({ AUTH: 'keys', TARGETS: 'local' });
  api = await startFunctions();
  poller = await startDeliveryPoller(world);
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
});
afterAll(async () => {
  await poller.stop(2000);
  await api.close();
  await world.stop();
});

type Caller = { owner: string; headers: Record<string, string> };
/** Returns an owner with a key, so that the webhooks of tests don't mix. */
const anOwner = async (fields: Partial<ApiKey> = {}): Promise<Caller> => {
  const owner = fields.owner ?? `o-${randomUUID()}`;
  const { text } = await world.newKey({ owner, ...fields });
  return { owner, headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' } };
};
const receiverOf = async (answer?: Parameters<typeof startReceiver>[0]): Promise<Receiver> => {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  return receiver;
};
const call = (path: string, { headers }: Caller, method = 'GET', body?: unknown) =>
  fetchDocumented(`${api.url}/v1/webhooks${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const events = ['check.completed'];
const hook = async (caller: Caller, url: string): Promise<CreatedWebhook> => {
  const answer = await call('', caller, 'POST', { url, events });
  expect(answer.status).toBe(201);
  return (await answer.json()) as CreatedWebhook;
};
const deliveriesOf = async (caller: Caller, id: string): Promise<Delivery[]> =>
  ((await (await call(`/${id}/deliveries`, caller)).json()) as { deliveries: Delivery[] }).deliveries;
/** Returns the deliveries of a webhook when none is pending. */
const settled = (caller: Caller, id: string, count: number) =>
  waitFor(async () => {
    const all = await deliveriesOf(caller, id);
    return all.length === count && all.every(({ state }) => state !== 'pending') ? all : undefined;
  });
/** Creates a check of an owner and finishes its runs. */
const finishedCheck = async ({ owner }: Caller) => {
  const check = aCheck();
  const runs = await world.create(check, { owner });
  for (const run of runs) await world.finish(run);
  return check;
};

test('a webhook of Slack receives a message for people instead of the event', async () => {
  const [owner, receiver] = [await anOwner(), await receiverOf()];
  const answer = await call('', owner, 'POST', { url: receiver.url, events, format: 'slack' });
  const webhook = (await answer.json()) as CreatedWebhook;
  expect(webhook.format).toBe('slack');
  const check = await finishedCheck(owner);
  await settled(owner, webhook.id, 1);
  const body = JSON.parse(receiver.received[0]?.body ?? '');
  expect(body.text).toContain(`${check.url}: the check is finished`);
  expect(body.data).toBeUndefined();
  const problem = await problemOf(
    await call('', owner, 'POST', { url: receiver.url, events, format: 'irc' }),
    400,
    'invalid-request',
  );
  expect(problem.errors).toEqual([
    expect.objectContaining({ path: 'format', message: 'The format must be one of: standard, slack, teams, discord.' }),
  ]);
});

test('a webhook receives each finished check once, signed, as the list of checks shows it', async () => {
  const [owner, receiver] = [await anOwner(), await receiverOf()];
  const webhook = await hook(owner, receiver.url);
  const check = await finishedCheck(owner);
  const [delivery] = await settled(owner, webhook.id, 1);
  expect(receiver.received).toHaveLength(1);
  const [received] = receiver.received as [Receiver['received'][number]];
  const payload = verified(webhook.secret, received);
  const list = await fetchDocumented(`${api.url}/v1/checks`, { headers: owner.headers });
  expect(payload).toEqual({
    type: 'check.completed',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: ((await list.json()) as { checks: unknown[] }).checks[0],
  });
  expect(payload.data).toMatchObject({ id: check.id, state: 'succeeded' });
  expect(received.headers).toMatchObject({ 'webhook-id': delivery?.id, 'content-type': 'application/json' });
  expect(delivery).toMatchObject({ state: 'succeeded', checkId: check.id, tries: 1, nextTryAt: null });
  expect(delivery?.lastTry).toMatchObject({ status: 204, error: null });
});

test('only the create and a rotation show a secret, and after a rotation both secrets sign', async () => {
  const [owner, receiver] = [await anOwner(), await receiverOf()];
  const webhook = await hook(owner, receiver.url);
  const rotated = (await (await call(`/${webhook.id}/rotate`, owner, 'POST')).json()) as CreatedWebhook;
  expect(rotated.secret).not.toBe(webhook.secret);
  expect((await call(`/${webhook.id}/test`, owner, 'POST')).status).toBe(202);
  const [delivery] = await settled(owner, webhook.id, 1);
  const [received] = receiver.received as [Receiver['received'][number]];
  for (const { secret } of [webhook, rotated])
    expect(verified(secret, received)).toMatchObject({ type: 'webhook.test', data: { webhookId: webhook.id } });
  expect(delivery).toMatchObject({ event: 'webhook.test', checkId: null, state: 'succeeded' });
  for (const path of ['', `/${webhook.id}`, `/${webhook.id}/deliveries`]) {
    const text = await (await call(path, owner)).text();
    for (const { secret } of [webhook, rotated]) expect(text).not.toContain(secret.slice('whsec_'.length));
  }
});

test('an earlier secret signs for a day from its own rotation, and many rotations leave eight secrets', async () => {
  const { owner } = await anOwner();
  const [id, t0] = [randomUUID(), new Date('2026-11-01T00:00:00.000Z')];
  await world.webhooks.create({ id, owner, url: 'https://example.com/', events }, 5, t0);
  const find = async () => (await world.webhooks.find(owner, id)) as WebhookItem;
  const rotate = async (minutes: number) => world.webhooks.rotate(await find(), later(t0, minutes * 60));
  const { earlierUntil } = (await rotate(0)) as { earlierUntil: string };
  await rotate(60);
  expect((await find()).secrets.map(({ until }) => until)).toEqual([
    null,
    later(t0, 25 * 3600).toISOString(),
    earlierUntil,
  ]);
  expect(validSecrets(await find(), later(t0, 24 * 3600))).toHaveLength(2);
  for (let minute = 61; minute < 80; minute++) await rotate(minute);
  expect((await find()).secrets).toHaveLength(8);
});

test('an owner has five webhooks at most, also when many are created at once, and a deleted one leaves its place', async () => {
  const owner = await anOwner();
  const create = () => call('', owner, 'POST', { url: 'https://example.com/hooks', events });
  const answers = await Promise.all(Array.from({ length: 8 }, create));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 429, 429, 429]);
  const { webhooks } = (await (await call('', owner)).json()) as { webhooks: { id: string }[] };
  expect(webhooks).toHaveLength(5);
  expect((await call(`/${webhooks[2]?.id}`, owner, 'DELETE')).status).toBe(204);
  await problemOf(await call(`/${webhooks[2]?.id}`, owner), 404, 'not-found');
  expect((await create()).status).toBe(201);
});

test('another owner sees no webhook and no delivery, and a key without the scope is refused', async () => {
  const [owner, other] = [await anOwner(), await anOwner()];
  const webhook = await hook(owner, 'https://example.com/hooks');
  for (const [path, method] of [
    ['', 'GET'],
    ['', 'DELETE'],
    ['/rotate', 'POST'],
    ['/test', 'POST'],
    ['/deliveries', 'GET'],
    [`/deliveries/${randomUUID()}/redeliver`, 'POST'],
  ] as const)
    await problemOf(await call(`/${webhook.id}${path}`, other, method), 404, 'not-found');
  expect(await (await call('', other)).json()).toEqual({ webhooks: [] });
  const reader = await anOwner({ owner: owner.owner, scopes: ['checks:read', 'checks:write'] });
  await problemOf(await call('', reader), 403, 'forbidden');
});

test.each([
  ['http://example.com/hooks', 'invalid-request'],
  ['ftp://example.com/', 'invalid-request'],
  ['https://me:secret@example.com/', 'invalid-request'],
  ['https://10.0.0.1/', 'forbidden-target'],
  ['https://[::ffff:169.254.169.254]/', 'forbidden-target'],
  ['https://intranet/', 'forbidden-target'],
  ['https://example.com:22/', 'forbidden-target'],
] as const)('a webhook can not have the URL %s', async (url, code) => {
  const problem = await problemOf(await call('', await anOwner(), 'POST', { url, events }), 400, code);
  expect(problem.errors).toEqual([{ path: 'url', message: expect.any(String) }]);
});

test('a create without events, or with an unknown one, says what is accepted', async () => {
  const url = 'https://example.com/';
  for (const body of [
    { url },
    { url, events: [] },
    { url, events: ['check.created'] },
    { url, events, secret: 'x' },
    { url, events: [...events, ...events] },
  ])
    await problemOf(await call('', await anOwner(), 'POST', body), 400, 'invalid-request');
});

test('a redelivery has the id of the delivery, and enables a webhook that answered 410', async () => {
  const [owner, receiver] = [await anOwner(), await receiverOf(410)];
  const webhook = await hook(owner, receiver.url);
  await finishedCheck(owner);
  const [gone] = await settled(owner, webhook.id, 1);
  expect(gone).toMatchObject({ state: 'failed', tries: 1, lastTry: { status: 410, response: 'seen' } });
  const shown = async () => (await call(`/${webhook.id}`, owner)).json();
  await waitFor(async () => ((await shown()) as { disabledAt: string | null }).disabledAt ?? undefined);
  expect(await shown()).toMatchObject({ disabledReason: 'gone' });
  await finishedCheck(owner); // makes no delivery
  receiver.answer(200);
  const again = await call(`/${webhook.id}/deliveries/${gone?.id}/redeliver`, owner, 'POST');
  expect(await again.json()).toMatchObject({ id: gone?.id, state: 'pending' });
  const all = await settled(owner, webhook.id, 1);
  expect(all).toMatchObject([{ id: gone?.id, state: 'succeeded', tries: 2 }]);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([gone?.id, gone?.id]);
  await waitFor(async () => ((await shown()) as { disabledAt: string | null }).disabledAt === null || undefined);
});
