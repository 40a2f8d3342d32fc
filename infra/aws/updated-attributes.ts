import { Run } from '../../shared/run.ts';
import { planNames, tokensOf } from '../../shared/service/plans.ts';

const keys = ['pk', 'sk'];
/** Facts of a run that its create has decided. */
const inputs = { id: true, auditVersion: true, url: true, region: true, device: true, createdAt: true } as const;
/** Attributes of a check and of its entries in series that a function writes when it closes the check. */
const closing = ['completedAt', 'createId', 'list', 'listKey', 'listed', 'open', 'dueAt'];

/**
 * Attributes of runs and checks that `run-audit` updates. It works beside hostile pages, so it may change neither what a
 * create has decided nor an expiry.
 */
export const updatedRun = [
  ...keys,
  ...Run.omit(inputs).keyof().options,
  ...['lease', 'lostLeases', 'report', 'sends', 'tries', 'writeId'],
  ...closing,
];

/** Attributes of the newest results of a page that the end of a check updates. */
export const updatedLatest = [...keys, 'results', 'version', 'list', 'listKey', 'listed', 'expiresAt'];

/** Attributes of the usage of an owner that the end of a check updates. It must not count checks. */
export const updatedUsage = [...keys, 'refunded', 'stamp', ...planNames.map(tokensOf)];

/** Attributes of a region that its audit function updates. It must not end a pause. */
export const updatedRegion = [...keys, 'lastSuccessAt'];
