import { ChangeMessageVisibilityCommand, GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { requestTimeouts } from '../aws-client.ts';
import { log } from '../log.ts';

/**
 * Returns a message to its queue at once and ends the process, so that Lambda replaces it. The exit fails the invocation.
 * An answer would freeze the process before its exit, and the next job would die with it.
 */
export const retire = async (record: SQSRecord, reason: string, exit: () => void): Promise<void> => {
  log.error('the instance is replaced', { messageId: record.messageId, reason });
  try {
    await returnToQueue(record);
  } catch (error) {
    log.error('could not return a message; SQS delivers it after its visibility timeout', { error: error as Error });
  }
  exit();
};

/** Makes a message visible in its queue, whose ARN is `arn:aws:sqs:<region>:<account>:<name>`. */
const returnToQueue = async ({ eventSourceARN, awsRegion, receiptHandle }: SQSRecord): Promise<void> => {
  const [account, name] = eventSourceARN.split(':').slice(-2);
  const sqs = new SQSClient({ region: awsRegion, requestHandler: requestTimeouts(2500), useQueueUrlAsEndpoint: false });
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: name, QueueOwnerAWSAccountId: account }));
  await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: 0 }));
  sqs.destroy();
};
