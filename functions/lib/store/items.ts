import { DeleteCommand, GetCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { AuditOptions } from '../../../shared/audit-options.ts';
import { Check } from '../../../shared/check.ts';
import type { Region } from '../../../shared/regions.ts';
import { Run } from '../../../shared/run.ts';
import { type Db, onlyIf, parse } from './dynamodb.ts';

/*
 * pk               sk             what it holds
 * CHECK#<checkId>  CHECK          the check: inputs, owner, ids of its runs, createdAt, completedAt
 * CHECK#<checkId>  RUN#<runId>    a run
 * RUN#<runId>      RUN            pointer to its check, for the paths without a check id
 * CHECK#<checkId>  CHECK          or what is left of an erased check until nothing can come of it any more: id, owner, erasedAt
 *
 * Each bears its owner. In the same table are API keys (keys.ts) and the use that owners make of their plans (usage.ts).
 *
 * Sparse index `open`: OPEN#<region> (runs) and OPEN#checks (checks), sorted by dueAt: whatever is not finished.
 * Every step of an open item sets a new dueAt, so that "dueAt is still the one I saw" means "nobody acted since".
 */
export type Key = { pk: string; sk: string };
export const checkKey = (checkId: string): Key => ({ pk: `CHECK#${checkId}`, sk: 'CHECK' });
export const runKey = (checkId: string, runId: string): Key => ({ pk: `CHECK#${checkId}`, sk: `RUN#${runId}` });
export const pointerKey = (runId: string): Key => ({ pk: `RUN#${runId}`, sk: 'RUN' });
export const openPartition = (of: Region | 'checks'): string => `OPEN#${of}`;

export const checkFields = Check.omit({ runs: true });

export const CheckItem = z.object({
  ...checkFields.shape,
  owner: z.string(),
  fingerprint: z.string(), // of the body as the client sent it
  token: z.string(), // of the create that wrote it
  runIds: z.array(z.uuid()),
  completedAt: z.iso.datetime().nullable(),
  countedOn: z.string().optional(), // among its owner's open checks: usage.ts
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
  token: z.string(), // of the create that wrote it last; its pointer bears the same
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
export const findRun = async ({ client, table: TableName }: Db, run: RunRef): Promise<RunItem | undefined> => {
  const get = new GetCommand({ TableName, Key: runKey(run.checkId, run.id), ConsistentRead: true });
  const { Item } = await client.send(get);
  return Item && parse(RunItem, Item);
};

/** Of one owner, where one is named: what is another's is not sent to us, so that it takes no longer than nothing. */
export const itemsOf = async ({ client, table: TableName }: Db, checkId: string, owner?: string) => {
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

export type Change = {
  set: Record<string, unknown>;
  remove?: string[];
  when: string;
  values: Record<string, unknown>;
};

/** Updates one item under a condition; gives the new item, or undefined where the condition did not hold. */
export const updateItem = async ({ client, table: TableName }: Db, Key: Key, change: Change) => {
  const update = new UpdateCommand({ TableName, Key, ...expression(change) });
  const { Attributes } = (await onlyIf(client.send(update))) ?? {};
  return Attributes;
};

export const updateRun = async (db: Db, run: RunRef, change: Change): Promise<RunItem | undefined> => {
  const item = await updateItem(db, runKey(run.checkId, run.id), change);
  return item && parse(RunItem, item);
};

/** Deletes an item under a condition. Whether it is gone now. */
export const deleteItem = async (
  { client, table: TableName }: Db,
  Key: Key,
  when: string,
  values: Record<string, unknown>,
): Promise<boolean> => {
  const names = when.includes('#token') ? { '#token': 'token' } : undefined;
  const deletion = new DeleteCommand({
    TableName,
    Key,
    ConditionExpression: when,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  });
  return Boolean(await onlyIf(client.send(deletion)));
};

const expression = ({ set, remove = [], when, values }: Change) => {
  const entries = Object.entries(set).filter(([, value]) => value !== undefined);
  const names = [...entries.map(([name]) => name), ...remove, ...(when.includes('#state') ? ['state'] : [])];
  const sets = entries.map(([name]) => `#${name} = :set_${name}`).join(', ');
  return {
    UpdateExpression: `SET ${sets}${remove.length > 0 ? ` REMOVE ${remove.map((name) => `#${name}`).join(', ')}` : ''}`,
    ConditionExpression: `attribute_exists(pk) AND (${when})`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...values,
      ...Object.fromEntries(entries.map(([name, value]) => [`:set_${name}`, value])),
    },
    ReturnValues: 'ALL_NEW' as const,
  };
};

export const at = (milliseconds: number) => new Date(milliseconds).toISOString();
