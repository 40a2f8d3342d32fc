import { randomUUID } from 'node:crypto';
import { ApiProblemError } from '../shared/problems.ts';
import { type PlanName, plans } from '../shared/service/plans.ts';
import { webhookEvents } from '../shared/webhook-events.ts';
import {
  CreateWebhookBody,
  DELIVERY_DAYS,
  type Delivery,
  LISTED_DELIVERIES,
  TEST_EVENT,
  type Webhook,
  WebhookFormat,
} from '../shared/webhooks.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { invalidInput, parseFields } from './lib/http/input.ts';
import type { Reply } from './lib/http/response.ts';
import { log } from './lib/log.ts';
import { type DeliveryQueue, deliveryQueue } from './lib/queue/delivery-queue.ts';
import { type DeliveryItem, type DeliveryStore, deliveryStore, jobOf } from './lib/store/deliveries.ts';
import { openDb, WriteConflictError } from './lib/store/dynamodb.ts';
import { type WebhookItem, type WebhookStore, webhookStore } from './lib/store/webhooks.ts';
import { type TargetPolicy, targetPolicy } from './lib/targets/public-addresses.ts';
import { webhookRefusal } from './lib/webhooks/post-webhook.ts';

/** /v1/webhooks and below: creates, shows, rotates, tests and deletes the webhooks of an owner, and shows their deliveries. */
export const handler = http('webhooks', (env) => {
  const db = openDb(env);
  return webhooks({
    store: webhookStore(db),
    deliveries: deliveryStore(db),
    queue: deliveryQueue(env),
    targets: targetPolicy(env),
  });
});

type Deps = {
  store: Pick<WebhookStore, 'list' | 'find' | 'create' | 'delete' | 'rotate'>;
  deliveries: Pick<DeliveryStore, 'create' | 'list' | 'redeliver'>;
  queue: Pick<DeliveryQueue, 'send'>;
  targets: TargetPolicy;
  newId?: () => string;
  now?: () => Date;
};
type Work = Required<Deps>;

export const webhooks = (deps: Deps) => {
  const work: Work = { newId: randomUUID, now: () => new Date(), ...deps };
  return async (request: Request): Promise<Reply> => {
    const { method, owner, params, path } = request;
    if (params.webhookId === undefined) return method === 'POST' ? create(work, request) : list(work, owner);
    const webhook = await work.store.find(owner, params.webhookId);
    if (!webhook) throw new ApiProblemError('not-found', 'There is no webhook with this ID.');
    const [, , , , action] = path.split('/');
    if (action === 'rotate') return rotate(work, webhook);
    if (action === 'test') return test(work, webhook);
    if (action === 'deliveries') return deliveriesOf(work, webhook, params.deliveryId);
    if (method !== 'DELETE') return { status: 200, body: webhookView(webhook) };
    await work.store.delete(webhook);
    return { status: 204 };
  };
};

const list = async ({ store }: Work, owner: string): Promise<Reply> => ({
  status: 200,
  body: { webhooks: (await store.list(owner)).map(webhookView) },
});

const accepted = {
  url: 'The URL must be a string that starts with https://, such as https://example.com/hooks.',
  events: `The events must be a list of one or more events, each once. Supported events: ${webhookEvents.join(', ')}.`,
  format: `The format must be one of: ${WebhookFormat.options.join(', ')}.`,
};

const create = async ({ store, targets, newId, now }: Work, { owner, plan, body }: Request): Promise<Reply> => {
  const { fields, errors } = parseFields(CreateWebhookBody, accepted, body);
  const refusal = fields.url === undefined ? undefined : webhookRefusal(fields.url, targets);
  const all = [...errors, ...(refusal ? [{ path: 'url', ...refusal }] : [])];
  if (all.length > 0) throw invalidInput(all);
  const { url, events, format = 'standard' } = fields as CreateWebhookBody;
  const max = maxOf(plan);
  const created = await store.create({ id: newId(), owner, url, events, format }, max, now());
  if (!created) throw tooMany(max);
  const { secret } = created.secrets[0] as WebhookItem['secrets'][number];
  const headers = { location: `/v1/webhooks/${created.id}` };
  return { status: 201, headers, body: { ...webhookView(created), secret } };
};

/** Returns the number of webhooks of an owner. It is bounded without a plan too, because each check is sent to all of them. */
const maxOf = (plan: PlanName = 'large'): number => plans[plan].webhooks;

const tooMany = (max: number) =>
  new ApiProblemError('too-many-requests', `An owner can have ${max} webhooks. Delete one before you create another.`, {
    headers: { 'retry-after': '60' },
  });

const ROTATE_TRIES = 3;

const rotate = async ({ store, now }: Work, found: WebhookItem): Promise<Reply> => {
  let webhook: WebhookItem | undefined = found;
  for (let tries = 0; webhook && tries < ROTATE_TRIES; tries++) {
    const rotated = await store.rotate(webhook, now());
    if (rotated)
      return {
        status: 200,
        body: { ...webhookView(webhook), secret: rotated.secret, earlierSecretUntil: rotated.earlierUntil },
      };
    webhook = await store.find(webhook.owner, webhook.id); // the response was lost, or another request has rotated it
  }
  throw new WriteConflictError(`the webhook ${found.id}`, ROTATE_TRIES);
};

const test = async (work: Work, { id: webhookId, owner }: WebhookItem): Promise<Reply> => {
  const { deliveries, newId, now } = work;
  const created = { id: newId(), webhookId, owner, event: TEST_EVENT, createdAt: now().toISOString() };
  const delivery = await deliveries.create({ ...created, checkId: null, createId: null }, now());
  return accept(work, delivery);
};

const deliveriesOf = async (work: Work, webhook: WebhookItem, deliveryId: string | undefined): Promise<Reply> => {
  const found = await work.deliveries.list(webhook.id);
  if (deliveryId === undefined) return { status: 200, body: { deliveries: found.map(deliveryView) } };
  const delivery = found.find(({ id }) => id === deliveryId);
  if (!delivery) {
    const detail = `The webhook has no delivery with this ID among the last ${LISTED_DELIVERIES}, of ${DELIVERY_DAYS} days.`;
    throw new ApiProblemError('not-found', detail);
  }
  return accept(work, (await work.deliveries.redeliver(delivery, work.now())) ?? delivery);
};

/** Sends the message of a delivery. Answers with the delivery, which is on its way. */
const accept = async ({ queue }: Work, delivery: DeliveryItem): Promise<Reply> => {
  await queue.send(jobOf(delivery)).catch((error: Error) => {
    log.warn('Could not send the message of a delivery. The sweeper sends it in a minute.', {
      deliveryId: delivery.id,
      error,
    });
  });
  return { status: 202, body: deliveryView(delivery) };
};

const webhookView = ({ id, url, events, format, createdAt, ...state }: WebhookItem): Webhook => ({
  id,
  url,
  createdAt,
  events: events as Webhook['events'],
  format: format as Webhook['format'],
  failingSince: state.failingSince ?? null,
  disabledAt: state.disabledAt ?? null,
  disabledReason: (state.disabledReason as Webhook['disabledReason']) ?? null,
});

const deliveryView = ({ id, event, checkId, state, createdAt, tries, nextTryAt, lastTry }: DeliveryItem): Delivery => ({
  id,
  checkId,
  state,
  createdAt,
  tries,
  nextTryAt,
  lastTry,
  event: event as Delivery['event'],
});
