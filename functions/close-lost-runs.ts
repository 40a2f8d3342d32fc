import { AuditJob } from '../shared/audit-job.ts';
import { ReadEnv } from '../shared/env.ts';
import { runError } from '../shared/problems.ts';
import { failuresAmong, isFinished, MAX_ATTEMPTS } from '../shared/run.ts';
import { emitFinished, log } from './lib/log.ts';
import { queue } from './lib/queue/consumer.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';

/** Dead letters of an audit queue: fails a run whose attempts are used up, makes any other due at once. */
export const handler = queue(AuditJob, () => closeLostRuns({ store: checkStore(ReadEnv.parse(process.env)) }));

type Deps = { store: Pick<CheckStore, 'findRun' | 'abandon' | 'postpone'>; now?: () => Date };

export const closeLostRuns =
  ({ store, now = () => new Date() }: Deps) =>
  async ({ checkId, runId }: AuditJob): Promise<void> => {
    const run = await store.findRun({ checkId, id: runId });
    if (!run || isFinished(run.state)) return;
    if (run.lease && run.lease.until > now().toISOString()) return; // another delivery is at work, and due by its lease
    const { correlationId, region } = run;
    log.error('a job was delivered too often', {
      correlationId,
      checkId,
      runId,
      region,
      attempts: run.attempts.length,
    });
    if (failuresAmong(run.attempts) < MAX_ATTEMPTS) {
      await store.postpone(run, now());
      return;
    }
    const error = runError('abandoned', { auditCode: run.attempts.at(-1)?.auditCode ?? null });
    if (await store.abandon(run, error, now())) emitFinished(region, error);
  };
