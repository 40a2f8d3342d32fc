import { functionRows } from '../shared/service/functions.ts';

/** Returns the visibility timeout of a function's queue, in seconds. AWS recommends six times the function's timeout. */
const visibilityOf = (file: 'run-audit' | 'deliver-webhook') => 6 * functionRows[file].timeoutSeconds;

/** Settings of the queues of audit jobs. The CDK constructs and the local service share them. */
export const queueSettings = {
  visibilitySeconds: visibilityOf('run-audit'),
  maxReceiveCount: 3,
  retentionSeconds: 14 * 24 * 3600,
} as const;

/** Settings of the queues of dead letters. The sweeper receives them for at most 60 s, its own timeout. */
export const deadLetterSettings = { visibilitySeconds: 120 } as const;

/**
 * Settings of the instances that audit beside Lambda. An instance audits one page at a time on two cores. Several types make an
 * interruption of all Spot instances unlikely.
 */
export const workerSettings = {
  instanceTypes: ['c7i.large', 'c6i.large', 'c7a.large', 'c6a.large', 'm7i.large', 'm6i.large'],
  diskGb: 16, // system, image and temporary files
  addAtSeconds: 60, // age of the oldest job at which an instance is added
  addManyAtSeconds: 300, // age at which four are added
  stopSeconds: 60, // for running audits, when an instance is removed
} as const;

/**
 * Settings of the queue of deliveries. `atOnce` is the number of messages that are handled at the same time: a receiver that
 * hangs takes three of them at most, and one after its first failure.
 */
export const deliverySettings = { visibilitySeconds: visibilityOf('deliver-webhook'), atOnce: 20 } as const;

/**
 * Names of the table's keys, which are strings. Both indexes are sparse. `open` holds unfinished items, sorted by due time, with
 * their leases.
 * `list` holds checks by owner and finished runs by URL, sorted by time, with what their lists show (`projects`).
 */
export const tableSettings = {
  partitionKey: 'pk',
  sortKey: 'sk',
  timeToLive: 'expiresAt',
  indexes: [
    { name: 'open', partitionKey: 'open', sortKey: 'dueAt', projects: ['lease'] },
    { name: 'list', partitionKey: 'list', sortKey: 'listKey', projects: ['listed'] },
  ],
} as const;

export const indexNames = tableSettings.indexes.map(({ name }) => name);

/**
 * Lives of reports, in days, that an environment may choose. The bucket has a lifecycle rule for each, so that a change of
 * the environment's retention leaves earlier reports their life.
 */
export const reportLives = [1, 3, 7, 14, 30, 60, 90, 180, 365, 400] as const;
