import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { AuditRegion, Region } from '../../../shared/regions.ts';
import type { AuditJob } from '../../../shared/service/audit-job.ts';
import type { QueuesEnv } from '../../../shared/service/env.ts';
import { regionQueues } from './region-queues.ts';

const counted = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesDelayed',
  'ApproximateNumberOfMessagesNotVisible',
] as const;

export type AuditQueues = ReturnType<typeof auditQueues>;

/** The queues of audit jobs, one for each region. */
export const auditQueues = ({ AUDIT_QUEUES: urls }: QueuesEnv) => {
  const queueOf = regionQueues('AUDIT_QUEUES', urls);
  return {
    /** Regions that this environment has deployed. */
    regions: Object.keys(urls) as AuditRegion[],

    /** Returns about how many jobs of a region wait, and how many were received and not yet deleted. */
    count: async (region: Region): Promise<{ waiting: number; received: number }> => {
      const { sqs, QueueUrl } = queueOf(region);
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...counted] }),
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
      const { sqs, QueueUrl } = queueOf(job.region);
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(job), MessageGroupId: job.owner }));
    },
  };
};
