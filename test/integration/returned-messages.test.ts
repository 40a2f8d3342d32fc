import { randomUUID } from 'node:crypto';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { queue } from '../../functions/lib/queue/consumer.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { closeLostRun } from '../../functions/lib/sweep/dead-letters.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { AuditJob } from '../../shared/service/audit-job.ts';
import { returnAfterSeconds } from '../../shared/service/due-times.ts';
import { aCheck, startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.stop();
});

const context = { getRemainingTimeInMillis: () => 600_000 } as Context;

/** Sends a job to the queue of a region, and returns what receives from that queue and what makes an event of a message. */
const aQueue = async (job: Omit<AuditJob, 'region'>, region: AuditJob['region'] = 'us-west1') => {
  await world.queues.send({ ...job, region });
  const QueueUrl = world.urls[region];
  const receive = async () => {
    const input = { QueueUrl, WaitTimeSeconds: 2, MessageSystemAttributeNames: ['All' as const] };
    const [message] = (await world.sqs.send(new ReceiveMessageCommand(input))).Messages ?? [];
    const record = message && {
      messageId: message.MessageId,
      receiptHandle: message.ReceiptHandle,
      body: message.Body,
      attributes: message.Attributes,
      awsRegion: 'us-west-2',
      eventSourceARN: ['arn:aws:sqs:us-west-2', ...new URL(QueueUrl).pathname.slice(1).split('/')].join(':'),
    };
    return record && ({ Records: [record] } as unknown as SQSEvent);
  };
  return { receive };
};
/** An auditor that succeeds. A delay above the time limit of a claim lets the claim fail at once. */
const audited = {
  auditors: { audit: async () => ({ state: 'succeeded' as const, metrics: noMetrics, ...emptyResult }) },
  retryDelaysMs: [30_000],
};
const aJob = () => ({ checkId: randomUUID(), runId: randomUUID(), correlationId: 'c', owner: 'o', createId: 'c' });
const failed = (event: SQSEvent) => ({ batchItemFailures: [{ itemIdentifier: event.Records[0]?.messageId }] });

test('an instance without room returns its job to the queue at once, handles nothing and exits', async () => {
  const { receive } = await aQueue(aJob());
  const event = (await receive()) as SQSEvent;

  const done: string[] = [];
  const handler = queue(
    { schema: AuditJob, whySpent: () => 'processes (100 of 1024 left)', exit: () => void done.push('exit') },
    () => async () => void done.push('work'),
  );
  expect(await handler(event, context)).toEqual(failed(event));
  expect(done).toEqual(['exit']);
  expect((await receive())?.Records[0]?.body).toBe(event.Records[0]?.body);
});

test('a job that two instances without room have returned is handled by the third', async () => {
  const { receive } = await aQueue(aJob());
  const done: string[] = [];
  const handler = queue(
    { schema: AuditJob, whySpent: () => 'processes (100 of 1024 left)', exit: () => void done.push('exit') },
    () => async () => void done.push('work'),
  );
  for (const _ of ['first', 'second', 'third']) await handler((await receive()) as SQSEvent, context);
  expect(done).toEqual(['exit', 'exit', 'work']);
});

test('a job whose run can not be read is delivered again within seconds, and its run is then audited', async () => {
  const check = aCheck({ regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  const { receive } = await aQueue(jobOf(run));
  let outage = true;
  const store = {
    ...world.store,
    findRunOfAnyOwner: (of: Parameters<World['store']['findRunOfAnyOwner']>[0]) =>
      outage ? Promise.reject(new Error('DynamoDB is unavailable')) : world.store.findRunOfAnyOwner(of),
  };
  const backoff = (receives: number) => returnAfterSeconds(receives) / 5;
  const handler = queue({ schema: AuditJob, backoff }, () => runAudit({ ...world, store, ...audited }));

  const first = (await receive()) as SQSEvent;
  expect(await handler(first, context)).toEqual(failed(first));
  outage = false;
  const second = (await receive()) as SQSEvent; // its queue's visibility timeout is an hour
  expect(second.Records[0]?.attributes.ApproximateReceiveCount).toBe('2');
  expect(await handler(second, context)).toEqual({ batchItemFailures: [] });
  expect(await world.runOf(check.id)).toMatchObject({ state: 'succeeded', lostLeases: 0 });
});

test('a function that can not be built returns its message too', async () => {
  const { receive } = await aQueue(aJob());
  const handler = queue({ schema: AuditJob, backoff: () => 1 }, () => {
    throw new Error('TABLE_NAME is missing');
  });
  const event = (await receive()) as SQSEvent;
  expect(await handler(event, context)).toEqual(failed(event));
  expect(await receive()).toBeDefined();
});

test('a claim whose response is lost is repeated with the same lease', async () => {
  const check = aCheck({ regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  let lost = 0;
  const leases: World['leases'] = {
    ...world.leases,
    claim: async (...claim) => {
      const lease = await world.leases.claim(...claim);
      if (lost++ === 0) throw new Error('the response was lost');
      return lease;
    },
  };
  const work = runAudit({ ...world, leases, ...audited, retryDelaysMs: [1] });
  await work(jobOf(run), () => 600_000);
  expect(await world.runOf(check.id)).toMatchObject({ state: 'succeeded', lostLeases: 0, attempts: [{ number: 1 }] });
});

test('an outage of ten minutes fails no run: three receives end in a dead letter, which makes the run due', async () => {
  const untilDead = [1, 2, 3].map(returnAfterSeconds);
  expect(untilDead).toEqual([5, 20, 80]);
  expect([4, 5, 100].map(returnAfterSeconds)).toEqual([120, 120, 120]);
  const check = aCheck({ regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  await closeLostRun(world)(jobOf(run));
  const { state, dueAt } = await world.runOf(check.id);
  expect(state).toBe('created');
  expect(Date.parse(dueAt ?? '')).toBeLessThan(Date.now() + 61_000);
});
