import type { Region } from '../../../shared/regions.ts';
import { MAX_OPEN_SHARDS } from '../../../shared/service/partitions.ts';
import { type Db, getItem, type Key, parse } from './dynamodb.ts';
import { openPartition, RunItem } from './items.ts';
import { pagesIn } from './query.ts';

/** An open run, or the key of one whose item does not match its schema. */
export type OpenRun = { run: RunItem } | { unreadable: string; dueAt: string };

const READS_AT_ONCE = 8; // six regions at once stay below the 50 sockets of the SDK

/** Returns all unfinished runs of a region, for the operator's command. */
export const openRuns = async (db: Db, region: Region): Promise<OpenRun[]> => {
  const found: OpenRun[] = [];
  for (let shard = 0; shard < MAX_OPEN_SHARDS; shard++) found.push(...(await openRunsIn(db, region, shard)));
  return found;
};

const openRunsIn = async (db: Db, region: Region, shard: number): Promise<OpenRun[]> => {
  const found: OpenRun[] = [];
  for await (const page of pagesIn(db, { index: 'open', partition: openPartition(region, shard), limit: 1000 })) {
    const keys = page as (Key & { dueAt: string })[];
    for (let i = 0; i < keys.length; i += READS_AT_ONCE) {
      const read = await Promise.all(keys.slice(i, i + READS_AT_ONCE).map((key) => readOpenRun(db, key)));
      found.push(...read.filter((each) => each !== undefined));
    }
  }
  return found;
};

/** Returns undefined if the run has finished since it was listed. */
const readOpenRun = async (db: Db, { pk, sk, dueAt }: Key & { dueAt: string }): Promise<OpenRun | undefined> => {
  const item = await getItem(db, { pk, sk });
  if (!item?.open) return undefined;
  try {
    return { run: parse(RunItem, item) };
  } catch {
    return { unreadable: `${pk} ${sk}`, dueAt };
  }
};
