import type { Partition } from '../../shared/partitions.ts';
import { Run } from '../../shared/run.ts';

export type TableAction = 'GetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';
export type TableActions = Partial<Record<Partition, readonly TableAction[]>>;

/** Actions of a function that reads a check of its owner, or of a share link. */
const reads = { check: ['Query'], share: ['GetItem'] } as const;
/** Actions of a function that also finds a run without the id of its check. */
const readsRuns = { ...reads, run: ['GetItem'] } as const;

/** Actions of each function of the home region on the items of the table, by partition. */
export const tableActions = {
  'create-check': {
    check: ['GetItem', 'PutItem', 'Query', 'UpdateItem'],
    run: ['PutItem'],
    owner: ['GetItem', 'UpdateItem'],
  },
  'list-checks': { check: ['Query'] },
  'get-check': reads,
  'get-comparison': reads,
  'get-run': readsRuns,
  'get-report': readsRuns,
  'get-screenshot': readsRuns,
  'delete-check': {
    check: ['DeleteItem', 'GetItem', 'PutItem', 'Query'],
    run: ['DeleteItem'],
    owner: ['UpdateItem'],
    share: ['DeleteItem', 'GetItem'],
  },
  'create-link': { check: ['Query'], share: ['GetItem', 'PutItem'] },
  'delete-links': { check: ['Query'], share: ['DeleteItem'] },
  sweep: {
    check: ['DeleteItem', 'GetItem', 'Query', 'UpdateItem'],
    run: ['DeleteItem', 'GetItem'],
    owner: ['UpdateItem'],
    share: ['DeleteItem', 'GetItem'],
  },
} as const satisfies Record<string, TableActions>;

const keys = ['pk', 'sk'];
/** Facts of a run that its create has decided. */
const inputs = { id: true, auditVersion: true, url: true, region: true, device: true, createdAt: true } as const;
/** Attributes of a check and of its entries in series that a function writes when it closes the check. */
const closing = ['completedAt', 'createId', 'list', 'listKey', 'listed', 'open', 'dueAt'];

/**
 * Attributes of runs and checks that the functions beside the queues update. `run-audit` works beside hostile pages, so it
 * may change neither what a create has decided nor an expiry.
 */
export const updatedAttributes = {
  'run-audit': [
    ...keys,
    ...Run.omit(inputs).keyof().options,
    ...['lease', 'lostLeases', 'report', 'sends', 'tries', 'writeId'],
    ...closing,
  ],
  'close-lost-runs': [
    ...keys,
    ...['state', 'error', 'samples', 'finishedAt', 'updatedAt', 'lease', 'sends', 'tries', 'writeId'],
    ...closing,
  ],
} as const;

/** Attributes of an owner's usage that a function updates when it closes a check. */
export const updatedUsage = [...keys, 'openChecks'];
