import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bufferOf } from '../../functions/lib/thread/buffers.ts';
import { isSecretKey } from '../../shared/service/secret-folders.ts';
import type { Database } from './database.ts';
import { ServiceError } from './table/errors.ts';

type Row = {
  key: string;
  type: string | null;
  encoding: string | null;
  etag: string;
  bytes: number;
  modified: number;
  body: Uint8Array;
};
export type ObjectRequest = {
  method: string;
  key: string;
  query: Record<string, unknown>;
  headers: Record<string, string>;
  body?: Uint8Array | string | undefined;
};
export type ObjectAnswer = { status: number; headers: Record<string, string>; body?: Readable | Uint8Array };

const MAX_LISTED = 1000;
/** The greatest text that begins with a text is below the text with this at its end. */
const LAST_LETTER = '\u{10ffff}';

/** The reports, screenshots and secrets, as rows of the database. Answers the requests of S3 that the service sends. */
export class Objects {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async call({ method, key, query, headers, body = '' }: ObjectRequest): Promise<ObjectAnswer> {
    if (key === '' && method === 'GET') return await this.#list(query);
    if (method === 'PUT') return await this.#put(key, typeof body === 'string' ? Buffer.from(body) : body, headers);
    if (method === 'GET' || method === 'HEAD') return await this.#get(key, method);
    if (method === 'DELETE') return await this.#delete(key);
    throw new ServiceError('NotImplemented', `The objects on this machine don't know ${method}.`, 501);
  }

  async #put(key: string, body: Uint8Array, headers: Record<string, string>): Promise<ObjectAnswer> {
    const etag = await etagInTurns(body);
    const { 'content-type': type = null, 'content-encoding': encoding = null, 'if-none-match': condition } = headers;
    await this.#database.write(() => {
      if (condition === '*' && this.#database.prepare('SELECT 1 FROM objects WHERE key = ?').get(key)) throw exists();
      this.#database
        .prepare('INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?)')
        .run(key, type, encoding, etag, body.length, Date.now(), body);
      return { answer: undefined };
    });
    return { status: 200, headers: { etag } };
  }

  async #get(key: string, method: string): Promise<ObjectAnswer> {
    const row = await this.#database.read(() => ({
      answer: this.#database.prepare('SELECT * FROM objects WHERE key = ?').get(key) as Row | undefined,
    }));
    if (!row) throw new ServiceError('NoSuchKey', 'The specified key does not exist.', 404);
    if (method === 'GET' && (await etagInTurns(row.body)) !== row.etag)
      throw new ServiceError('DamagedObject', `The object ${key} is not as it was written.`, 422); // a retry doesn't help
    const headers = {
      etag: row.etag,
      'content-length': String(row.bytes),
      'last-modified': new Date(row.modified).toUTCString(),
      ...(row.type && { 'content-type': row.type }),
      ...(row.encoding && { 'content-encoding': row.encoding }),
    };
    return { status: 200, headers, ...(method === 'GET' && { body: Readable.from([bufferOf(row.body)]) }) };
  }

  async #delete(key: string): Promise<ObjectAnswer> {
    await this.#database.write(() => ({
      answer: this.#database.prepare('DELETE FROM objects WHERE key = ?').run(key),
    }));
    if (isSecretKey(key)) await this.#database.erase();
    else this.#database.eraseSoon();
    return { status: 204, headers: {} };
  }

  async #list({ prefix = '', 'max-keys': max, 'continuation-token': token = '' }: Record<string, unknown>) {
    const limit = Math.min(MAX_LISTED, Number(max ?? MAX_LISTED));
    const [start, after] = [String(prefix), String(token)];
    const rows = await this.#database.read(() => ({
      answer: this.#database
        .prepare(
          'SELECT key, etag, bytes, modified FROM objects WHERE key >= ? AND key < ? AND key > ? ORDER BY key LIMIT ?',
        )
        .all(start, start + LAST_LETTER, after, limit + 1) as Row[],
    }));
    const shown = rows.slice(0, limit);
    const contents = shown.map(
      ({ key, etag, bytes, modified }) =>
        `<Contents><Key>${escaped(key)}</Key><LastModified>${new Date(modified).toISOString()}</LastModified><ETag>${escaped(etag)}</ETag><Size>${bytes}</Size></Contents>`,
    );
    const next =
      rows.length > limit ? `<NextContinuationToken>${escaped(shown.at(-1)?.key ?? '')}</NextContinuationToken>` : '';
    return {
      status: 200,
      headers: { 'content-type': 'application/xml' },
      body: Buffer.from(
        `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
      ),
    };
  }
}

/** Returns the entity tag of an object with this content. */
export const etagOf = (body: Uint8Array): string => `"${createHash('md5').update(body).digest('hex')}"`;

/** Bytes that are hashed in one turn of the event loop. */
const TURN_BYTES = 2 ** 21;

const etagInTurns = async (body: Uint8Array): Promise<string> => {
  const hash = createHash('md5');
  for (let at = 0; at < body.length; at += TURN_BYTES) {
    if (at > 0) await nextTurn();
    hash.update(body.subarray(at, at + TURN_BYTES));
  }
  return `"${hash.digest('hex')}"`;
};

const exists = () =>
  new ServiceError('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', 412);

/** Returns a text as XML has it. */
export const escaped = (text: string): string => text.replace(/[<>&"'\r]/g, (letter) => `&#${letter.charCodeAt(0)};`);
