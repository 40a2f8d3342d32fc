import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { EVERYTHING } from './batch.ts';
import type { Database } from './database.ts';
import { ServiceError } from './table/errors.ts';

type Row = {
  key: string;
  type: string | null;
  encoding: string | null;
  etag: string;
  bytes: number;
  modified: number;
  body: Uint8Array | null;
  file: string | null;
};
export type ObjectRequest = {
  method: string;
  key: string;
  query: Record<string, unknown>;
  headers: Record<string, string>;
  body?: Uint8Array | string | undefined;
};
export type ObjectAnswer = { status: number; headers: Record<string, string>; body?: Readable | Uint8Array };

/** Objects up to this size are rows. Larger ones are files, so that they don't hold up the event loop. */
const MAX_ROW_BYTES = 4096;
const MAX_LISTED = 1000;
/** The greatest text that begins with a text is below the text with this at its end. */
const LAST_LETTER = '\u{10ffff}';

/** The reports, screenshots and secrets: small ones in the database, others as files. Answers the requests of S3 that the service sends. */
export class Objects {
  readonly #database: Database;
  readonly #folder: string | undefined;
  #directory: Promise<FileHandle> | undefined;
  /** Files that have no row yet. */
  readonly #writing = new Set<string>();

  constructor(database: Database, folder: string | undefined) {
    this.#database = database;
    this.#folder = folder;
    if (folder) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  async call({ method, key, query, headers, body = '' }: ObjectRequest): Promise<ObjectAnswer> {
    if (key === '' && method === 'GET') return await this.#list(query);
    if (method === 'PUT') return await this.#put(key, Buffer.from(body as string), headers);
    if (method === 'GET' || method === 'HEAD') return await this.#get(key, method);
    if (method === 'DELETE') return await this.#delete(key);
    throw new ServiceError('NotImplemented', `The objects on this machine don't know ${method}.`, 501);
  }

  /** Deletes the files that no row names, which a killed write or deletion has left. */
  async removeRemains(): Promise<void> {
    if (!this.#folder) return;
    const left = this.#unnamed(await readdir(this.#folder)); // a file gets its row after it is written
    if (left.length === 0) return;
    await this.#database.read(() => ({ answer: undefined, parts: [EVERYTHING] })); // a deletion of a row may yet fail
    for (const name of this.#unnamed(left)) await rm(join(this.#folder, name), { force: true });
  }

  #unnamed(names: readonly string[]): string[] {
    const named = new Set<string>();
    const rows = this.#database.prepare('SELECT file FROM objects WHERE file IS NOT NULL').iterate();
    for (const { file } of rows) named.add(file as string);
    return names.filter((name) => !named.has(name) && !this.#writing.has(name));
  }

  async close(): Promise<void> {
    await (await this.#directory)?.close();
  }

  #find(key: string): Row | undefined {
    return this.#database.prepare('SELECT * FROM objects WHERE key = ?').get(key) as Row | undefined;
  }

  async #put(key: string, body: Buffer, headers: Record<string, string>): Promise<ObjectAnswer> {
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    const isNew = headers['if-none-match'] === '*';
    if (isNew && this.#find(key)) throw exists();
    const file = this.#folder && body.length > MAX_ROW_BYTES ? randomUUID() : null;
    if (file) this.#writing.add(file);
    try {
      if (file) await this.#writeFile(file, body);
      await this.#removeFile(await this.#writeRow(key, body, { etag, file, isNew, headers }));
    } finally {
      if (file) this.#writing.delete(file);
    }
    return { status: 200, headers: { etag } };
  }

  /** Writes a row. Returns the one that it replaces. */
  #writeRow(
    key: string,
    body: Buffer,
    { etag, file, isNew, headers }: Pick<Row, 'etag' | 'file'> & { isNew: boolean; headers: Record<string, string> },
  ): Promise<Row | undefined> {
    return this.#database.write(() => {
      const found = this.#find(key);
      if (isNew && found) throw exists();
      this.#database
        .prepare('INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
        .run(
          key,
          headers['content-type'] ?? null,
          headers['content-encoding'] ?? null,
          etag,
          body.length,
          Date.now(),
          file ? null : body,
          file,
        );
      return { answer: found };
    });
  }

  async #get(key: string, method: string): Promise<ObjectAnswer> {
    const row = await this.#database.read(() => ({ answer: this.#find(key) }));
    if (!row) throw new ServiceError('NoSuchKey', 'The specified key does not exist.', 404);
    const headers = {
      etag: row.etag,
      'content-length': String(row.bytes),
      'last-modified': new Date(row.modified).toUTCString(),
      ...(row.type && { 'content-type': row.type }),
      ...(row.encoding && { 'content-encoding': row.encoding }),
    };
    if (method === 'HEAD') return { status: 200, headers };
    const body = row.body ?? (await this.#readFile(row));
    return { status: 200, headers, body: Readable.from([Buffer.from(body)]) };
  }

  async #delete(key: string): Promise<ObjectAnswer> {
    const before = await this.#database.write(() => ({
      answer: this.#database.prepare('DELETE FROM objects WHERE key = ? RETURNING *').get(key) as Row | undefined,
    }));
    await this.#removeFile(before);
    if (before?.body) await this.#database.erase(); // it may be a secret
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

  /** Writes a file of which nobody knows yet, and syncs it and its name. */
  async #writeFile(name: string, body: Buffer): Promise<void> {
    const path = join(this.#folder as string, name);
    try {
      const file = await open(path, 'wx', 0o600);
      try {
        await file.writeFile(body);
        await file.sync();
      } finally {
        await file.close();
      }
      this.#directory ??= open(this.#folder as string, 'r');
      await (await this.#directory).sync();
    } catch (error) {
      await rm(path, { force: true }).catch(() => {}); // the next start removes it
      throw unavailable(error as Error);
    }
  }

  async #readFile({ key, file }: Row): Promise<Buffer> {
    try {
      return await readFile(join(this.#folder as string, file as string));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || this.#find(key)?.file === file)
        throw unavailable(error as Error);
      throw new ServiceError('NoSuchKey', 'The specified key does not exist.', 404); // deleted meanwhile
    }
  }

  async #removeFile(before: Row | undefined): Promise<void> {
    if (before?.file) await rm(join(this.#folder as string, before.file), { force: true });
  }
}

const exists = () =>
  new ServiceError('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', 412);
const unavailable = ({ message }: Error) =>
  new ServiceError('InternalError', `The object can't be used: ${message}`, 500);

/** Returns a text as XML has it. */
export const escaped = (text: string): string => text.replace(/[<>&"'\r]/g, (letter) => `&#${letter.charCodeAt(0)};`);
