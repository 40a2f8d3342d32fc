import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clientSettings } from '../../functions/lib/aws-client.ts';
import { slots } from '../../functions/lib/slots.ts';
import { startAws } from '../../infra/local/aws.ts';
import { type QueueHandler, startPoller } from '../../infra/local/poller.ts';
import { FULL } from '../support/full.ts';

/** Visibility timeout of tests that wait for it. A receive accepts fractions of a second, but a queue does not. */
const VISIBILITY_MS = FULL ? 1000 : 500;
const shortVisibility = FULL ? {} : { visibilitySeconds: VISIBILITY_MS / 1000 };

let aws: Awaited<ReturnType<typeof startAws>>;
let sqs: SQSClient;
let queues: Record<string, string>;
let deadLetters: Record<string, string>;
const pollers: { stop(graceMs: number): Promise<void> }[] = [];

const startQueues = async (visibilitySeconds?: number) => {
  aws = await startAws({ regions: ['us-west1', 'us-east4'], visibilitySeconds });
  for (const [name, value] of Object.entries(aws.env)) vi.stubEnv(name, value);
  sqs = new SQSClient(clientSettings());
  queues = JSON.parse(aws.env.AUDIT_QUEUES as string);
  deadLetters = JSON.parse(aws.env.DEAD_LETTER_QUEUES as string);
};
beforeEach(() => startQueues(1));
afterEach(async () => {
  await Promise.all(pollers.splice(0).map((poller) => poller.stop(0)));
  await aws.close();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const poll = (handler: QueueHandler, more: Partial<Parameters<typeof startPoller>[0]> = {}) => {
  const queueUrl = queues['us-west1'] as string;
  const fixed = { sqs, queueUrl, awsRegion: 'us-west-2', functionName: 'run-audit', timeoutSeconds: 30 };
  const poller = startPoller({ ...fixed, handler, slots: slots(10), ...more });
  pollers.push(poller);
  return poller;
};
const send = (MessageBody: string, region = 'us-west1', owner?: string) => {
  return sqs.send(new SendMessageCommand({ QueueUrl: queues[region], MessageBody, MessageGroupId: owner }));
};
const receive = async (QueueUrl = queues['us-west1'], WaitTimeSeconds = 0) => {
  const input = { QueueUrl, WaitTimeSeconds, VisibilityTimeout: 0, MessageSystemAttributeNames: ['All' as const] };
  return (await sqs.send(new ReceiveMessageCommand(input))).Messages?.map(({ Body }) => Body) ?? [];
};
/** Returns how many messages of a queue are not received yet. */
const unreceived = async (region: string) => {
  const input = { QueueUrl: queues[region], AttributeNames: ['ApproximateNumberOfMessages' as const] };
  return (await sqs.send(new GetQueueAttributesCommand(input))).Attributes?.ApproximateNumberOfMessages;
};
const bodies = ({ Records }: SQSEvent) => Records.map(({ body }) => body);
const muteErrors = () => vi.spyOn(console, 'error').mockImplementation(() => {});

test('the function receives a message as Lambda’s event, and the message is deleted afterwards', async () => {
  const handler = vi.fn(async (_: SQSEvent) => {});
  poll(handler, shortVisibility);
  const MessageAttributes = {
    trace: { DataType: 'String', StringValue: 'abc' },
    bytes: { DataType: 'Binary', BinaryValue: Buffer.from([0, 255]) },
  };
  await sqs.send(new SendMessageCommand({ QueueUrl: queues['us-west1'], MessageBody: '{"a":1}', MessageAttributes }));
  await expect.poll(() => handler).toHaveBeenCalledOnce();
  expect(handler.mock.calls[0]?.[0]).toEqual({
    Records: [
      {
        messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        receiptHandle: expect.any(String),
        body: '{"a":1}',
        attributes: expect.objectContaining({
          ApproximateReceiveCount: '1',
          SentTimestamp: expect.stringMatching(/^\d{13}$/),
          ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
        }),
        messageAttributes: {
          trace: { dataType: 'String', stringValue: 'abc', stringListValues: [], binaryListValues: [] },
          bytes: { dataType: 'Binary', binaryValue: 'AP8=', stringListValues: [], binaryListValues: [] },
        },
        md5OfBody: 'bb6cb5c68df4652941caf652a366f2d8',
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:us-west-2:000000000000:page-audit-local-audits-us-west1',
        awsRegion: 'us-west-2',
      },
    ],
  });
  await pause(1.5 * VISIBILITY_MS); // past its visibility timeout
  expect(handler).toHaveBeenCalledOnce();
});

test('a message is deleted if the function lists no failure, and delivered again after any other answer', async () => {
  const error = muteErrors();
  const answers: Record<string, [deliveries: number, QueueHandler]> = {
    nothing: [1, () => undefined],
    null: [1, () => null],
    'an empty list': [1, async () => ({ batchItemFailures: [] })],
    'null for the list': [1, () => ({ batchItemFailures: null })],
    'its own message': [2, ({ Records }) => ({ batchItemFailures: [{ itemIdentifier: Records[0]?.messageId }] })],
    'an unknown message': [2, () => ({ batchItemFailures: [{ itemIdentifier: 'another' }] })],
    'an empty identifier': [2, () => ({ batchItemFailures: [{ itemIdentifier: '' }] })],
    'a list of another form': [2, () => ({ batchItemFailures: {} })],
    'an error': [2, () => Promise.reject(new Error('broken'))],
  };
  /** Milliseconds from the first receive of each message to its deliveries. */
  const deliveries = new Map<string, number[]>();
  poll((event, context) => {
    const [{ body: name, attributes }] = event.Records as [SQSRecord];
    const times = deliveries.get(name) ?? [];
    deliveries.set(name, [...times, Date.now() - Number(attributes.ApproximateFirstReceiveTimestamp)]);
    return times.length === 0 ? answers[name]?.[1](event, context) : undefined;
  }, shortVisibility);
  for (const name of Object.keys(answers)) await send(name);
  const count = () => [...deliveries.values()].flat().length;
  const total = Object.values(answers).reduce((sum, [expected]) => sum + expected, 0);
  await expect.poll(() => count()).toBe(total);
  await pause(0.6 * VISIBILITY_MS);
  for (const [name, [expected]] of Object.entries(answers)) {
    const [, second = Number.POSITIVE_INFINITY, ...more] = deliveries.get(name) ?? [];
    expect([name, second < Number.POSITIVE_INFINITY ? 2 : 1, more]).toEqual([name, expected, []]);
    expect(second, name).toBeGreaterThan(0.9 * VISIBILITY_MS);
  }
  expect(error).toHaveBeenCalledOnce();
});

test('a message that fails three times becomes a dead letter, and its logged error has no secret', async () => {
  const error = muteErrors();
  const counts: (string | undefined)[] = [];
  poll(({ Records }) => {
    counts.push(Records[0]?.attributes.ApproximateReceiveCount);
    throw new Error('https://user:hunter2@site.example/?token=hunter2 is broken');
  }, shortVisibility);
  await send('bad');
  expect(await receive(deadLetters['us-west1'], 6)).toEqual(['bad']);
  expect(counts).toEqual(['1', '2', '3']);
  expect(error.mock.calls.join()).toMatch(/run-audit failed.*site\.example.* is broken/);
  expect(error.mock.calls.join()).not.toContain('hunter2');
}, 10_000);

test('an event that exceeds the function’s timeout fails and releases its slot', async () => {
  const error = muteErrors();
  const at = slots(1);
  const handler = vi.fn((event: SQSEvent) => (bodies(event)[0] === 'hangs' ? new Promise(() => {}) : undefined));
  poll(handler, { slots: at, timeoutSeconds: 0.3 });
  await send('hangs');
  await expect.poll(() => handler).toHaveBeenCalledOnce();
  await send('next');
  await expect.poll(() => handler).toHaveBeenCalledTimes(2);
  expect(bodies(handler.mock.calls[1]?.[0] as SQSEvent)).toEqual(['next']);
  expect(error.mock.calls.flat().join()).toMatch(/timed out after 0.3 seconds/);
});

test('at most as many events as slots are handled over all queues, and the queues take turns', async () => {
  let now = 0;
  let most = 0;
  const order: string[] = [];
  const handler: QueueHandler = async (event) => {
    most = Math.max(most, ++now);
    order.push(...bodies(event));
    await pause(60);
    now--;
  };
  for (let i = 0; i < 4; i++) await Promise.all([send(`west`), send(`east`, 'us-east4')]);
  const shared = slots(2);
  poll(handler, { slots: shared });
  poll(handler, { slots: shared, queueUrl: queues['us-east4'] as string, awsRegion: 'us-east-1' });
  await expect.poll(() => order).toHaveLength(8);
  expect(most).toBe(2);
  expect(order.slice(2, 6).sort()).toEqual(['east', 'east', 'west', 'west']); // the first two events took free slots
});

const MANY = FULL ? 1000 : 100;

test(`another owner’s job waits for at most one of an owner’s ${MANY} jobs, and no job is lost`, async () => {
  const started: string[] = [];
  const ended = new Set<string>();
  let slow = true;
  const handler: QueueHandler = async (event) => {
    const [body = ''] = bodies(event);
    started.push(body);
    if (slow) await pause(FULL ? 200 : 50);
    ended.add(body);
  };
  await aws.close();
  await startQueues(); // with the real visibility timeout
  const shared = slots(1);
  const regions = ['us-west1', 'us-east4'] as const;
  for (let i = 0; i < MANY; i += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, n) => send(`many ${i + n}`, regions[n % 2], 'many')));
  }
  for (const region of regions) poll(handler, { slots: shared, queueUrl: queues[region] as string });
  for (const region of regions) await expect.poll(() => unreceived(region)).toBe('0');
  for (const region of regions) {
    const count = started.length;
    await expect.poll(() => started.length, { interval: 5 }).toBeGreaterThan(count); // a job has just started
    const before = started.length;
    await send(`single ${region}`, region, 'single');
    await expect.poll(() => started, { interval: 5 }).toContain(`single ${region}`);
    expect(started.indexOf(`single ${region}`)).toBe(before);
  }
  slow = false;
  await expect.poll(() => ended.size, { timeout: 40_000 }).toBe(MANY + 2);
}, 60_000);

test('owners take turns for slots, and so do the queues of an owner', async () => {
  const take = slots(1);
  const { signal } = new AbortController();
  const order: string[] = [];
  const first = await take(signal, { owner: 'a', queue: 'west' });
  const request = (name: string) => {
    const [owner, queue] = name.split(' ');
    return take(signal, { owner, queue }).then((release) => {
      order.push(name);
      release();
    });
  };
  const requests = ['a west', 'a west', 'a east', 'b west', 'b west', 'c east'].map(request);
  first();
  await Promise.all(requests);
  expect(order).toEqual(['b west', 'c east', 'a east', 'b west', 'a west', 'a west']);
});

test('a message that waits for a slot longer than its visibility timeout is delivered once', async () => {
  const visibilityMs = FULL ? 3000 : 900;
  await aws.close();
  await startQueues(3);
  const counts: Record<string, string[]> = {};
  const handler = async ({ Records }: SQSEvent) => {
    for (const { body, attributes } of Records)
      counts[body] = [...(counts[body] ?? []), attributes.ApproximateReceiveCount];
    await pause(visibilityMs * 0.43);
  };
  poll(handler, { slots: slots(1), visibilitySeconds: visibilityMs / 1000 });
  for (const body of ['a', 'b', 'c', 'd']) await send(body); // 'd' waits for 1.3 times the timeout
  await expect.poll(() => Object.keys(counts)).toHaveLength(4);
  await pause(visibilityMs / 2); // a second delivery would have started by now
  expect(counts).toEqual({ a: ['1'], b: ['1'], c: ['1'], d: ['1'] });
}, 15_000);

test('the poller receives at most `maxWaiting` messages, and the others stay in the queue', async () => {
  const started: string[] = [];
  let release = () => {};
  const work = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handler: QueueHandler = async (event) => {
    started.push(...bodies(event));
    await work;
  };
  for (let i = 0; i < 15; i++) await send(`${i}`);
  poll(handler, { slots: slots(1), maxWaiting: 12 });
  await expect.poll(() => started).toEqual(['0']);
  await pause(200);
  expect(await receive()).toHaveLength(1);
  release();
  await expect.poll(() => new Set(started).size).toBe(15);
});

test('slots are first come, first served, and an aborted request is skipped', async () => {
  const take = slots(1);
  const order: string[] = [];
  const stays = new AbortController();
  const leaves = new AbortController();
  const first = await take(stays.signal);
  const request = (name: string, { signal }: AbortController) =>
    take(signal).then((release) => {
      order.push(name);
      release();
    });
  const waiting = [request('a', stays), request('b', leaves), request('c', stays)];
  leaves.abort();
  first();
  await Promise.allSettled(waiting);
  expect(order).toEqual(['a', 'c']);
});

test('stop ends a long poll at once', async () => {
  const poller = poll(() => {});
  await pause(100);
  const at = performance.now();
  await poller.stop(5000);
  expect(performance.now() - at).toBeLessThan(4000); // a long poll takes 20 s, and the grace period is 5 s
});

test('stop waits for the running event, deletes its message and releases waiting messages', async () => {
  await aws.close();
  await startQueues(); // with the real visibility timeout, only a released message is received again
  const ended: string[] = [];
  const started: string[] = [];
  const poller = poll(
    async (event) => {
      started.push(...bodies(event));
      await pause(400);
      ended.push(...bodies(event));
    },
    { slots: slots(1), waitSeconds: FULL ? undefined : 0.2 },
  );
  for (const body of ['a', 'b', 'c']) await send(body);
  await expect.poll(() => started).toEqual(['a']);
  await pause(150); // 'b' is received and waits for the slot
  expect(ended).toEqual([]);
  await poller.stop(5000);
  expect(ended).toEqual(['a']);
  await pause(500);
  expect(started).toEqual(['a']);
  expect([...(await receive()), ...(await receive())].sort()).toEqual(['b', 'c']);
});

test('stop waits no longer than its grace period', async () => {
  const handler = vi.fn(() => new Promise(() => {}));
  const poller = poll(handler);
  await send('a');
  await expect.poll(() => handler).toHaveBeenCalledOnce();
  const at = performance.now();
  await poller.stop(200);
  expect(performance.now() - at).toBeLessThan(4000); // the handler never ends
});

test('an error of onMessage is logged, and the message is handled', async () => {
  const logged = muteErrors();
  const handled: string[][] = [];
  const onMessage = () => Promise.reject(new Error('no output'));
  poll(async (event) => void handled.push(bodies(event)), { onMessage });
  await send('one');
  await expect.poll(() => [handled, logged.mock.calls.length]).toEqual([[['one']], 2]);
});

test('onMessage is called when an event starts and when it ends, even if it fails', async () => {
  muteErrors();
  const phases: unknown[] = [];
  const onMessage = ({ body }: SQSRecord, phase: string, seconds?: number) => phases.push([body, phase, seconds]);
  poll(
    async () => {
      await pause(200);
      throw new Error('broken');
    },
    { onMessage },
  );
  await send('a');
  await expect.poll(() => phases).toHaveLength(2);
  expect(phases).toEqual([
    ['a', 'started', undefined],
    ['a', 'ended', expect.closeTo(0.25, 0)],
  ]);
});

test('a queue that does not respond is polled with backoff, logged once, and used when it responds again', async () => {
  const error = muteErrors();
  const retryMs = FULL ? 100 : 40;
  let requests = 0;
  let answer = '';
  const queue = createServer(async (_, response) => {
    requests++;
    await pause(retryMs / 5);
    response.writeHead(answer ? 200 : 500, { 'content-type': 'application/x-amz-json-1.0' }).end(answer);
  });
  queue.listen(0, '127.0.0.1');
  await once(queue, 'listening');
  const endpoint = `http://127.0.0.1:${(queue.address() as AddressInfo).port}`;
  const handler = vi.fn();
  const queueUrl = `${endpoint}/000000000000/audits`;
  poll(handler, {
    sqs: new SQSClient({ endpoint, maxAttempts: 1, credentials: { accessKeyId: 'a', secretAccessKey: 's' } }),
    queueUrl,
    retryMs,
  });
  await pause(10 * retryMs);
  expect(requests).toBeGreaterThan(2);
  expect(requests).toBeLessThan(6);
  expect(error).toHaveBeenCalledOnce();
  const message = { MessageId: 'm', ReceiptHandle: 'r', Body: 'b', MD5OfBody: '92eb5ffee6ae2fec3ad71c777531578f' };
  answer = JSON.stringify({ Messages: [message] });
  await expect.poll(() => handler).toHaveBeenCalled();
  await pollers[0]?.stop(0);
  queue.close();
  queue.closeAllConnections();
}, 10_000);

test('a poller that may hold one message leaves the others to other consumers until its function has ended', async () => {
  await Promise.all(['1', '2', '3'].map((body) => send(body)));
  const running: (() => void)[] = [];
  const handler = vi.fn(() => new Promise<void>((done) => void running.push(done)));
  poll(handler, { maxHeld: 1, visibilitySeconds: 30 });
  await expect.poll(() => handler).toHaveBeenCalledTimes(1);
  expect(await unreceived('us-west1')).toBe('2');
  running[0]?.();
  await expect.poll(() => handler).toHaveBeenCalledTimes(2);
  expect(await unreceived('us-west1')).toBe('1');
  running[1]?.();
  await expect.poll(() => running[2]).toBeDefined();
  running[2]?.();
});
