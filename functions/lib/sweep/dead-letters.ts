import { runError } from '../../../shared/problems.ts';
import type { AuditRegion } from '../../../shared/regions.ts';
import { countFailures, MAX_ATTEMPTS } from '../../../shared/run.ts';
import { AuditJob } from '../../../shared/service/audit-job.ts';
import { retryAfter } from '../../../shared/service/due-times.ts';
import { jsonText } from '../../../shared/service/env.ts';
import { isFinished } from '../../../shared/states.ts';
import { emit, idsOf, log } from '../log.ts';
import type { DeadLetter, DeadLetterQueues } from '../queue/dead-letter-queues.ts';
import { abandon } from '../runs/abandon.ts';
import { settleAll } from '../settle-all.ts';
import type { CheckStore } from '../store/checks.ts';
import type { DueStore } from '../store/due.ts';
import { logFailures } from './log-failures.ts';

type Deps = {
  store: Pick<CheckStore, 'findRunOfAnyOwner'>;
  due: Pick<DueStore, 'abandon' | 'postpone'>;
  now?: () => Date;
};
type Drain = Deps & { deadLetters: DeadLetterQueues };

/** Dead letters of a region that are handled at once. */
const AT_ONCE = 5;

/**
 * Handles the dead letters of a region until its queue gives none. Returns the number of failures. SQS delivers a failed
 * letter again after its visibility timeout.
 */
export const drainDeadLetters = async (deps: Drain, region: AuditRegion, end: AbortSignal): Promise<number> => {
  if (!deps.deadLetters.regions.includes(region)) return 0;
  let failures = 0;
  while (!end.aborted) {
    const [received] = await Promise.allSettled([deps.deadLetters.receive(region)]);
    if (received.status === 'rejected')
      return failures + logFailures('Could not receive dead letters.', region, [received]);
    if (received.value.length === 0) break;
    const handled = await settleAll(received.value, AT_ONCE, (letter) => handleLetter(deps, region, letter));
    failures += logFailures('Could not handle a dead letter.', region, handled);
  }
  return failures;
};

const handleLetter = async (deps: Drain, region: AuditRegion, letter: DeadLetter): Promise<void> => {
  const job = jsonText.pipe(AuditJob).safeParse(letter.body);
  if (job.success) await closeLostRun(deps)(job.data);
  else
    log.error("The message is dropped, because it can't be parsed.", {
      region,
      messageId: letter.id,
      reason: job.error.message,
    });
  emit('JobsLost', 1, {});
  await deps.deadLetters.remove(region, letter);
};

/** Fails the run of a dead letter if it has no attempts left. Makes any other run due soon. */
export const closeLostRun =
  ({ store, due, now = () => new Date() }: Deps) =>
  async ({ checkId, runId, createId }: AuditJob): Promise<void> => {
    const run = await store.findRunOfAnyOwner({ checkId, id: runId, createId });
    if (!run || isFinished(run.state)) return;
    if (run.lease && run.lease.until > now().toISOString()) return; // another delivery is at work
    log.error('The job failed in every delivery.', { ...idsOf(run), attempts: run.attempts.length });
    if (countFailures(run.attempts) < MAX_ATTEMPTS) {
      const later = new Date(now().getTime() + retryAfter(run.tries));
      await due.postpone(run, later, { sends: 0, tries: run.tries + 1 });
      return;
    }
    const error = runError('abandoned', { auditCode: run.attempts.at(-1)?.auditCode ?? null });
    await abandon({ due }, run, error, now());
  };
