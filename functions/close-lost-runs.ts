import { runError } from '../shared/problems.ts';
import { countFailures, isFinished, MAX_ATTEMPTS } from '../shared/run.ts';
import { AuditJob } from '../shared/service/audit-job.ts';
import { retryAfter } from '../shared/service/due-times.ts';
import { envOf } from './lib/environment.ts';
import { idsOf, log } from './lib/log.ts';
import { closingDb } from './lib/queue/closing-db.ts';
import { queue } from './lib/queue/consumer.ts';
import { abandon } from './lib/runs/abandon.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import { type DueStore, dueStore } from './lib/store/due.ts';
import { secretStore } from './lib/store/secrets.ts';

/** Handles the dead letters of an audit queue: fails a run that has no attempts left, makes any other run due soon. */
export const handler = queue({ schema: AuditJob }, () => {
  const env = envOf('close-lost-runs');
  const db = closingDb(env, secretStore(env));
  return closeLostRuns({ store: checkStore(db), due: dueStore(db) });
});

type Deps = {
  store: Pick<CheckStore, 'findRunOfAnyOwner'>;
  due: Pick<DueStore, 'abandon' | 'postpone'>;
  now?: () => Date;
};

export const closeLostRuns =
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
    await abandon({ due }, run, error, now(), { isDeadLetter: true });
  };
