/** Numbers and shapes that AWS and this machine must share: read by the constructs and by the local runner. */
export const queueSettings = {
  functionTimeoutSeconds: 600,
  visibilitySeconds: 6 * 600, // AWS asks for six times the function's time-out
  maxReceiveCount: 3,
  retentionSeconds: 14 * 24 * 3600,
} as const;

/** The table's keys, all strings. `open` is sparse: it holds what is not finished, by when it is due. */
export const tableSettings = {
  partitionKey: 'pk',
  sortKey: 'sk',
  timeToLive: 'expiresAt',
  index: { name: 'open', partitionKey: 'open', sortKey: 'dueAt' }, // projects keys only
} as const;

/** API Gateway's own limits. */
export const apiSettings = { timeoutSeconds: 10, maxBodyBytes: 10 * 1024 * 1024 } as const;
