import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DeliveryJob } from '../../../shared/service/delivery-job.ts';
import type { DeliveryQueueEnv } from '../../../shared/service/env.ts';
import { clientSettings, endingAtDeadline } from '../aws-client.ts';

export type DeliveryQueue = ReturnType<typeof deliveryQueue>;

/** The queue of deliveries to webhooks, in the home region. */
export const deliveryQueue = ({ DELIVERY_QUEUE: QueueUrl, HOME_REGION: region }: DeliveryQueueEnv) => {
  const sqs = endingAtDeadline(new SQSClient({ region, ...clientSettings(2500), maxAttempts: 2 }));
  return {
    /** Sends a job, which the queue delivers after a delay. The owner is its message group, as of an audit job. */
    send: async (job: DeliveryJob, delaySeconds = 0): Promise<void> => {
      const send = new SendMessageCommand({
        QueueUrl,
        MessageBody: JSON.stringify(job),
        DelaySeconds: delaySeconds,
        MessageGroupId: job.owner,
      });
      await sqs.send(send);
    },
  };
};
