import { EventEmitter, once } from 'node:events';
import { queueSettings } from '../settings.ts';
import type { Database } from './database.ts';
import { idOf, md5, messageOf, type Row, receiptOf } from './queue-messages.ts';
import { ServiceError } from './table/errors.ts';

/** A queue, and where it moves a message that was received too often. */
export type Queue = {
  name: string;
  visibilitySeconds?: number | undefined;
  deadLetters?: string;
  maxReceiveCount?: number;
};
type Input = {
  QueueUrl: string;
  QueueName: string;
  AttributeNames?: string[];
  MessageBody: string;
  MessageGroupId?: string;
  MessageAttributes?: Record<string, object>;
  DelaySeconds?: number;
  MaxNumberOfMessages?: number;
  WaitTimeSeconds?: number;
  VisibilityTimeout?: number;
  ReceiptHandle: string;
  Entries: { Id: string; ReceiptHandle: string; VisibilityTimeout?: number }[];
};

const MAX_BODY_BYTES = 2 ** 20;
/** Characters that a message may have, of the XML specification. */
const TEXT = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u;
/** Messages among which a receive takes turns by owner. */
const OLDEST = 1000;
const DEFAULT_VISIBILITY_SECONDS = 30;

/** The queues, as rows of the database. They answer the requests of SQS that the service sends. */
export class Queues {
  readonly #database: Database;
  readonly #queues: ReadonlyMap<string, Queue>;
  readonly #urlOf: (name: string) => string;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  readonly #closing = new AbortController();

  constructor(database: Database, queues: readonly Queue[], urlOf: (name: string) => string) {
    this.#database = database;
    this.#queues = new Map(queues.map((queue) => [queue.name, queue]));
    this.#urlOf = urlOf;
  }

  /** Ends the receives that wait. */
  close(): void {
    this.#closing.abort(new ServiceError('InternalServerError', 'The service stops.', 500));
  }

  /** Deletes all messages. The sweeper sends the jobs of all open items again. */
  async empty(): Promise<void> {
    await this.#write(() => void this.#run('DELETE FROM messages'));
    this.#database.eraseSoon();
  }

  /** Answers a request. `signal` ends a receive that waits. */
  async call(operation: string, input: Input, signal?: AbortSignal): Promise<object> {
    const answer = this.#operations[operation];
    if (!answer) throw new ServiceError('InvalidAction', `Unknown operation ${operation}`);
    return await answer(input, signal);
  }

  readonly #operations: Record<string, (input: Input, signal?: AbortSignal) => Promise<object> | object> = {
    SendMessage: (input) => this.#send(input),
    ReceiveMessage: (input, signal) => this.#receive(input, signal),
    DeleteMessage: (input) => this.#delete(input),
    ChangeMessageVisibility: (input) => this.#setVisibility(input),
    ChangeMessageVisibilityBatch: (input) => this.#setVisibilities(input),
    GetQueueUrl: ({ QueueName }) => ({ QueueUrl: this.#urlOf(this.#queue(QueueName).name) }),
    GetQueueAttributes: ({ QueueUrl, AttributeNames: asked = [] }) => {
      const all = Object.entries(this.#attributesOf(this.#queue(QueueUrl)));
      return { Attributes: Object.fromEntries(all.filter(([name]) => asked.includes('All') || asked.includes(name))) };
    },
  };

  /** Returns the queue with this name or URL. */
  #queue(nameOrUrl: string): Queue {
    const queue = this.#queues.get(nameOrUrl.split('/').at(-1) as string);
    if (!queue) throw new ServiceError('QueueDoesNotExist', 'The specified queue does not exist.');
    return queue;
  }

  #run(sql: string, ...values: (string | number)[]) {
    return this.#database.prepare(sql).run(...values);
  }

  #write<T>(work: () => T): Promise<T> {
    return this.#database.write(() => ({ answer: work() }));
  }

  async #send({ QueueUrl, MessageBody, MessageGroupId = '', MessageAttributes = {}, DelaySeconds = 0 }: Input) {
    const { name } = this.#queue(QueueUrl);
    if (MessageBody === '')
      throw new ServiceError('MissingParameter', 'The request must contain the parameter MessageBody.');
    if (!TEXT.test(MessageBody))
      throw new ServiceError(
        'InvalidMessageContents',
        'Invalid characters in the message body. See the XML specification.',
      );
    if (Buffer.byteLength(MessageBody) > MAX_BODY_BYTES)
      throw new ServiceError(
        'InvalidParameterValue',
        `One or more parameters are invalid. Reason: Message must be shorter than ${MAX_BODY_BYTES} bytes.`,
      );
    const now = Date.now();
    const sql = 'INSERT INTO messages (queue, body, owner, attributes, sent, visible) VALUES (?, ?, ?, ?, ?, ?)';
    const visible = now + 1000 * DelaySeconds;
    const { lastInsertRowid } = await this.#write(() =>
      this.#run(sql, name, MessageBody, MessageGroupId, JSON.stringify(MessageAttributes), now, visible),
    );
    this.#changes.emit(name);
    return { MessageId: idOf(Number(lastInsertRowid)), MD5OfMessageBody: md5(MessageBody) };
  }

  async #receive(input: Input, signal?: AbortSignal): Promise<object> {
    const queue = this.#queue(input.QueueUrl);
    const { WaitTimeSeconds = 0 } = input;
    for (const endsAt = Date.now() + 1000 * WaitTimeSeconds; ; ) {
      const due = this.#nextDue(queue);
      if (due <= Date.now()) {
        const Messages = await this.#write(() => this.#take(queue, input));
        if (Messages.length > 0) return { Messages };
      }
      const wait = Math.min(endsAt, this.#nextDue(queue)) - Date.now();
      if (Date.now() >= endsAt) return {};
      await this.#changeOf(queue.name, Math.max(1, wait), signal);
    }
  }

  /** Returns when the next message of a queue becomes visible. */
  #nextDue({ name }: Queue): number {
    const sql = 'SELECT min(visible) AS due FROM messages WHERE queue = ?';
    return (this.#database.prepare(sql).get(name)?.due as number | null) ?? Number.POSITIVE_INFINITY;
  }

  /** Resolves at the next change of a queue, or after some time. */
  async #changeOf(name: string, ms: number, signal?: AbortSignal): Promise<void> {
    const timeout = AbortSignal.timeout(Math.min(ms, 60_000));
    const ends = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]);
    await once(this.#changes, name, { signal: AbortSignal.any([ends, timeout]) }).catch(() => ends.throwIfAborted());
  }

  /** Takes visible messages, and moves those that were received too often to the dead letters. */
  #take(queue: Queue, { MaxNumberOfMessages = 1, VisibilityTimeout }: Input): object[] {
    const now = Date.now();
    const { name, deadLetters, maxReceiveCount, visibilitySeconds = DEFAULT_VISIBILITY_SECONDS } = queue;
    if (deadLetters && maxReceiveCount !== undefined) {
      const sql =
        'UPDATE messages SET queue = ?, receives = 0, first_received = NULL WHERE queue = ? AND visible <= ? AND receives >= ?';
      if (this.#run(sql, deadLetters, name, now, maxReceiveCount).changes > 0) this.#changes.emit(deadLetters);
    }
    const rows = this.#database
      .prepare(
        `SELECT * FROM (SELECT * FROM messages WHERE queue = ? AND visible <= ? ORDER BY visible, id LIMIT ${OLDEST})
         ORDER BY row_number() OVER (PARTITION BY owner ORDER BY visible, id), visible, id LIMIT ?`,
      )
      .all(name, now, Math.min(10, MaxNumberOfMessages)) as Row[];
    const until = now + 1000 * (VisibilityTimeout ?? visibilitySeconds);
    for (const { id } of rows) {
      const sql =
        'UPDATE messages SET visible = ?, receives = receives + 1, first_received = ifnull(first_received, ?) WHERE id = ?';
      this.#run(sql, until, now, id);
    }
    return rows.map((row) =>
      messageOf({ ...row, receives: row.receives + 1, first_received: row.first_received ?? now }),
    );
  }

  async #delete({ QueueUrl, ReceiptHandle }: Input): Promise<object> {
    const { name } = this.#queue(QueueUrl);
    const [id, receives] = receiptOf(ReceiptHandle);
    await this.#write(() =>
      this.#run('DELETE FROM messages WHERE id = ? AND queue = ? AND receives = ?', id, name, receives),
    );
    this.#database.eraseSoon(); // the job of an erased check has texts of the check
    return {};
  }

  async #setVisibility({ QueueUrl, ReceiptHandle, VisibilityTimeout = 0 }: Input): Promise<object> {
    const { name } = this.#queue(QueueUrl);
    const [id, receives] = receiptOf(ReceiptHandle);
    const now = Date.now();
    const sql = 'UPDATE messages SET visible = ? WHERE id = ? AND queue = ? AND receives = ? AND visible > ?';
    const { changes } = await this.#write(() =>
      this.#run(sql, now + 1000 * VisibilityTimeout, id, name, receives, now),
    );
    if (changes === 0) throw new ServiceError('MessageNotInflight', 'The message is not in flight.');
    this.#changes.emit(name);
    return {};
  }

  async #setVisibilities({ QueueUrl, Entries }: Input): Promise<object> {
    const changed = await Promise.all(
      Entries.map(({ Id, ...entry }) =>
        this.#setVisibility({ QueueUrl, ...entry } as Input).then(
          () => ({ Id }),
          (error: ServiceError) => ({ Id, SenderFault: true, Code: error.type, Message: error.message }),
        ),
      ),
    );
    return {
      Successful: changed.filter((each) => !('Code' in each)),
      Failed: changed.filter((each) => 'Code' in each),
    };
  }

  #attributesOf({ name, visibilitySeconds = DEFAULT_VISIBILITY_SECONDS }: Queue): Record<string, string> {
    const sql = `SELECT count(*) FILTER (WHERE visible <= ?1) AS visible, count(*) FILTER (WHERE visible > ?1 AND receives = 0) AS delayed,
      count(*) FILTER (WHERE visible > ?1 AND receives > 0) AS received FROM messages WHERE queue = ?2`;
    const { visible, delayed, received } = this.#database.prepare(sql).get(Date.now(), name) as Record<string, number>;
    return {
      ApproximateNumberOfMessages: `${visible}`,
      ApproximateNumberOfMessagesDelayed: `${delayed}`,
      ApproximateNumberOfMessagesNotVisible: `${received}`,
      VisibilityTimeout: `${visibilitySeconds}`,
      MessageRetentionPeriod: `${queueSettings.retentionSeconds}`,
    };
  }
}
