import type { Due, DueStore } from '../store/due.ts';
import type { WaitingStore } from '../store/waiting.ts';
import type { QueueProgress } from './queue-progress.ts';

type Deps = {
  due: Pick<DueStore, 'isListed'>;
  waiting: Pick<WaitingStore, 'postpone'>;
  progress: QueueProgress | undefined;
  now: () => Date;
};

/**
 * Postpones a run whose job waits in the queue. Most due items of a deep queue are such runs, and a read and a write each keep
 * them from delaying the others. A run that no check lists has no job.
 */
export const waitsInQueue = async ({ due, progress, waiting, now }: Deps, item: Due): Promise<boolean> => {
  const queue = progress?.seen();
  if (!queue?.holdsJobs || !(await due.isListed(item))) return false;
  return waiting.postpone(item, queue.oldestSentAt, now());
};
