import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSMessageAttribute, SQSRecord } from 'aws-lambda';
import { forLog } from '../../functions/lib/redact.ts';
import type { Slots } from '../../functions/lib/slots.ts';
import { OWNER_ATTRIBUTE } from '../../shared/audit-job.ts';
import { queueSettings } from '../settings.ts';
import { lambdaContext } from './lambda-context.ts';

export type QueueHandler = (event: SQSEvent, context: Context) => unknown;
type Options = {
  sqs: SQSClient; // of the queue's region
  queueUrl: string;
  awsRegion: string;
  functionName: string;
  handler: QueueHandler;
  timeoutSeconds: number; // of the function: an event that takes longer has failed
  slots: Slots;
  onMessage?: (record: SQSRecord, phase: 'started' | 'ended', seconds?: number) => void;
  waitSeconds?: number | undefined; // of a long poll, at most 20
  visibilitySeconds?: number; // instead of the queue's own
  retryMs?: number; // first pause after a queue did not answer
  maxWaiting?: number; // messages at most that wait here for a slot
};

/**
 * Lambda's event source mapping for one queue: one message an event, deleted when the function says that it is done, left
 * to its visibility time-out otherwise. How often a message comes and when it is a dead letter is the queue's to say.
 * As in a fair queue of SQS, one owner's many messages do not hold up another's: they are all received, and wait here for
 * their turn. `stop` receives no more at once, gives back what no handler has started, and waits for the handlers at work,
 * at most `graceMs`.
 */
export const startPoller = (options: Options) => {
  const { queueUrl, slots, waitSeconds = 20, maxWaiting = 10_000 } = options;
  const { visibilitySeconds = queueSettings.visibilitySeconds, retryMs = 100 } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const receiveAbort = new AbortController();
  const waiting = new Set<Message>();
  const running = new Set<Promise<void>>();

  const poll = async () => {
    for (let failures = 0; !signal.aborted; ) {
      try {
        while (waiting.size >= maxWaiting) await pause(50, undefined, { signal });
        const wait = waiting.size > 0 ? Math.min(1, waitSeconds) : waitSeconds; // `stop` waits for it then
        const messages = await receive(options, Math.min(10, maxWaiting - waiting.size), wait, receiveAbort.signal);
        failures = 0;
        for (const message of messages) void process(message);
      } catch (error) {
        if (signal.aborted) return;
        if (failures === 0) logError(`${queueUrl} does not answer, and is asked again until it does`, error);
        await pause(Math.min(retryMs * 2 ** failures++, 10_000), undefined, { signal }).catch(() => {});
      }
    }
  };

  const process = async (message: Message) => {
    waiting.add(message);
    const release = await slots(signal, { owner: ownerOf(message), queue: queueUrl }).catch(() => undefined);
    if (!release) return; // `stop` gives it back
    waiting.delete(message);
    const work = handle(options, message).finally(() => {
      release();
      running.delete(work);
    });
    running.add(work);
  };

  const renewal = setInterval(
    () => setVisibility(options, waiting, visibilitySeconds).catch(() => {}), // and if not, the next one, or the message comes again
    (visibilitySeconds * 1000) / 3,
  );

  const polling = poll();
  const stop = async (graceMs: number): Promise<void> => {
    stopping.abort();
    clearInterval(renewal);
    if (waiting.size === 0) receiveAbort.abort(); // else it would take what is given back, and nobody would be there
    const ended = polling.then(() => Promise.all([setVisibility(options, waiting, 0).catch(() => {}), ...running]));
    await Promise.race([ended, pause(graceMs, undefined, { ref: false })]);
  };
  return { stop };
};

const receive = async (options: Options, atMost: number, waitSeconds: number, abortSignal: AbortSignal) => {
  const { sqs, queueUrl, visibilitySeconds } = options;
  const command = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: atMost,
    WaitTimeSeconds: waitSeconds,
    VisibilityTimeout: visibilitySeconds,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  const { Messages = [] } = await sqs.send(command, { abortSignal });
  return Messages;
};

/** Lets what waits here be seen by others in so many seconds, and not before. */
const setVisibility = async ({ sqs, queueUrl }: Options, messages: Iterable<Message>, VisibilityTimeout: number) => {
  const all = [...messages];
  for (let i = 0; i < all.length; i += 10) {
    const Entries = all
      .slice(i, i + 10)
      .map(({ ReceiptHandle }, n) => ({ Id: String(n), ReceiptHandle, VisibilityTimeout }));
    await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
};

const handle = async (options: Options, message: Message) => {
  const { sqs, queueUrl, awsRegion, functionName, handler, timeoutSeconds, onMessage } = options;
  const record = recordOf(message, queueUrl, awsRegion);
  const startedAt = performance.now();
  onMessage?.(record, 'started');
  try {
    const event = { Records: [record] };
    const result = await withTimeout(timeoutSeconds, () => handler(event, lambdaContext(functionName, timeoutSeconds)));
    const failures = (result as Partial<SQSBatchResponse> | null | undefined)?.batchItemFailures ?? [];
    // with one message an event, a failure that names another message fails this one too, as on Lambda
    if (failures.length === 0)
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: record.receiptHandle }));
  } catch (error) {
    logError(`${functionName} failed, its message stays in the queue`, error);
  }
  onMessage?.(record, 'ended', (performance.now() - startedAt) / 1000);
};

/** The end of `work`, or a failure when it takes longer than Lambda would let it. */
const withTimeout = async (seconds: number, work: () => unknown): Promise<unknown> => {
  const ended = new AbortController();
  const timeout = pause(seconds * 1000, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`timed out after ${seconds} seconds`);
  });
  return await Promise.race([(async () => work())(), timeout]).finally(() => ended.abort());
};

/** The owner as the group of the message, which SQS keeps, or as the attribute, which every engine does. */
const ownerOf = ({ Attributes, MessageAttributes }: Message): string =>
  Attributes?.MessageGroupId ?? MessageAttributes?.[OWNER_ATTRIBUTE]?.StringValue ?? '';

const recordOf = (message: Message, queueUrl: string, awsRegion: string): SQSRecord => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: message.Attributes as unknown as SQSRecord['attributes'],
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, attributeOf(value)]),
  ),
  md5OfBody: message.MD5OfBody ?? '',
  ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
  eventSource: 'aws:sqs',
  eventSourceARN: ['arn:aws:sqs', awsRegion, ...new URL(queueUrl).pathname.slice(1).split('/')].join(':'),
  awsRegion,
});

const attributeOf = ({ StringValue, BinaryValue, DataType }: MessageAttributeValue): SQSMessageAttribute => ({
  ...(StringValue !== undefined && { stringValue: StringValue }),
  ...(BinaryValue && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
  stringListValues: [],
  binaryListValues: [],
  dataType: DataType as SQSMessageAttribute['dataType'],
});

const logError = (what: string, error: unknown): void => console.error(`${what}: ${forLog(inspect(error))}`);
