/** Numbers and shapes that AWS and this machine must share: read by the constructs and by the local runner. */
export const queueSettings = {
  functionTimeoutSeconds: 600,
  visibilitySeconds: 6 * 600, // AWS asks for six times the function's time-out
  maxReceiveCount: 3,
  retentionSeconds: 14 * 24 * 3600,
} as const;

/** The function behind the dead letters of an audit queue. */
export const deadLetterSettings = { functionTimeoutSeconds: 60, visibilitySeconds: 6 * 60 } as const;

/** The table's keys, all strings. `open` is sparse: it holds what is not finished, by when it is due. */
export const tableSettings = {
  partitionKey: 'pk',
  sortKey: 'sk',
  timeToLive: 'expiresAt',
  index: { name: 'open', partitionKey: 'open', sortKey: 'dueAt' }, // projects keys only
} as const;

/** API Gateway's own limits. */
export const apiSettings = { timeoutSeconds: 10, maxBodyBytes: 10 * 1024 * 1024 } as const;

/** What a function gets. Lambda gives processor time by memory: 1,769 MB is one vCPU, 3,538 MB two. */
export const functionSettings = {
  // Of libuv, of which look-ups of names have half: each audit's proxy may have six at once, those of earlier pages linger.
  auditThreads: 64,
  apiMemoryMb: 1024, // not for the memory: the first request of an instance is faster by it
  auditMemoryMb: 3538, // Chromium and Lighthouse on one vCPU measure each other
  // Chromium unpacked is 221 MB. Beside it a run of up to 150 MiB in the browser's cache, its trace and its report.
  auditStorageMb: 1024,
  sweepTimeoutSeconds: 60,
} as const;
