import type { z } from 'zod';
import type { Partition } from './partitions.ts';

export type TableAction = 'GetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';
export type TableActions = Partial<Record<Partition, readonly TableAction[]>>;
type IndexName = 'open' | 'list';
export type ObjectAction = 'GetObject' | 'PutObject' | 'DeleteObject';
export type StoredAction = ObjectAction | 'ListBucket';

/** Kinds of work that keep their concurrency when other functions are flooded. */
export const reservedFor = ['creates', 'reads', 'waits', 'agents', 'sweeps'] as const;
type ReservedFor = (typeof reservedFor)[number];

/**
 * A Lambda function. Its environment also says what it may use: `AUTH` the keys, `AUDIT_QUEUES` the queues of audit jobs.
 */
export type FunctionRow<Env = unknown> = {
  /** Schema with which the function parses its variables, once per cold start. */
  env: z.ZodObject & z.ZodType<Env>;
  timeoutSeconds: number;
  /** Timeout on one machine, where no gateway ends the request after 30 s. Default: `timeoutSeconds`. */
  localTimeoutSeconds?: number;
  /** Lambda assigns CPU by memory: 1,769 MB is one vCPU, 3,538 MB is two. */
  memoryMb: number;
  /** arm64 costs a fifth less. Only code without native parts runs on both. */
  architecture: 'arm64' | 'x86_64';
  storageMb?: number;
  /**
   * Concurrency of the account that only this function uses, and its limit. Each environment has a number for each kind of
   * work. Without it, the function shares the rest of the account's concurrency.
   */
  reserved?: ReservedFor;
  /** Size of libuv's thread pool for files, zlib and DNS lookups. */
  threads?: number;
  /** Actions on the items of the table, by partition. */
  table?: TableActions;
  /** Indexes of the table that it queries. */
  index?: IndexName | readonly IndexName[];
  /** Actions on reports. With ListBucket, S3 answers 404 for a missing report instead of 403. */
  reports?: readonly StoredAction[];
  /** Actions on the secrets of checks. ListBucket finds those of a check whose id the function knows. */
  secrets?: readonly StoredAction[];
  /** Actions on the secrets of schedules. */
  scheduleSecrets?: readonly ObjectAction[];
  /** Actions on the object with which the service compares the secrets of repeated creates. */
  fingerprintKey?: readonly ObjectAction[];
  /** Actions on the object with the key of the Chrome UX Report API. */
  cruxKey?: readonly ObjectAction[];
  /** True if it counts the jobs in the queues to which it sends. */
  countsJobs?: boolean;
};
