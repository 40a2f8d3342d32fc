import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type AuditJob, OWNER_ATTRIBUTE } from '../../../shared/audit-job.ts';
import type { QueuesEnv } from '../../../shared/env.ts';
import { type Region, regions } from '../../../shared/regions.ts';
import { endingAtDeadline, requestTimeouts } from '../aws-client.ts';

export type AuditQueues = ReturnType<typeof auditQueues>;

/** One queue and one SQS client per AWS region, because requests are signed for a region. */
export const auditQueues = ({ AUDIT_QUEUES: urls }: QueuesEnv) => {
  const clients = new Map<Region, SQSClient>();

  const clientOf = (region: Region): SQSClient => {
    const client =
      clients.get(region) ??
      endingAtDeadline(
        new SQSClient({ region: regions[region], requestHandler: requestTimeouts(2500), maxAttempts: 2 }),
      );
    clients.set(region, client);
    return client;
  };

  return {
    /** Regions that this environment has deployed. */
    regions: Object.keys(urls) as Region[],

    /**
     * Sends a job. The owner is its message group, so that the many jobs of one owner don't delay another's.
     * The owner is also an attribute, because the local queue drops the message group.
     */
    send: async (job: AuditJob): Promise<void> => {
      const QueueUrl = urls[job.region];
      if (!QueueUrl) throw new Error(`AUDIT_QUEUES has no queue for region ${job.region}`);
      const send = new SendMessageCommand({
        QueueUrl,
        MessageBody: JSON.stringify(job),
        MessageGroupId: job.owner,
        MessageAttributes: { [OWNER_ATTRIBUTE]: { DataType: 'String', StringValue: job.owner } },
      });
      await clientOf(job.region).send(send);
    },
  };
};
