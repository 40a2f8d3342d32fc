import { z } from 'zod';
import { recordOf } from '../record.ts';
import { CheckSummary } from '../summaries.ts';
import { webhookEventRows, webhookEvents } from '../webhook-events.ts';
import {
  CreatedWebhook,
  CreateWebhookBody,
  Delivery,
  DeliveryList,
  PageEventData,
  RotatedWebhook,
  Webhook,
  WebhookList,
} from '../webhooks.ts';
import type { Operations } from './operation.ts';

const tag = 'Webhooks';

const aWebhook = {
  id: '6f9d3c52-8a0e-4c1b-9d57-1f4a2b7c8e90',
  url: 'https://example.com/hooks/page-audit',
  events: ['check.completed'],
  format: 'standard',
  createdAt: '2026-11-21T09:30:00.000Z',
  failingSince: null,
  disabledAt: null,
  disabledReason: null,
} satisfies Webhook;
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

const aDelivery = {
  id: '0c0f7a3e-5d52-5a52-8f5e-6c1f6a5f3b11',
  event: 'check.completed',
  checkId: '71cce6bf-3f0d-4f1c-8a5e-0a3b5c1d2e3f',
  state: 'pending',
  createdAt: '2026-11-21T09:31:00.000Z',
  tries: 1,
  nextTryAt: '2026-11-21T09:31:05.500Z',
  lastTry: {
    at: '2026-11-21T09:31:00.400Z',
    status: 500,
    error: 'The receiver answered with status 500.',
    response: 'Internal Server Error',
  },
} satisfies Delivery;

const accepted = (description: string) => ({
  202: { description, schema: Delivery, example: { ...aDelivery, tries: 0, lastTry: null } },
});

/** The documentation of the routes of webhooks. */
export const webhookOperations = {
  'POST /v1/webhooks': {
    tag,
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'The service sends each event as a POST that follows Standard Webhooks 1.0, or as a message to Slack, Teams or Discord. An owner can have five webhooks. The secret is shown once.',
    body: { schema: CreateWebhookBody, example: { url: aWebhook.url, events: aWebhook.events } },
    answers: {
      201: {
        description: 'The webhook, with its secret.',
        schema: CreatedWebhook,
        example: { ...aWebhook, secret },
        headers: ['location'],
      },
    },
    problems: ['forbidden-target', 'payload-too-large', 'unsupported-media-type', 'too-many-requests'],
  },
  'GET /v1/webhooks': {
    tag,
    operationId: 'listWebhooks',
    summary: 'List your webhooks, oldest first',
    answers: { 200: { description: 'The webhooks.', schema: WebhookList, example: { webhooks: [aWebhook] } } },
  },
  'GET /v1/webhooks/{webhookId}': {
    tag,
    operationId: 'getWebhook',
    summary: 'Read a webhook',
    answers: { 200: { description: 'The webhook.', schema: Webhook, example: aWebhook } },
    problems: ['not-found'],
  },
  'DELETE /v1/webhooks/{webhookId}': {
    tag,
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook, its secret and its deliveries',
    answers: { 204: { description: 'The webhook is deleted.' } },
    problems: ['not-found'],
  },
  'POST /v1/webhooks/{webhookId}/rotate': {
    tag,
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description: 'For 24 hours the service signs with both secrets, so that a receiver can change at any time.',
    answers: {
      200: {
        description: 'The webhook, with its new secret.',
        schema: RotatedWebhook,
        example: { ...aWebhook, secret, earlierSecretUntil: '2026-11-22T09:30:00.000Z' },
      },
    },
    problems: ['not-found'],
  },
  'POST /v1/webhooks/{webhookId}/test': {
    tag,
    operationId: 'testWebhook',
    summary: 'Send a test event to a webhook',
    description: 'The event is `webhook.test`, and is tried once. If it succeeds, it enables a disabled webhook again.',
    answers: accepted('The delivery of the test.'),
    problems: ['not-found'],
  },
  'GET /v1/webhooks/{webhookId}/deliveries': {
    tag,
    operationId: 'listDeliveries',
    summary: 'List the last 50 deliveries to a webhook, newest first',
    description: 'The service forgets a delivery after 7 days.',
    answers: {
      200: { description: 'The deliveries.', schema: DeliveryList, example: { deliveries: [aDelivery] } },
    },
    problems: ['not-found'],
  },
  'POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver': {
    tag,
    operationId: 'redeliver',
    summary: 'Send a delivery again, with the same `webhook-id`',
    description: 'It is tried once. A delivery that is still pending stays as it is, and is tried now too.',
    answers: accepted('The delivery.'),
    problems: ['not-found'],
  },
} satisfies Partial<Operations>;

/** The requests that the service sends to a webhook. */
export const webhookRequests = recordOf(webhookEvents, (type) => {
  const { of, operationId, summary } = webhookEventRows[type];
  const data = of === 'check' ? CheckSummary : PageEventData;
  const schema = z.object({ type: z.literal(type), timestamp: z.iso.datetime(), data });
  return {
    post: {
      operationId,
      summary,
      tags: [tag],
      security: [],
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { 204: { description: 'Any status 2xx within 15 seconds is a success.' } },
    },
  };
});
