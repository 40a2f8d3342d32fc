import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { ChangeMessageVisibilityCommand, GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { z } from 'zod';
import { returnAfterSeconds } from '../../../shared/service/due-times.ts';
import { jsonText } from '../../../shared/service/env.ts';
import { clientSettings } from '../aws-client.ts';
import { log } from '../log.ts';

type Work<Job> = (job: Job, remainingMs: () => number) => Promise<void>;
type Source<Job> = {
  schema: z.ZodType<Job>;
  /** Returns why this instance should take no further message, or undefined. */
  whySpent?: () => string | undefined;
  exit?: () => void;
  /** Returns the seconds until a failed message is delivered again, from the number of its receives. */
  backoff?: (receives: number) => number;
};

/**
 * Turns a function into an SQS handler. Builds the function on first use, parses each message and reports failed
 * messages. A failed message is delivered again after a backoff, because its visibility timeout is an hour. A message that
 * can't be parsed becomes a dead letter like any other, because a later release may be able to parse it. A spent instance
 * returns its message to the queue at once and exits, so that Lambda resets or replaces it. A reset may not help, so an
 * instance handles a message that earlier instances have returned.
 */
export const queue = <Job>(source: Source<Job>, build: () => Work<Job>) => {
  const { schema, whySpent, exit = () => process.exit(1), backoff = returnAfterSeconds } = source;
  let work: Work<Job> | undefined;

  const handle = async ({ messageId, body, attributes }: SQSRecord, context: Context): Promise<void> => {
    const job = jsonText.pipe(schema).parse(body);
    work ??= build();
    const spent = whySpent?.();
    if (spent && receivesOf(attributes) <= MAX_RETURNS) {
      log.error('The instance is replaced.', { messageId, reason: spent });
      throw new SpentInstanceError(`The instance is short of ${spent}.`);
    }
    if (spent)
      log.warn('The spent instance handles a message that others have returned.', { messageId, reason: spent });
    await work(job, () => context.getRemainingTimeInMillis());
  };

  const handleOrReturn = async (record: SQSRecord, context: Context): Promise<void> => {
    try {
      await handle(record, context);
    } catch (error) {
      log.error('Could not handle the message.', { messageId: record.messageId, error: error as Error });
      const isSpent = error instanceof SpentInstanceError;
      await returnMessage(record, isSpent ? 0 : backoff(receivesOf(record.attributes)));
      // The exit fails the invocation. An answer would freeze the process before its exit, and the next job would die with it.
      if (isSpent) exit();
      throw error;
    }
  };

  return (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
    processPartialResponse(
      event,
      (record: SQSRecord) => handleOrReturn(record, context),
      new BatchProcessor(EventType.SQS),
      { context, throwOnFullBatchFailure: false },
    );
};

/** Receives of a message that may end with the exit of a spent instance. SQS gives a message up after three. */
const MAX_RETURNS = 2;
const receivesOf = ({ ApproximateReceiveCount: count }: SQSRecord['attributes']): number => Number(count);

/** The instance should take no further message. */
class SpentInstanceError extends Error {}

/** Tries of each call, over half a minute. If all fail, the message stays invisible for the queue's visibility timeout. */
const MAX_TRIES = 8;

/** Lets a queue deliver a message again after some seconds. The ARN of the queue is `arn:aws:sqs:<region>:<account>:<name>`. */
const returnMessage = async (
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
