import { z } from 'zod';
import { MetricChange, Value } from './comparison/schemas.ts';
import { NamedMark } from './marks.ts';
import { mainNames } from './metrics/page-metrics.ts';
import { Device, Region } from './name-schemas.ts';
import {
  pageEvents,
  type WebhookFormat as WebhookFormatName,
  webhookEventRows,
  webhookEvents,
  webhookFormats,
} from './webhook-events.ts';

export const PageEventName = z.enum(pageEvents);
export const WebhookEvent = z.enum(webhookEvents).meta({
  id: 'WebhookEvent',
  description: webhookEvents.map((name) => `\`${name}\`: ${webhookEventRows[name].description}.`).join(' '),
});

export const WebhookFormat = z.enum(Object.keys(webhookFormats) as [WebhookFormatName]).meta({
  id: 'WebhookFormat',
  description:
    '`standard`: the event as JSON. The others: a message as an incoming webhook of Slack, a workflow of Teams, or a webhook of Discord takes it.',
});

/** Data of an event about a page of a schedule in a region. */
export const PageEventData = z
  .object({
    scheduleId: z.uuid(),
    url: z.string(),
    device: Device,
    region: Region,
    checkId: z.uuid().describe('Id of the check that proves the step.'),
    since: z
      .object({
        checkId: z.uuid(),
        createdAt: z.iso.datetime(),
        mark: NamedMark.nullable().describe('The last mark of the page between the base and this check.'),
      })
      .describe('The first check after the step that still exists.'),
    baseCheckId: z.uuid().nullable().describe('Id of the last check before the step. Null if all were erased.'),
    pooledCheckIds: z.array(z.uuid()).describe('Ids of further checks before the step.'),
    metrics: z
      .array(z.object({ name: z.enum(mainNames), base: Value, value: Value, ...MetricChange.shape }))
      .describe('The main metrics that changed with the step, and those of the event.'),
    interactions: z
      .array(z.object({ name: z.string(), base: Value, value: Value, ...MetricChange.shape }))
      .describe('The interactions whose INP changed with the step, and those of the event.'),
    links: z
      .object({ check: z.string(), comparison: z.string().nullable(), page: z.string() })
      .describe('URLs for people: the check, its comparison with the base, and the page over time.'),
  })
  .meta({ id: 'PageEvent' });
export type PageEventData = z.infer<typeof PageEventData>;

/** Event of a delivery that `POST …/test` makes. */
export const TEST_EVENT = 'webhook.test';
const DeliveryEvent = z.enum([...webhookEvents, TEST_EVENT]);
export type DeliveryEvent = z.infer<typeof DeliveryEvent>;

export const CreateWebhookBody = z
  .strictObject({
    url: z
      .string()
      .meta({ description: 'A public URL that starts with https://, without credentials.', maxLength: 2048 }),
    events: z
      .array(WebhookEvent)
      .min(1)
      .max(webhookEvents.length)
      .refine((events) => new Set(events).size === events.length)
      .meta({ uniqueItems: true }),
    format: WebhookFormat.optional().meta({ description: 'Default: `standard`.' }),
  })
  .meta({ id: 'CreateWebhook' });
export type CreateWebhookBody = z.infer<typeof CreateWebhookBody>;

/** Reasons why the service has disabled a webhook. */
export const DisabledReason = z
  .enum(['gone', 'failing'])
  .describe(
    '`gone`: it answered with status 410. `failing`: a delivery has failed for good, and all retries of five days failed.',
  );
export type DisabledReason = z.infer<typeof DisabledReason>;

export const Webhook = z
  .object({
    id: z.uuid(),
    url: z.string(),
    events: z.array(WebhookEvent),
    format: WebhookFormat,
    createdAt: z.iso.datetime(),
    failingSince: z.iso.datetime().nullable().describe('When the first try since the last success failed.'),
    disabledAt: z.iso.datetime().nullable().describe('A test or a redelivery that succeeds enables the webhook again.'),
    disabledReason: DisabledReason.nullable(),
  })
  .meta({ id: 'Webhook', description: 'A URL to which the service sends events.' });
export type Webhook = z.infer<typeof Webhook>;

const secret = z.string().describe('Signs each delivery. Nobody can read it again.');
export const CreatedWebhook = Webhook.extend({ secret }).meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;
export const RotatedWebhook = Webhook.extend({
  secret,
  earlierSecretUntil: z.iso.datetime().describe('Until then the earlier secret signs each delivery too.'),
}).meta({ id: 'RotatedWebhook' });
export type RotatedWebhook = z.infer<typeof RotatedWebhook>;

export const WebhookList = z.object({ webhooks: z.array(Webhook) });
export type WebhookList = z.infer<typeof WebhookList>;

export const DeliveryState = z.enum(['pending', 'succeeded', 'failed']);
export type DeliveryState = z.infer<typeof DeliveryState>;

/** The last try of a delivery. */
export const DeliveryTry = z.object({
  at: z.iso.datetime(),
  status: z.int().nullable().describe('Status of the answer. Null without an answer.'),
  error: z.string().nullable().describe('Why the try failed.'),
  response: z.string().nullable().describe('Start of the body of the answer.'),
});
export type DeliveryTry = z.infer<typeof DeliveryTry>;

export const Delivery = z
  .object({
    id: z.uuid().describe('Sent as `webhook-id`, the same on each try.'),
    event: DeliveryEvent,
    checkId: z.uuid().nullable(),
    state: DeliveryState,
    createdAt: z.iso.datetime(),
    tries: z.int(),
    nextTryAt: z.iso.datetime().nullable(),
    lastTry: DeliveryTry.nullable(),
  })
  .meta({ id: 'Delivery', description: 'One event for one webhook.' });
export type Delivery = z.infer<typeof Delivery>;

export const DeliveryList = z.object({ deliveries: z.array(Delivery) });
export type DeliveryList = z.infer<typeof DeliveryList>;

/** Number of deliveries that a list shows, and the days until the service forgets one. */
export const LISTED_DELIVERIES = 50;
export const DELIVERY_DAYS = 7;
/** Time that an earlier secret goes on signing after a rotation, in hours. */
export const ROTATION_HOURS = 24;
