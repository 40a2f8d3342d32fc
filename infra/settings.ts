import type { ApiFunction } from '../shared/routes.ts';

/** Settings that the CDK constructs and the local service share. */
export const queueSettings = {
  functionTimeoutSeconds: 600,
  visibilitySeconds: 6 * 600, // AWS recommends six times the function's timeout
  maxReceiveCount: 3,
  retentionSeconds: 14 * 24 * 3600,
} as const;

/** Settings of the function that handles dead letters, and of their queue. */
export const deadLetterSettings = { functionTimeoutSeconds: 60, visibilitySeconds: 6 * 60 } as const;

/**
 * Names of the table's keys, which are strings. Both indexes are sparse. `open` holds unfinished items, sorted by due time.
 * `list` holds checks by owner and finished runs by URL, sorted by time, with what their lists show (`projects`).
 */
export const tableSettings = {
  partitionKey: 'pk',
  sortKey: 'sk',
  timeToLive: 'expiresAt',
  indexes: [
    { name: 'open', partitionKey: 'open', sortKey: 'dueAt', projects: [] as string[] },
    { name: 'list', partitionKey: 'list', sortKey: 'listKey', projects: ['listed'] },
  ],
} as const;

export const indexNames = tableSettings.indexes.map(({ name }) => name);

/** Settings of an API function that does not wait. */
export const apiSettings = { timeoutSeconds: 10 } as const;

/** Functions whose requests may wait for a check or a run. */
const waitingFunctions: readonly ApiFunction[] = ['get-check', 'get-run'];

/** Returns the timeout and the memory of an API function. */
export const apiFunctionSettings = (file: ApiFunction): { timeoutSeconds: number; memoryMb: number } => {
  // A wait takes up to 25 s, and API Gateway allows 30 s. The function mostly sleeps, so its memory would be wasted.
  if (waitingFunctions.includes(file)) return { timeoutSeconds: 29, memoryMb: 256 };
  return { timeoutSeconds: apiSettings.timeoutSeconds, memoryMb: functionSettings.apiMemoryMb };
};

/** Resources of the functions. Lambda assigns CPU by memory: 1,769 MB is one vCPU, 3,538 MB is two. */
export const functionSettings = {
  // Size of libuv's thread pool. DNS lookups may use half of it. Each audit's proxy runs up to six lookups at once, and
  // unfinished lookups of earlier pages keep their threads.
  auditThreads: 64,
  apiMemoryMb: 1024, // more CPU makes the first request of an instance faster
  auditMemoryMb: 3538, // on one vCPU, Lighthouse would slow the page that it measures
  // Room for the unpacked Chromium (221 MB), up to 150 MiB in the browser's cache, the trace and the report.
  auditStorageMb: 1024,
  sweepTimeoutSeconds: 60,
} as const;
