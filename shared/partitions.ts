/** Beginnings of the table's partition keys. Rights to the table name them. Each ends where an id begins. */
export const partitions = {
  check: 'CHECK#',
  run: 'RUN#',
  owner: 'OWNER#',
  share: 'SHARE#',
  key: 'KEY#',
} as const;
export type Partition = keyof typeof partitions;

/** Key of an item that doesn't exist. A read of it shows whether the table responds. */
export const READY = 'READY';
