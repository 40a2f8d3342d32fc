import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type Region, regions } from '../../../shared/regions.ts';
import type { AuditJob } from '../../../shared/service/audit-job.ts';
import type { QueuesEnv } from '../../../shared/service/env.ts';
import { clientSettings, endingAtDeadline } from '../aws-client.ts';

const counted = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesDelayed',
  'ApproximateNumberOfMessagesNotVisible',
] as const;

export type AuditQueues = ReturnType<typeof auditQueues>;

/** One queue and one SQS client per AWS region, because requests are signed for a region. */
export const auditQueues = ({ AUDIT_QUEUES: urls }: QueuesEnv) => {
  const clients = new Map<Region, SQSClient>();

  const clientOf = (region: Region): SQSClient => {
    const client =
      clients.get(region) ??
      endingAtDeadline(new SQSClient({ region: regions[region], ...clientSettings(2500), maxAttempts: 2 }));
    clients.set(region, client);
    return client;
  };

  const urlOf = (region: Region): string => {
    const url = urls[region];
    if (!url) throw new Error(`AUDIT_QUEUES has no queue for region ${region}`);
    return url;
  };

  return {
    /** Regions that this environment has deployed. */
    regions: Object.keys(urls) as Region[],

    /** Returns about how many jobs of a region wait, and how many were received and not yet deleted. */
    count: async (region: Region): Promise<{ waiting: number; received: number }> => {
      const { Attributes = {} } = await clientOf(region).send(
        new GetQueueAttributesCommand({ QueueUrl: urlOf(region), AttributeNames: [...counted] }),
      );
      const [visible, delayed, received] = counted.map((name) => Number(Attributes[name] ?? 0)) as [
        number,
        number,
        number,
      ];
      return { waiting: visible + delayed, received };
    },

    /** Sends a job. The owner is its message group, so that the many jobs of one owner don't delay another's. */
    send: async (job: AuditJob): Promise<void> => {
      const QueueUrl = urlOf(job.region);
      const send = new SendMessageCommand({
        QueueUrl,
        MessageBody: JSON.stringify(job),
        MessageGroupId: job.owner,
      });
      await clientOf(job.region).send(send);
    },
  };
};
