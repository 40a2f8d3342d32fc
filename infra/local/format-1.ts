import { isDeepStrictEqual } from 'node:util';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { checkStore } from '../../functions/lib/store/checks.ts';
import {
  type Db,
  deleteItem,
  type Item,
  ifAbsent,
  ifExists,
  type Key,
  putItem,
  updateItem,
} from '../../functions/lib/store/dynamodb.ts';
import type { StoredCheck } from '../../functions/lib/store/find-check.ts';
import { checkKey, shareKey, trendKey } from '../../functions/lib/store/items.ts';
import { listedClosedCheck, listedNewCheck, listedRun } from '../../functions/lib/store/lists.ts';
import { putEmptyTrend } from '../../functions/lib/store/trends.ts';
import { ANONYMOUS } from '../../shared/keys.ts';

/**
 * Brings the items of a table that was written before data folders had a format number to format 1. Such a table may be of
 * any earlier version, so each item is judged by what it has. Safe to repeat. Returns the number of changed items.
 */
export const migrateToFormat1 = async (db: Db): Promise<number> => {
  let changed = 0;
  const unlisted: string[] = [];
  for await (const { Items = [] } of paginateScan(
    { client: db.client },
    { TableName: db.table, ConsistentRead: true },
  )) {
    for (const item of Items) {
      const items = inFormat1(item);
      if (!(items.length === 1 && isDeepStrictEqual(items[0], item))) {
        changed++;
        for (const each of items) await putItem(db, each as Key & Item, each.pk === item.pk ? ifExists : ifAbsent);
        if (items.length === 0) await deleteItem(db, { pk: item.pk, sk: item.sk }, ifExists);
      }
      if (item.sk === 'CHECK' && !item.erasedAt && item.list === undefined) unlisted.push(String(item.id));
    }
  }
  for (const id of unlisted) await list(db, id);
  return changed;
};

/** Returns the items in format 1 that take the place of an item, with the item itself last. */
const inFormat1 = ({ token, ...item }: Item): Item[] => {
  const { pk, sk } = item as Key;
  if (sk === 'BUCKETS') return []; // the use of an owner's plans, which refills within days
  if (!/^(CHECK|RUN)#/.test(pk) || sk.startsWith('TREND#')) return [item];
  const owned = { owner: ANONYMOUS, ...item };
  if (item.erasedAt) return [owned];
  const created = { createId: token ?? 'unknown', ...owned };
  if (sk === 'CHECK') return checkInFormat1(created);
  return [sk === 'RUN' ? created : runInFormat1(created)];
};

const checkInFormat1 = ({ shareSecret: secret, countedOn, openCheckDay, ...check }: Item): Item[] => {
  const { id, createId, expiresAt } = check;
  return secret === undefined ? [check] : [{ ...shareKey(String(id)), secret, createId, expiresAt }, check];
};

const noEnvironment = {
  ...{ sandbox: null, device: null, throttling: null, cpuCount: null, memoryMiB: null },
  ...{ kernel: null, host: null, cpuBusy: null, mainThreadCpu: null, contended: null },
};

const runInFormat1 = (run: Item): Item => ({
  ...{ device: 'mobile', spread: null, blockedRequests: [], blockedRequestCount: 0 },
  ...{ options: { device: 'mobile', samples: 1 }, trendExpiresAt: run.expiresAt },
  ...inMilliseconds(run),
  samples: listOf(run.samples).map(inMilliseconds),
  ...(isMap(run.spread) && { spread: inMilliseconds(run.spread) }),
  attempts: listOf(run.attempts).map((attempt) => ({ contended: false, ...attempt })),
  ...(isMap(run.environment) && { environment: environmentInFormat1(run.environment) }),
});

const environmentInFormat1 = ({ processModel, ...environment }: Item): Item => ({ ...noEnvironment, ...environment });

/** Returns an object whose times are numbers. Earlier versions stored texts, such as `633ms`. */
const inMilliseconds = (values: Item): Item =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, timeNames.includes(name) ? numbers(value) : value]),
  );

const timeNames = ['fcp', 'si', 'lcp', 'tti', 'tbt'];

const numbers = (value: unknown): unknown => {
  if (isMap(value)) return { ...value, min: numbers(value.min), max: numbers(value.max) };
  return typeof value === 'string' && /^\d+ms$/.test(value) ? Number.parseInt(value, 10) : value;
};

const isMap = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): Item[] => (Array.isArray(value) ? value : []);

/** Puts a check and its runs into the lists, which earlier versions did not have. */
const list = async (db: Db, checkId: string): Promise<void> => {
  const found = await checkStore(db)
    .findOfAnyOwner(checkId)
    .catch(() => undefined);
  if (!found) return; // it does not parse, so no list can show more than its id
  const { item, runs } = found;
  for (const run of runs) await (item.completedAt ? putTrend(db, item, run) : putEmptyTrend(db, run, new Date()));
  const listed = item.completedAt ? listedClosedCheck : listedNewCheck;
  const set = listed({ ...item, runs }, item.owner, item.expiresAt);
  await updateItem(db, checkKey(checkId), { set, returns: 'NONE', ...ifExists });
};

const putTrend = (db: Db, { owner, createId, expiresAt }: StoredCheck['item'], run: StoredCheck['runs'][number]) =>
  putItem(db, { ...trendKey(run.checkId, run.id), owner, createId, expiresAt, ...listedRun(run) }, ifAbsent);
