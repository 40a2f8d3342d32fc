/** Names every partition, for reads of the whole table. */
export const EVERYTHING = '*';

/** The writes of one turn of the event loop. `done` resolves when they would survive a power cut. */
export class Batch {
  readonly parts = new Set<string>();
  readonly #settled = Promise.withResolvers<void>();
  readonly done = this.#settled.promise;
  readonly resolve = this.#settled.resolve;
  isCommitted = false;
  isFailed = false;

  constructor() {
    this.done.catch(() => {}); // a batch may have no request that waits
  }

  reject(error: Error): void {
    this.isFailed = true;
    this.#settled.reject(error);
  }

  touches(parts: readonly string[]): boolean {
    return parts.some((part) => part === EVERYTHING || this.parts.has(part));
  }
}
