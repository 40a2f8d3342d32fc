import type { SQSClient } from '@aws-sdk/client-sqs';
import { slots } from '../../functions/lib/slots.ts';
import { allRegions, regions } from '../../shared/regions.ts';
import { functionRows } from '../../shared/service/functions.ts';
import { deliverySettings } from '../settings.ts';
import { startPoller } from './poller.ts';

type Poller = Parameters<typeof startPoller>[0];

/** Starts two pollers per region, for its audit jobs and its dead letters, and one for deliveries. */
export const startPollers = (
  sqs: SQSClient,
  functions: Record<'runAudit' | 'closeLostRuns' | 'deliverWebhook', { handler: Poller['handler'] }>,
  auditsAtOnce: number,
  onMessage: Poller['onMessage'],
): ReturnType<typeof startPoller>[] => {
  const auditSlots = slots(auditsAtOnce);
  const queues = JSON.parse(process.env.AUDIT_QUEUES as string) as Record<string, string>;
  const deadLetters = JSON.parse(process.env.DEAD_LETTER_QUEUES as string) as Record<string, string>;
  const ofRegions = allRegions.flatMap((region) => [
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
    startPoller({
      sqs,
      queueUrl: deadLetters[region] as string,
      awsRegion: regions[region],
      functionName: 'close-lost-runs',
      handler: functions.closeLostRuns.handler,
      timeoutSeconds: functionRows['close-lost-runs'].timeoutSeconds,
      slots: slots(1),
      maxWaiting: 1, // dead letters take little time, and need no turns by owner
    }),
  ]);
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
