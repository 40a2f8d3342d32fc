/**
 * A store of dynalite. `db` is its LevelDB, with a callback or a promise as the result. `close._original` closes LevelDB
 * so that it can be opened again.
 */
export type Store = {
  /** Writes a batch that adds or removes a check. */
  writeCounted?: (change: number, operations: unknown[], done: Done) => void;
  /** Called when a check is deleted. */
  onErased?: () => void;
  db: {
    open(): Promise<void>;
    close: { _original(): Promise<void> };
    compactRange(from: string, to: string): Promise<void>;
    get(key: string): Promise<unknown>;
    get(key: string, done: (error: Error | null, value?: unknown) => void): void;
    put(key: string, value: unknown, done: Done): void;
    del(key: string, done: Done): void;
    batch(operations: unknown[]): Promise<void>;
    batch(operations: unknown[], done: Done): void;
    keys(range: object): AsyncIterable<string>;
    values(range: object): Values;
  };
};
export type Done = (error: Error | null) => void;
export type Values = {
  next(): Promise<unknown>;
  close(): Promise<void>;
  return?: () => Promise<void>;
  [Symbol.asyncIterator]?: () => AsyncIterator<object>;
};

/** An item as the engine stores it. */
export type StoredItem = { sk?: { S?: string }; erasedAt?: unknown } | null | undefined;
export const isCheck = (item: StoredItem): boolean => item?.sk?.S === 'CHECK' && item.erasedAt === undefined;
