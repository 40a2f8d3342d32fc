import { createHash } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { type EmbeddedBucket, streamOf } from './embedded-bucket.ts';
import { type Answer, type EmbeddedTable, type TableCall, textOf } from './embedded-table.ts';
import type { Faults, RequestFault } from './faults.ts';
import type { Random } from './random.ts';
import type { Message } from './simulated-queue.ts';
import { type Context, contexts, type Timeline } from './timeline.ts';

type Request = {
  method: string;
  path: string;
  headers: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
};
type RequestOptions = { abortSignal?: AbortSignal; requestTimeout?: number };
type Response = { response: { statusCode: number; headers: Record<string, string>; body: unknown } };
type Service = 'table' | 'bucket' | 'queue';
/** A request on its way: `deliver` lets the service handle it. */
type Call = { service: Service; name: string; body: string; deliver: () => Promise<Answer> };

type Options = {
  timeline: Timeline;
  random: Random;
  faults: Faults;
  table: EmbeddedTable;
  bucket: EmbeddedBucket;
  /** Handles a message that a function sends. */
  onMessage: (queueUrl: string, body: string) => void;
  /** Returns the attributes of a queue. */
  queueAttributes: (queueUrl: string) => Record<string, string>;
  receiveDeadLetter: (queueUrl: string) => Message | undefined;
  removeDeadLetter: (queueUrl: string, id: number) => void;
  /** Handles a call of the table. */
  onTableCall: (call: TableCall, context: Context) => Promise<Answer>;
  /** Is called when a report has been stored, with the object that it replaced. */
  onStored: (key: string, before: Buffer | undefined) => void;
  trace: (text: string) => void;
};

const LONGEST_OUTAGE_MS = 90_000;

/**
 * Replaces the SDK's HTTP handler. Requests of simulated processes go to the embedded services, with faults. The SDK
 * above it is the real one: it signs, times out and repeats. Returns a function that restores the handler.
 */
export const replaceNetwork = (options: Options): (() => void) => {
  const { timeline, random, faults, trace } = options;
  const prototype = Object.getPrototypeOf(new S3Client({ region: 'us-west-2' }).config.requestHandler);
  const real = prototype.handle;
  const outages = new Map<Service, number>(); // end of the newest outage

  /**
   * Calls of the current step. The SDK's caches decide how fast it signs, so the order of concurrent calls is arbitrary.
   * Sorted, they draw the same faults in each replay.
   */
  let made: { name: string; send: () => void }[] = [];
  const sendInOrder = (name: string, send: () => void) => {
    if (made.length === 0) {
      timeline.after(0, () => {
        const calls = made.toSorted((a, b) => (a.name < b.name ? -1 : 1));
        made = [];
        for (const each of calls) each.send();
      });
    }
    made.push({ name, send });
  };

  const send = (call: Call, context: Context, timeoutMs: number, signal?: AbortSignal): Promise<Response> =>
    new Promise((resolve, reject) => {
      sendInOrder(`${context.process.name} ${call.name} ${call.body}`, () => {
        if (!context.process.dead) transfer(call, context, timeoutMs, signal).then(resolve, reject);
      });
    });

  const transfer = async (call: Call, context: Context, timeoutMs: number, signal?: AbortSignal): Promise<Response> => {
    const { process } = context;
    const down = (outages.get(call.service) ?? 0) > timeline.now();
    const fault: RequestFault | undefined = down ? 'outage' : faults.ofRequest();
    if (fault === 'outage' && !down) outages.set(call.service, timeline.now() + random.between(500, LONGEST_OUTAGE_MS));
    trace(`${process.name} → ${call.name}${fault ? ` [${fault}]` : ''}`);
    if (fault === 'process dies before') process.kill();
    const stallMs = fault?.startsWith('process stalls') ? stallOf(random) : 0;
    if (stallMs > 0) process.stalledUntil = timeline.now() + stallMs;

    const never = fault === 'cut' || fault === 'refused' || fault === 'outage' || fault === 'process dies before';
    const slowMs = random.between(200, 4000);
    const there =
      random.between(1, 25) +
      (fault === 'slow request' ? slowMs : 0) +
      (fault === 'process stalls before' ? stallMs : 0);
    const back = random.between(1, 25) + (fault === 'slow answer' ? slowMs : 0);

    return new Promise<Response>((resolve, reject) => {
      const fail = (ms: number, message: string) =>
        timeline.after(ms, () => reject(transientError(message, 'ECONNRESET')), context);
      const answer = (ms: number, { status, headers, body }: Answer) => {
        const content = call.service === 'bucket' ? streamOf(body) : new Uint8Array(body);
        timeline.after(ms, () => resolve({ response: { statusCode: status, headers, body: content } }), context);
      };
      timeline.after(timeoutMs, () => reject(transientError('the request has timed out', 'ETIMEDOUT')), context);
      signal?.addEventListener('abort', () =>
        reject(Object.assign(new Error('Request aborted', { cause: signal.reason }), { name: 'AbortError' })),
      );
      if (fault === 'cut' || fault === 'outage') fail(there, 'the connection was cut');
      if (fault === 'refused') answer(there + back, unavailable(call.service));
      if (never) return;
      timeline.after(there, async () => {
        if (process.dead && stallMs > 0) return; // it died before it could send
        const result = await call.deliver();
        trace(`${call.name} of ${process.name}: ${result.status}`);
        if (fault === 'process dies after') process.kill();
        else if (fault === 'answer lost') fail(back, 'the connection was cut before the answer');
        else if (fault === 'handled, error answered') answer(back, unavailable(call.service));
        else if (fault !== 'silent') answer(back, result);
      });
    });
  };

  prototype.handle = async function (request: Request, { abortSignal, requestTimeout }: RequestOptions = {}) {
    const context = contexts.getStore();
    if (!context) return real.call(this, request, { abortSignal, requestTimeout });
    this.config ??= await this.configProvider;
    abortSignal?.throwIfAborted();
    return send(callOf(request, context, options), context, requestTimeout ?? this.config.requestTimeout, abortSignal);
  };
  return () => {
    prototype.handle = real;
  };
};

const messagesOf = (message: Message | undefined) =>
  message
    ? [{ MessageId: `${message.id}`, Body: message.body, MD5OfBody: md5(message.body), ReceiptHandle: `${message.id}` }]
    : [];

/** Returns the checksum of a message, without which the SDK refuses the message. */
const md5 = (body: string): string => createHash('md5').update(body).digest('hex');

const callOf = (request: Request, context: Context, options: Options): Call => {
  const { method, path, headers, query = {}, body } = request;
  const [service = '', operation = ''] = (headers['x-amz-target'] ?? '').split('.');
  if (service.startsWith('DynamoDB')) {
    const input = JSON.parse(textOf(body));
    const call = { operation, input };
    const { Key = {}, Item = {}, ExpressionAttributeValues: values = {} } = input;
    const key = [Key.pk ?? Item.pk ?? values[':key0'], Key.sk ?? Item.sk].map((each) => each?.S ?? '');
    return {
      service: 'table',
      name: `${operation} ${key.join(' ')}`,
      body: textOf(body),
      deliver: () => options.onTableCall(call, context),
    };
  }
  if (service === 'AmazonSQS') {
    const { QueueUrl, MessageBody = '', ReceiptHandle } = JSON.parse(textOf(body));
    const deliver = async () => {
      if (operation === 'GetQueueAttributes') return answerOf(200, { Attributes: options.queueAttributes(QueueUrl) });
      if (operation === 'ReceiveMessage')
        return answerOf(200, { Messages: messagesOf(options.receiveDeadLetter(QueueUrl)) });
      if (operation === 'DeleteMessage') {
        options.removeDeadLetter(QueueUrl, Number(ReceiptHandle));
        return answerOf(200, {});
      }
      options.onMessage(QueueUrl, MessageBody);
      return answerOf(200, { MessageId: 'simulated', MD5OfMessageBody: md5(MessageBody) });
    };
    return { service: 'queue', name: `${operation} ${QueueUrl}`, body: MessageBody, deliver };
  }
  const key = decodeURIComponent(path.split('/').slice(2).join('/'));
  const deliver = async () => {
    const before = options.bucket.objects.get(key);
    const answer = options.bucket.call({
      method,
      key,
      prefix: query.prefix,
      body: Buffer.from((body ?? '') as string),
    });
    if (method === 'PUT') options.onStored(key, before);
    return answer;
  };
  return { service: 'bucket', name: `${method} ${key || `${query.prefix}*`}`, body: '', deliver };
};

/** Returns a short stall, which may outlast a timeout, or a long one, which outlasts a lease. */
const stallOf = (random: Random): number =>
  random.chance(0.5) ? random.between(3000, 20_000) : random.between(80_000, 200_000);

const transientError = (message: string, code: string) =>
  Object.assign(new Error(message), { name: 'TimeoutError', code });

const answerOf = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from(JSON.stringify(body)),
});

const unavailable = (service: Service): Answer =>
  service === 'bucket'
    ? { status: 503, headers: {}, body: Buffer.from('<Error><Code>SlowDown</Code></Error>') }
    : answerOf(500, { __type: 'InternalServerError', message: 'simulated' });
