import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type AuditJob, OWNER_ATTRIBUTE } from '../../../shared/audit-job.ts';
import type { QueuesEnv } from '../../../shared/env.ts';
import { type Region, regions } from '../../../shared/regions.ts';
import { requestTimeouts } from '../aws-client.ts';

export type AuditQueues = ReturnType<typeof auditQueues>;

/** One queue of audit jobs a region. A client an AWS region: a queue's URL moves the endpoint, not the signature. */
export const auditQueues = ({ AUDIT_QUEUES: urls }: QueuesEnv) => {
  const clients = new Map<Region, SQSClient>();

  const clientOf = (region: Region): SQSClient => {
    const client =
      clients.get(region) ??
      new SQSClient({ region: regions[region], requestHandler: requestTimeouts(2500), maxAttempts: 2 });
    clients.set(region, client);
    return client;
  };

  return {
    /** The regions that this environment has deployed. */
    regions: Object.keys(urls) as Region[],

    /**
     * Resolves once the queue has the job. Its owner makes the queue a fair one: one owner's many jobs hold up no other's.
     * It goes as an attribute too, as an embedded queue drops the group of a message.
     */
    send: async (job: AuditJob): Promise<void> => {
      const QueueUrl = urls[job.region];
      if (!QueueUrl) throw new Error(`no queue is known for region ${job.region}`);
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
