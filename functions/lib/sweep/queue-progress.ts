import type { Region } from '../../../shared/regions.ts';
import { QUEUE_ORDER_MS } from '../../../shared/service/due-times.ts';
import type { AuditQueues } from '../queue/audit-queues.ts';
import type { RunItem } from '../store/items.ts';
import type { WaitingStore } from '../store/waiting.ts';

type Deps = { queues: Pick<AuditQueues, 'count'>; waiting: Pick<WaitingStore, 'atWork'>; now: () => Date };

/** How far a region's queue is: if jobs wait in it, and when the oldest job was sent that a worker has now. */
export type Progress = { holdsJobs: boolean; oldestSentAt: string | undefined };

/**
 * Looks at the queue of a region once, when someone needs it first. SQS shows the age of the oldest message only as a metric,
 * minutes late. The leases show it at once: workers receive the oldest jobs first.
 */
export const queueProgress = ({ queues, waiting, now }: Deps, region: Region) => {
  let looking: Promise<Progress> | undefined;
  let seen: Progress | undefined;
  const look = async (): Promise<Progress> => {
    const [jobs, atWork] = await Promise.all([queues.count(region), waiting.atWork(region, now())]);
    // Lambda and the local poller hold received jobs for a moment before a worker claims their runs.
    const unclaimed = Math.max(0, jobs.received - atWork.count);
    return { holdsJobs: jobs.waiting + unclaimed > 0, oldestSentAt: atWork.oldestSentAt };
  };
  return {
    /** Returns what a look has seen, or undefined before. */
    seen: () => seen,
    look: async (): Promise<Progress> => {
      looking ??= look();
      seen = await looking;
      return seen;
    },
  };
};
export type QueueProgress = ReturnType<typeof queueProgress>;

/**
 * Returns true if the job of a run may still wait: the queue holds jobs, and those at work were sent earlier. If no job is at
 * work, the region is paused.
 */
export const mayStillWait = ({ holdsJobs, oldestSentAt }: Progress, { sentAt, createdAt }: RunItem): boolean =>
  holdsJobs &&
  (oldestSentAt === undefined || Date.parse(oldestSentAt) - QUEUE_ORDER_MS < Date.parse(sentAt ?? createdAt));
