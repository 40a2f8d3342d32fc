import { randomUUID } from 'node:crypto';
import { databaseFile } from '../../infra/local/data-folder.ts';
import { Database } from '../../infra/local/database.ts';
import { Table } from '../../infra/local/table/table.ts';
import { aCheck, startWorld } from './world.ts';

const later = (time: string, ms: number) => ({ S: new Date(Date.parse(time) + ms).toISOString() });

/** Stores checks with one waiting run each in a new data folder. Writes copies into the table, much faster than the API. */
export const storeWaitingRuns = async (dataDir: string, count: number): Promise<void> => {
  const world = await startWorld({}, { dataDir });
  const check = aCheck({ regions: ['us-west1'] });
  const [run] = await world.create(check);
  if (!run) throw new Error('the check has no run');
  await world.due.markSent(run, new Date());
  await world.stop();

  const TableName = world.env.TABLE_NAME as string;
  const database = new Database({ path: databaseFile(dataDir) });
  const table = new Table(database, TableName);
  const { Items } = (await table.call({ operation: 'Scan', input: { TableName } })) as { Items: object[] };
  const items = JSON.stringify(Items);
  const copyOf = (i: number): Record<string, { S: string }>[] => {
    const copies = JSON.parse(items.replaceAll(check.id, randomUUID()).replaceAll(run.id, randomUUID()));
    return copies.map((item: typeof copies) => ({ ...item, ...(item.dueAt && { dueAt: later(item.dueAt.S, i + 1) }) }));
  };
  const puts = Array.from({ length: count - 1 }, (_, i) => copyOf(i)).flat();
  await Promise.all(puts.map((Item) => table.call({ operation: 'PutItem', input: { TableName, Item } })));
  await database.close();
};
