import type { CheckStore } from '../store/checks.ts';
import type { RunItem } from '../store/items.ts';
import type { AuditQueues } from './audit-queues.ts';

/** Sends a run's job to the queue of its region, then records that it was sent. */
export const dispatch = async (
  { store, queues }: { store: Pick<CheckStore, 'markSent'>; queues: Pick<AuditQueues, 'send'> },
  run: RunItem,
  now: Date,
): Promise<void> => {
  const { checkId, id: runId, region, correlationId, owner } = run;
  await queues.send({ checkId, runId, region, correlationId, owner });
  await store.markSent(run, now);
};
