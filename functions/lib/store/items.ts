import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { AuditOptions } from '../../../shared/audit-options.ts';
import { Check } from '../../../shared/check.ts';
import { KEYS } from '../../../shared/keys.ts';
import type { Region } from '../../../shared/regions.ts';
import { Run, type RunState } from '../../../shared/run.ts';
import { type Change, type Condition, type Db, getItem, type Key, parse, updateItem } from './dynamodb.ts';

/*
 * pk               sk             what it holds
 * CHECK#<checkId>  CHECK          the check: inputs, owner, ids of its runs, createdAt, completedAt
 * CHECK#<checkId>  RUN#<runId>    a run
 * RUN#<runId>      RUN            pointer to its check, for the paths without a check id
 * CHECK#<checkId>  CHECK          or what is left of an erased check until nothing can come of it any more: id, owner, erasedAt
 * KEYS             KEY#<prefix>   an API key: its owner, the hash of its secret, what it may do, and when it was last used
 * OWNER#<owner>    USAGE          the owner's tokens by each plan of its keys (`tokens-<plan>`), and how many of its open checks
 *                                 were created on each day (`open-<date>`)
 *
 * Keys are one partition, so that they can be listed without an index: it is read once a minute by each instance for each key.
 *
 * Sparse index `open`: OPEN#<region> (runs) and OPEN#checks (checks), sorted by dueAt: whatever is not finished.
 * Every step of an open item sets a new dueAt, so that "dueAt is still the one I saw" means "nobody acted since".
 */
export const checkKey = (checkId: string): Key => ({ pk: `CHECK#${checkId}`, sk: 'CHECK' });
export const runKey = (checkId: string, runId: string): Key => ({ pk: `CHECK#${checkId}`, sk: `RUN#${runId}` });
export const pointerKey = (runId: string): Key => ({ pk: `RUN#${runId}`, sk: 'RUN' });
export const apiKeyKey = (prefix: string): Key => ({ pk: KEYS, sk: `KEY#${prefix}` });
export const usageKey = (owner: string): Key => ({ pk: `OWNER#${owner}`, sk: 'USAGE' });
export const openPartition = (of: Region | 'checks'): string => `OPEN#${of}`;

export const checkFields = Check.omit({ runs: true });

export const CheckItem = z.object({
  ...checkFields.shape,
  owner: z.string(),
  fingerprint: z.string(), // of the body as the client sent it
  createId: z.string(), // of the create that wrote it
  runIds: z.array(z.uuid()),
  completedAt: z.iso.datetime().nullable(),
  openCheckDay: z.string().optional(), // among its owner's open checks: usage.ts
  dueAt: z.string().optional(),
  expiresAt: z.number().optional(), // in seconds
});
export const ErasedItem = z.object({
  id: z.uuid(),
  owner: z.string(),
  erasedAt: z.iso.datetime(),
  dueAt: z.string(),
});
export const RunItem = z.object({
  ...Run.shape,
  checkId: z.uuid(),
  owner: z.string(),
  options: AuditOptions,
  correlationId: z.string(), // the request that created it
  createId: z.string(), // of the create that wrote it last; its pointer bears the same
  sends: z.int(),
  lostLeases: z.int(),
  lease: z.object({ id: z.uuid(), until: z.string() }).optional(),
  report: z.object({ key: z.string(), bytes: z.int(), gzipBytes: z.int() }).optional(),
  dueAt: z.string().optional(),
});
export type CheckItem = z.infer<typeof CheckItem>;
/** The mark of an erased check. Whose it was is all it holds of what the check held. */
export type ErasedItem = z.infer<typeof ErasedItem>;
export type RunItem = z.infer<typeof RunItem>;
export type RunRef = Pick<RunItem, 'checkId' | 'id'>;

/** A run as it stands, whoever works on it. */
export const findRun = async (db: Db, run: RunRef): Promise<RunItem | undefined> => {
  const item = await getItem(db, runKey(run.checkId, run.id));
  return item && parse(RunItem, item);
};

/** Of one owner, where one is named: what is another's is not sent to us, so that it takes no longer than nothing. */
export const readItems = async ({ client, table: TableName }: Db, checkId: string, owner?: string) => {
  const items: Record<string, unknown>[] = [];
  const mine = owner !== undefined && {
    FilterExpression: '#owner = :owner',
    ExpressionAttributeNames: { '#owner': 'owner' },
  };
  const pages = paginateQuery(
    { client },
    {
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': checkKey(checkId).pk, ...(mine && { ':owner': owner }) },
      ...mine,
      ConsistentRead: true,
    },
  );
  for await (const page of pages) items.push(...(page.Items ?? []));
  return { check: items.find((item) => item.sk === 'CHECK'), runs: items.filter((item) => item.sk !== 'CHECK') };
};

/** Updates a run under a condition; gives the new run, or undefined where the condition did not hold. */
export const updateRun = async (db: Db, run: RunRef, change: Change): Promise<RunItem | undefined> => {
  const item = await updateItem(db, runKey(run.checkId, run.id), change);
  return item && parse(RunItem, item);
};

/** Nobody acted on an open item since it was read. */
export const ifDueAt = (dueAt: string | undefined): Condition => ({
  condition: '#dueAt = :seen',
  values: { ':seen': dueAt },
});

export const ifState = (...states: readonly RunState[]): Condition => ({
  condition: `#state IN (${states.map((_, i) => `:state${i}`).join(', ')})`,
  values: Object.fromEntries(states.map((state, i) => [`:state${i}`, state])),
});

export const ifLease = (id: string | undefined): Condition => ({
  condition: '#lease.#id = :lease',
  values: { ':lease': id },
});
export const ifNoLease: Condition = { condition: 'attribute_not_exists(#lease)' };

/** Nothing was written by another create since an item was read. */
export const ifCreateId = (createId: string): Condition => ({
  condition: '#createId = :createId',
  values: { ':createId': createId },
});

/** DynamoDB deletes what has expired within days, each item by itself: till then it is there, and counts no more. */
export const isExpired = ({ expiresAt }: CheckItem): boolean =>
  expiresAt !== undefined && expiresAt * 1000 < Date.now();
export const ifAbsentOrExpired = (): Condition => ({
  condition: 'attribute_not_exists(#pk) OR #expiresAt < :now',
  values: { ':now': Math.floor(Date.now() / 1000) },
});

export const toIso = (milliseconds: number) => new Date(milliseconds).toISOString();
