import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queue } from '../../functions/lib/queue/consumer.ts';
import { AuditJob } from '../../shared/audit-job.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.stop();
});

test('an instance without room returns its job to the queue at once, handles nothing and exits', async () => {
  const job = {
    checkId: crypto.randomUUID(),
    runId: crypto.randomUUID(),
    region: 'us-west1' as const,
    correlationId: 'c',
    owner: 'anonymous',
  };
  await world.queues.send(job);
  const QueueUrl = (JSON.parse(process.env.AUDIT_QUEUES as string) as Record<string, string>)['us-west1'] as string;
  const receive = async () =>
    (await world.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }))).Messages ?? [];
  const [message] = await receive();
  expect(await receive()).toEqual([]);

  const done: string[] = [];
  const handler = queue(
    { schema: AuditJob, whySpent: () => 'processes (100 of 1024 left)', exit: () => void done.push('exit') },
    () => async () => void done.push('work'),
  );
  const record = {
    messageId: message?.MessageId,
    receiptHandle: message?.ReceiptHandle,
    body: message?.Body,
    awsRegion: 'us-west-2',
    eventSourceARN: ['arn:aws:sqs:us-west-2', ...new URL(QueueUrl).pathname.slice(1).split('/')].join(':'),
  };
  const answer = await handler({ Records: [record] } as unknown as SQSEvent, {} as Context);
  expect(done).toEqual(['exit']);
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: message?.MessageId }] });
  expect(await receive()).toMatchObject([{ Body: message?.Body }]);
});
