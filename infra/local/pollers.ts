import type { SQSClient } from '@aws-sdk/client-sqs';
import { slots } from '../../functions/lib/slots.ts';
import { allRegions, regions } from '../../shared/regions.ts';
import { functionRows } from '../../shared/service/functions.ts';
import { deliverySettings } from '../settings.ts';
import { startPoller } from './poller.ts';

type Poller = Parameters<typeof startPoller>[0];

/** Starts a poller per region for its audit jobs, and one for deliveries. */
export const startPollers = (
  sqs: SQSClient,
  functions: Record<'runAudit' | 'deliverWebhook', { handler: Poller['handler'] }>,
  auditsAtOnce: number,
  onMessage: Poller['onMessage'],
): ReturnType<typeof startPoller>[] => {
  const auditSlots = slots(auditsAtOnce);
  const queues = JSON.parse(process.env.AUDIT_QUEUES as string) as Record<string, string>;
  const ofRegions = allRegions.map((region) =>
    startPoller({
      sqs,
      queueUrl: queues[region] as string,
      awsRegion: regions[region],
      functionName: 'run-audit',
      handler: functions.runAudit.handler,
      timeoutSeconds: functionRows['run-audit'].timeoutSeconds,
      slots: auditSlots,
      onMessage,
    }),
  );
  const ofDeliveries = startPoller({
    sqs,
    queueUrl: process.env.DELIVERY_QUEUE as string,
    awsRegion: process.env.HOME_REGION as string,
    functionName: 'deliver-webhook',
    handler: functions.deliverWebhook.handler,
    timeoutSeconds: functionRows['deliver-webhook'].timeoutSeconds,
    slots: slots(deliverySettings.atOnce),
    visibilitySeconds: deliverySettings.visibilitySeconds,
  });
  return [...ofRegions, ofDeliveries];
};
