import type { RunError } from '../../../shared/problems.ts';
import { emit, idsOf, log } from '../log.ts';
import type { DueStore } from '../store/due.ts';
import type { RunItem } from '../store/items.ts';
import { emitFinished } from './run-metrics.ts';

type Deps = { due: Pick<DueStore, 'abandon'> };

/** Fails a run with the error `abandoned`, unless it has changed since it was read. Logs and counts it. */
export const abandon = async ({ due }: Deps, run: RunItem, error: RunError, now: Date): Promise<void> => {
  if (!(await due.abandon(run, error, now))) return;
  const { lostLeases, tries } = run;
  log.error('The run is abandoned.', { ...idsOf(run), lostLeases, tries });
  emitFinished(run, error);
  emit('RunsAbandoned', 1, {});
};
