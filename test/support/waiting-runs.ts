import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
// @ts-expect-error dynalite has no types
import dynaliteDb from 'dynalite/db/index.js';
import { aCheck, startWorld } from './world.ts';

const later = (time: string, ms: number) => ({ S: new Date(Date.parse(time) + ms).toISOString() });

/** Stores checks with one waiting run each in a new data folder. Writes copies into LevelDB, 30 times faster than the API. */
export const storeWaitingRuns = async (dataDir: string, count: number): Promise<void> => {
  const world = await startWorld({}, { dataDir });
  const check = aCheck({ regions: ['us-west1'] });
  const [run] = await world.create(check);
  if (!run) throw new Error('the check has no run');
  await world.store.markSent(run, new Date());
  await world.stop();

  const name = world.env.TABLE_NAME;
  const { db } = dynaliteDb.create({ path: join(dataDir, 'dynamodb') });
  const table = await db.get(`table~${name}`);
  const items: string[] = [];
  for await (const value of db.values({ gte: `item-${name}~`, lt: `item-${name}~~` }))
    items.push(JSON.stringify(value));
  // Each copy is due at another time. Dynalite's index keys have only 24 bits for items of the same time.
  const copyOf = (_: unknown, i: number): object[] => {
    const [checkId, runId] = [randomUUID(), randomUUID()];
    const copies = items.map((item) => JSON.parse(item.replaceAll(check.id, checkId).replaceAll(run.id, runId)));
    return copies.map((item) => ({ ...item, ...(item.dueAt && { dueAt: later(item.dueAt.S, i + 1) }) }));
  };
  const put = (key: string, value: unknown) => ({ type: 'put', key, value });
  const writesOf = (item: object) => [
    put(`item-${name}~${dynaliteDb.createKey(item, table)}`, item),
    ...dynaliteDb
      .getIndexActions(table.GlobalSecondaryIndexes, null, item, table)
      .puts.map((entry: { index: string; key: string; item: object }) =>
        put(`index-global~${name}~${entry.index}~${entry.key}`, entry.item),
      ),
  ];
  await db.batch(
    Array.from({ length: count - 1 }, copyOf)
      .flat()
      .flatMap(writesOf),
  );
  await db.close();
};
