/** Beginnings of the table's partition keys. Rights to the table name them. Each ends where an id begins. */
export const partitions = {
  check: 'CHECK#',
  run: 'RUN#',
  owner: 'OWNER#',
  openCheck: 'OPENCHECK#',
  share: 'SHARE#',
  key: 'KEY#',
  region: 'REGION#',
  webhook: 'WEBHOOK#',
  delivery: 'DELIVERY#',
  schedule: 'SCHEDULES#',
  latest: 'LATEST#',
  mark: 'MARK#',
  badge: 'BADGE#',
  build: 'BUILD#',
  upload: 'UPLOAD#',
  unsealed: 'UNSEALED#',
  fieldData: 'FIELD#',
  format: 'FORMAT',
} as const;
export type Partition = keyof typeof partitions;

/**
 * Largest number of shards of each kind of open items. The sweeper finds items of all these shards, so an environment can
 * lower or raise its own number at any time. Never lower this one: items of the shards beyond it would stay open.
 */
export const MAX_OPEN_SHARDS = 8;
