import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Batch } from './batch.ts';
import { SCHEMA } from './database-schema.ts';
import { ServiceError } from './table/errors.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

/** The answer to a request, and the partitions that it has read or written. */
export type Result<T> = { answer: T; parts?: readonly string[] };

type Options = {
  /** Path of the file, or undefined for a database in memory. */
  path?: string | undefined;
  /** False in tests that are about other things than the power cut. */
  durable?: boolean | undefined;
};

const BUSY_MS = 5000; // another process writes for some milliseconds at a time
const POLL_MS = 20;
const ERASE_MS = 500;
const RETRY_MS = 2000;
const { setImmediate } = globalThis; // tests may replace it

/**
 * One SQLite file. The writes of one turn of the event loop share one transaction and one sync. With
 * `synchronous=NORMAL`, SQLite itself syncs for checkpoints only. Another thread syncs each transaction, and a request is
 * answered after that sync. Reads of unsynced partitions wait too, so no answer can be lost.
 */
export class Database {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Batches whose writes a power cut may still undo. A batch whose sync failed stays until the log is moved. */
  readonly #unsynced = new Set<Batch>();
  readonly #log: WriteAheadLog | undefined;
  #open: Batch | undefined;
  #erasing: NodeJS.Timeout | undefined;
  #erased: Promise<void> | undefined;
  #failure: Error | undefined;
  #recovering: NodeJS.Timeout | undefined;
  #closed = false;
  #busyMs = BUSY_MS;
  /** Is called when writes begin to fail, and when they succeed again. */
  onFailure: (error: Error | undefined) => void = () => {};

  constructor({ path, durable = true }: Options) {
    this.#db = new DatabaseSync(path ?? ':memory:', { timeout: BUSY_MS });
    this.#db.exec('PRAGMA auto_vacuum = FULL; PRAGMA secure_delete = ON'); // deleted reports leave the disk
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    this.#db.exec('PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 4000000');
    this.#db.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT`);
    this.#db.exec('PRAGMA busy_timeout = 0'); // requests wait outside the event loop's way
    if (path && durable) this.#log = new WriteAheadLog(this.#db, path);
  }

  /** Why writes fail at present, or undefined. */
  get failure(): Error | undefined {
    try {
      this.#log?.requireFiles();
    } catch (error) {
      return error as Error;
    }
    return this.#failure;
  }

  prepare(sql: string): StatementSync {
    if (this.#closed) throw unavailable(new Error('it is closed'));
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Runs reads. Resolves when all that they have seen is on the disk. */
  async read<T>(work: () => Result<T>): Promise<T> {
    const { answer, parts = [] } = this.#attempt(work);
    const seen = [...this.#unsynced].filter((batch) => batch.touches(parts)); // later batches don't matter
    await Promise.all(seen.map(({ done }) => done));
    return answer;
  }

  /** Runs writes in the transaction of this turn. Resolves when they are on the disk. */
  async write<T>(work: () => Result<T>): Promise<T> {
    const batch = this.#begin() ?? (await this.#beginLater()); // throws if the file can't be written
    let result: Result<T>;
    try {
      result = this.#attempt(work);
    } catch (error) {
      if (error instanceof ServiceError && error.status < 500)
        await batch.done; // it may depend on the batch
      else this.#fail(batch, error as Error);
      throw error;
    }
    for (const part of result.parts ?? []) batch.parts.add(part);
    await batch.done;
    return result.answer;
  }

  /** Empties the log within a second, so that deleted text is in no file. */
  eraseSoon(): void {
    if (this.#closed || this.#log === undefined) return;
    this.#erasing ??= setTimeout(() => this.erase(), ERASE_MS).unref();
  }

  /** Empties the log. Concurrent calls share one try. While another process reads, the log is emptied later. */
  erase(): Promise<void> {
    this.#erased ??= new Promise((resolve) => setImmediate(resolve)).then(() => {
      this.#erased = undefined;
      clearTimeout(this.#erasing);
      this.#erasing = undefined;
      if (this.#closed || this.#log === undefined) return;
      if (this.#open) return this.erase();
      try {
        this.#log.erase();
        this.#forgetFailed();
      } catch {
        this.eraseSoon();
      }
    });
    return this.#erased;
  }

  /** Sets how long a write waits for another process. */
  waitAtMost(ms: number): void {
    this.#busyMs = ms;
  }

  /** Ends all work. Later requests fail. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#recovering);
    clearTimeout(this.#erasing);
    if (this.#open) await this.#open.done.catch(() => {});
    await Promise.allSettled([...this.#unsynced].map(({ done }) => done));
    try {
      this.#log?.erase();
    } catch {
      // Another process uses the log. It keeps what was answered.
    }
    this.#db.close();
    this.#log?.close();
  }

  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw error instanceof ServiceError ? error : unavailable(error as Error);
    }
  }

  /** Returns the batch of this turn, or undefined while another process writes, until `waitsUntil`. */
  #begin(waitsUntil = Number.POSITIVE_INFINITY): Batch | undefined {
    if (this.#open) return this.#open;
    if (this.#closed) throw unavailable(new Error('it is closed'));
    try {
      if (this.#log?.mend() || this.#log?.shorten()) this.#forgetFailed();
      this.#db.exec('BEGIN IMMEDIATE');
    } catch (error) {
      if (/locked/.test((error as Error).message) && performance.now() < waitsUntil) return undefined;
      this.#setFailure(error as Error);
      throw unavailable(error as Error);
    }
    const batch = new Batch();
    this.#open = batch;
    this.#unsynced.add(batch);
    setImmediate(() => this.#commit(batch));
    return batch;
  }

  async #beginLater(): Promise<Batch> {
    const end = performance.now() + (this.#failure ? 0 : this.#busyMs);
    for (;;) {
      await pause(POLL_MS);
      const batch = this.#begin(end);
      if (batch) return batch;
    }
  }

  async #commit(batch: Batch): Promise<void> {
    if (this.#open !== batch) return; // it has failed
    this.#open = undefined;
    try {
      this.#attempt(() => this.#db.exec('COMMIT'));
      batch.isCommitted = true;
      await this.#log?.sync();
      this.#unsynced.delete(batch);
      batch.resolve();
      this.#setFailure(undefined);
    } catch (error) {
      this.#fail(batch, error as Error);
    }
  }

  /** Rolls a batch back, and fails all its requests. */
  #fail(batch: Batch, error: Error): void {
    if (this.#open === batch) this.#open = undefined;
    if (this.#db.isTransaction && !this.#open) {
      try {
        this.#db.exec('ROLLBACK');
      } catch {
        // SQLite has rolled it back.
      }
    }
    if (!batch.isCommitted) this.#unsynced.delete(batch);
    batch.reject(error instanceof ServiceError ? error : unavailable(error));
    this.#setFailure(error);
  }

  /** Call it when the log is in the file: the writes of failed batches are on the disk. */
  #forgetFailed(): void {
    for (const batch of this.#unsynced) if (batch.isFailed) this.#unsynced.delete(batch);
  }

  #setFailure(error: Error | undefined): void {
    if (this.#failure && !error) {
      this.#failure = undefined;
      this.onFailure(undefined);
    }
    if (!error || this.#closed) return;
    const isNew = !this.#failure;
    this.#failure = causeOf(error);
    if (isNew) this.onFailure(this.#failure);
    this.#recovering ??= setTimeout(() => {
      this.#recovering = undefined;
      this.write(() => {
        this.prepare('INSERT OR REPLACE INTO probe VALUES (1, ?)').run(Date.now());
        return { answer: undefined };
      }).catch((again) => this.#setFailure(again));
    }, RETRY_MS).unref();
  }
}

/** Returns the error of a service that can't work now. The SDK retries it. */
const unavailable = (cause: Error): ServiceError =>
  Object.assign(new ServiceError('InternalServerError', `The data can't be used: ${cause.message}`, 500), { cause });
const causeOf = (error: Error): Error => (error.cause as Error | undefined) ?? error;
