import { ChangeMessageVisibilityCommand, GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { clientSettings } from '../aws-client.ts';
import { log } from '../log.ts';

/** Tries of each call, over half a minute. If all fail, the message stays invisible for the queue's visibility timeout. */
const MAX_TRIES = 8;

/** Lets a queue deliver a message again after some seconds. The ARN of the queue is `arn:aws:sqs:<region>:<account>:<name>`. */
export const returnMessage = async (
  { eventSourceARN, awsRegion, receiptHandle, messageId }: SQSRecord,
  seconds: number,
): Promise<void> => {
  const [account, name] = eventSourceARN.split(':').slice(-2);
  const sqs = new SQSClient({
    region: awsRegion,
    ...clientSettings(2500),
    useQueueUrlAsEndpoint: false,
    maxAttempts: MAX_TRIES,
  });
  try {
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: name, QueueOwnerAWSAccountId: account }));
    const change = { QueueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds };
    await sqs.send(new ChangeMessageVisibilityCommand(change));
  } catch (error) {
    log.error('Could not return the message. SQS delivers it after its visibility timeout.', {
      messageId,
      error: error as Error,
    });
  } finally {
    sqs.destroy();
  }
};
