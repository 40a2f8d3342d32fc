import { slots } from '../../functions/lib/slots.ts';
import { startPoller } from '../../infra/local/poller.ts';
import { deliverySettings } from '../../infra/settings.ts';
import type { World } from './world.ts';

/** Delivers the events of webhooks in this process, as the local service does. */
export const startDeliveryPoller = async ({ sqs }: World) => {
  const { handler } = await import('../../functions/deliver-webhook.ts');
  return startPoller({
    sqs,
    queueUrl: process.env.DELIVERY_QUEUE as string,
    awsRegion: 'us-west-2',
    functionName: 'deliver-webhook',
    handler,
    timeoutSeconds: 30,
    slots: slots(deliverySettings.atOnce),
    waitSeconds: 1,
  });
};
