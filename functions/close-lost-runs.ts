import { AuditJob } from '../shared/audit-job.ts';
import { ReadEnv } from '../shared/env.ts';
import { metricNames } from '../shared/metrics.ts';
import { runError } from '../shared/problems.ts';
import { isFinished, MAX_ATTEMPTS } from '../shared/run.ts';
import { type CheckStore, checkStore } from './lib/check-store.ts';
import { count, log } from './lib/log.ts';
import { queue } from './lib/queue.ts';

/** Dead letters of an audit queue: fails a run whose attempts are used up, makes any other due at once. */
export const handler = queue(AuditJob, () => closeLostRuns({ store: checkStore(ReadEnv.parse(process.env)) }));

type Deps = { store: Pick<CheckStore, 'findRun' | 'abandon' | 'postpone'>; now?: () => Date };

export const closeLostRuns =
  ({ store, now = () => new Date() }: Deps) =>
  async ({ checkId, runId }: AuditJob): Promise<void> => {
    const run = await store.findRun({ checkId, id: runId });
    if (!run || isFinished(run.state)) return;
    if (run.lease && run.lease.until > now().toISOString()) return; // another delivery is at work, and due by its lease
    log.error('a job was delivered too often', { checkId, runId, region: run.region, attempts: run.attempts.length });
    if (run.attempts.length < MAX_ATTEMPTS) {
      await store.postpone(run, now());
      return;
    }
    if (await store.abandon(run, runError('abandoned', { auditCode: run.attempts.at(-1)?.auditCode ?? null }), now())) {
      count(metricNames.runFinished, { region: run.region });
      count(metricNames.runFailed, { region: run.region, code: 'abandoned', blame: 'service' });
    }
  };
