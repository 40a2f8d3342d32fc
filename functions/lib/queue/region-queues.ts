import { SQSClient } from '@aws-sdk/client-sqs';
import { type AuditRegion, type Region, regions } from '../../../shared/regions.ts';
import { clientSettings, endingAtDeadline } from '../aws-client.ts';

export type QueueUrls = Readonly<Partial<Record<Region, string>>>;

/** Returns the queue of each region: its URL, and its client. Requests are signed for a region, so each has its own client. */
export const regionQueues = (variable: string, urls: QueueUrls) => {
  const clients = new Map<Region, SQSClient>();
  return (region: Region): { QueueUrl: string; sqs: SQSClient } => {
    const QueueUrl = urls[region];
    if (!QueueUrl) throw new Error(`${variable} has no queue for region ${region}`);
    const sqs =
      clients.get(region) ??
      endingAtDeadline(
        new SQSClient({ region: regions[region as AuditRegion], ...clientSettings(2500), maxAttempts: 2 }),
      );
    clients.set(region, sqs);
    return { QueueUrl, sqs };
  };
};
