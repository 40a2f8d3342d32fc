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
import { redactForLog } from '../../functions/lib/redact.ts';
import type { Slots } from '../../functions/lib/slots.ts';
import { queueSettings } from '../settings.ts';
import { lambdaContext } from './lambda-context.ts';

export type QueueHandler = (event: SQSEvent, context: Context) => unknown;
type Options = {
  sqs: SQSClient; // client for the queue's region
  queueUrl: string;
  awsRegion: string;
  functionName: string;
  handler: QueueHandler;
  timeoutSeconds: number; // of the function; a longer event fails
  slots: Slots;
  onMessage?: (record: SQSRecord, phase: 'started' | 'ended', seconds?: number) => unknown;
  waitSeconds?: number | undefined; // duration of a long poll, at most 20
  visibilitySeconds?: number; // overrides the visibility timeout of the queue
  retryMs?: number; // first delay of the backoff while the queue does not respond
  maxWaiting?: number; // maximum of received messages that wait for a slot
  maxHeld?: number; // maximum of messages that wait or run, so that other consumers of the queue get the rest
};

/**
 * Polls a queue like Lambda's event source mapping, with one message per event. It deletes a message when the function
 * succeeds. Otherwise the message becomes visible again after its visibility timeout. The queue moves dead letters.
 *
 * Messages wait here for a slot, so that many messages of one owner don't delay another owner, as in a fair queue.
 * `stop` stops receiving, releases waiting messages, and waits up to `graceMs` for running handlers.
 */
export const startPoller = (options: Options) => {
  const { queueUrl, slots, waitSeconds = 20, maxWaiting = 10_000 } = options;
  const {
    visibilitySeconds = queueSettings.visibilitySeconds,
    retryMs = 100,
    maxHeld = Number.POSITIVE_INFINITY,
  } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const receiveAbort = new AbortController();
  const waiting = new Set<Message>();
  const running = new Set<Promise<void>>();

  const room = () => Math.min(maxWaiting - waiting.size, maxHeld - waiting.size - running.size);

  const poll = async () => {
    for (let failures = 0; !signal.aborted; ) {
      try {
        while (room() <= 0) await pause(50, undefined, { signal });
        const wait = waiting.size > 0 ? Math.min(1, waitSeconds) : waitSeconds; // `stop` waits for this poll
        const messages = await receive(options, Math.min(10, room()), wait, receiveAbort.signal);
        failures = 0;
        for (const message of messages) void process(message);
      } catch (error) {
        if (signal.aborted) return;
        if (failures === 0) logError(`The queue ${queueUrl} does not respond. The poller retries until it does`, error);
        await pause(Math.min(retryMs * 2 ** failures++, 10_000), undefined, { signal }).catch(() => {});
      }
    }
  };

  const process = async (message: Message) => {
    waiting.add(message);
    const release = await slots(signal, { owner: ownerOf(message), queue: queueUrl }).catch(() => undefined);
    if (!release) return; // `stop` releases it
    waiting.delete(message);
    const handling = handle(options, message).finally(() => {
      release();
      running.delete(handling);
    });
    running.add(handling);
  };

  const renewal = setInterval(
    () => setVisibility(options, waiting, visibilitySeconds).catch(() => {}), // the next renewal retries
    (visibilitySeconds * 1000) / 3,
  );

  const polling = poll();
  const stop = async (graceMs: number): Promise<void> => {
    stopping.abort();
    clearInterval(renewal);
    // An aborted poll stays open in the queue for a while. It would then receive the released messages.
    if (waiting.size === 0) receiveAbort.abort();
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

/** Sets the time until the queue delivers these messages again. */
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
  const { sqs, queueUrl, awsRegion, functionName, handler, timeoutSeconds } = options;
  const record = recordOf(message, queueUrl, awsRegion);
  const startedAt = performance.now();
  const announce = async (phase: 'started' | 'ended', seconds?: number) => options.onMessage?.(record, phase, seconds);
  announce('started').catch(logOfMessage);
  try {
    const event = { Records: [record] };
    const result = await withTimeout(timeoutSeconds, () => handler(event, lambdaContext(functionName, timeoutSeconds)));
    const failures = (result as Partial<SQSBatchResponse> | null | undefined)?.batchItemFailures ?? [];
    // An event has one message. As on Lambda, a failure that names an unknown message fails the whole event.
    if (failures.length === 0)
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: record.receiptHandle }));
  } catch (error) {
    logError(`${functionName} failed. SQS delivers its message again`, error);
  }
  announce('ended', (performance.now() - startedAt) / 1000).catch(logOfMessage);
};

/** Returns the result of `work`. Throws if `work` takes longer than the timeout. */
const withTimeout = async (seconds: number, work: () => unknown): Promise<unknown> => {
  const ended = new AbortController();
  const timeout = pause(seconds * 1000, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`timed out after ${seconds} seconds`);
  });
  return await Promise.race([(async () => work())(), timeout]).finally(() => ended.abort());
};

const ownerOf = ({ Attributes }: Message): string => Attributes?.MessageGroupId ?? '';

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

const logError = (message: string, error: unknown): void =>
  console.error(`${message}: ${redactForLog(inspect(error))}`);
const logOfMessage = (error: unknown): void => logError('The start or the end of a message was not shown', error);
