import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { AuditRegion, Region } from '../../../shared/regions.ts';
import type { SweepEnv } from '../../../shared/service/env.ts';
import { regionQueues } from './region-queues.ts';

export type DeadLetter = { id: string; body: string; receipt: string };
export type DeadLetterQueues = ReturnType<typeof deadLetterQueues>;

/** The queues of audit jobs that failed in every delivery, one for each region. */
export const deadLetterQueues = ({ DEAD_LETTER_QUEUES: urls }: Pick<SweepEnv, 'DEAD_LETTER_QUEUES'>) => {
  const queueOf = regionQueues('DEAD_LETTER_QUEUES', urls);
  return {
    /** Regions that have such a queue. */
    regions: Object.keys(urls) as AuditRegion[],

    /** Receives up to ten messages without waiting. SQS may have more, even after an empty answer. */
    receive: async (region: Region): Promise<DeadLetter[]> => {
      const { sqs, QueueUrl } = queueOf(region);
      const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 });
      const { Messages = [] } = await sqs.send(receive);
      return Messages.map(({ MessageId: id = '', Body: body = '', ReceiptHandle: receipt = '' }) => ({
        id,
        body,
        receipt,
      }));
    },

    remove: async (region: Region, { receipt }: DeadLetter): Promise<void> => {
      const { sqs, QueueUrl } = queueOf(region);
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receipt }));
    },
  };
};
