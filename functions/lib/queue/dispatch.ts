import { runError } from '../../../shared/problems.ts';
import type { AuditJob } from '../../../shared/service/audit-job.ts';
import { idsOf, log } from '../log.ts';
import { abandon } from '../runs/abandon.ts';
import type { DueStore } from '../store/due.ts';
import type { RunItem } from '../store/items.ts';
import type { AuditQueues } from './audit-queues.ts';

type Deps = { due: Pick<DueStore, 'abandon'>; queues: Pick<AuditQueues, 'send'> };

/**
 * Sends a run's job to the queue of its region. Abandons the run if the queue refuses the job itself, because a retry would
 * fail too. Returns true if the job was sent.
 */
export const dispatch = async (deps: Deps, run: RunItem, now: Date): Promise<boolean> => {
  try {
    await deps.queues.send(jobOf(run));
    return true;
  } catch (cause) {
    const error = cause as Error;
    const code = sqsCodeOf(error);
    if (!REFUSALS.includes(code)) throw error;
    log.error('The queue refused the job.', { ...idsOf(run), error });
    await abandon(deps, run, runError('abandoned', { detail: refusalBy(code) }), now);
    return false;
  }
};

export const jobOf = ({ checkId, id: runId, region, correlationId, owner, createId }: RunItem): AuditJob => ({
  checkId,
  runId,
  region,
  correlationId,
  owner,
  createId,
});

/** SQS's errors about a message itself. Others, such as a missing queue or right, can end, so the sweeper retries. */
const REFUSALS = ['InvalidMessageContents', 'InvalidParameterValue', 'InvalidAttributeValue', 'MissingParameter'];

/** Returns the error code, which the SDK may name `AWS.SimpleQueueService.<code>` or `<code>Exception`. */
const sqsCodeOf = ({ name }: Error): string => name.replace(/^AWS\.SimpleQueueService\.|Exception$/g, '');

const refusalBy = (code: string) => `The queue of the region refused the job of this run (${code}). \
Create the check again. If that run fails too, report its ID to the operator of the service.`;
