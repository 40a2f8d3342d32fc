import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { z } from 'zod';
import { emit, log } from '../log.ts';

type Work<Job> = (job: Job, remainingMs: () => number) => Promise<void>;

/**
 * The edge between an SQS queue and a function: parses each message, builds the function on its first use, and reports
 * the messages that failed. One that can't be parsed will never be: it is logged, counted and dropped.
 */
export const queue = <Job>(schema: z.ZodType<Job>, build: () => Work<Job>) => {
  let work: Work<Job> | undefined;
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    work ??= build();
    const each = work;
    return processPartialResponse(
      event,
      async (record: SQSRecord) => {
        const job = schema.safeParse(parseJson(record.body));
        if (!job.success) {
          log.error('a message can not be read', { messageId: record.messageId, reason: job.error.message });
          emit('JobUnreadable', 1, {});
          return;
        }
        try {
          await each(job.data, () => context.getRemainingTimeInMillis());
        } catch (error) {
          log.error('a message failed', { messageId: record.messageId, error: error as Error });
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
