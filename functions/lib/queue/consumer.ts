import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { z } from 'zod';
import { emit, log } from '../log.ts';
import { retire } from './retire.ts';

type Work<Job> = (job: Job, remainingMs: () => number) => Promise<void>;
type Source<Job> = {
  schema: z.ZodType<Job>;
  /** Returns why this instance should take no further message, or undefined. */
  whySpent?: () => string | undefined;
  exit?: () => void;
};

/**
 * Turns a function into an SQS handler. Builds the function on first use, parses each message and reports failed
 * messages. Logs, counts and drops a message that can't be parsed, because a retry would fail too. A spent instance
 * returns its message to the queue and exits.
 */
export const queue = <Job>({ schema, whySpent, exit = () => process.exit(1) }: Source<Job>, build: () => Work<Job>) => {
  let work: Work<Job> | undefined;
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    work ??= build();
    const each = work;
    return processPartialResponse(
      event,
      async (record: SQSRecord) => {
        const job = schema.safeParse(parseJson(record.body));
        if (!job.success) {
          log.error('dropped a message that cannot be parsed', {
            messageId: record.messageId,
            reason: job.error.message,
          });
          emit('JobUnreadable', 1, {});
          return;
        }
        const spent = whySpent?.();
        if (spent) {
          await retire(record, spent, exit);
          throw new Error(`The instance is short of ${spent}.`);
        }
        try {
          await each(job.data, () => context.getRemainingTimeInMillis());
        } catch (error) {
          log.error('could not handle a message', { messageId: record.messageId, error: error as Error });
          throw error;
        }
      },
      new BatchProcessor(EventType.SQS),
      { context, throwOnFullBatchFailure: false },
    );
  };
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
