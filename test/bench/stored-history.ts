import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { settleAll } from '../../functions/lib/settle-all.ts';
import { databaseFile } from '../../infra/local/data-folder.ts';
import { Database } from '../../infra/local/database.ts';
import { rowsOf } from '../../infra/local/table/rows.ts';
import type { Item } from '../../infra/local/table/values.ts';
import type { Region } from '../../shared/regions.ts';
import { finishRun } from '../support/finished-checks.ts';
import { aCheck, startWorld, type World } from '../support/world.ts';

/*
 * Child process of the bench: fills a data folder with checks of some pages in three regions. The stores write the newest
 * checks of each page. The others are copies of them with other ids and earlier times, which takes a fraction of the time.
 */
const [dataDir = '', ...numbers] = process.argv.slice(2);
const [checks, pages] = numbers.map(Number) as [number, number];
const regions: Region[] = ['us-west1', 'us-east4', 'europe-west3'];
const NEWEST = 5;
const AT_ONCE = 16;
const BATCH = 500; // copies in a transaction
const REPORT = gzipSync(randomBytes(4000).toString('hex'));

const newestCheck = async (world: World, page: number, i: number): Promise<string> => {
  const now = new Date(Date.now() - 1000 * (i + 1));
  const check = aCheck({
    url: `https://example.com/pages/${page}`,
    regions,
    samples: 3,
    labels: { branch: 'main' },
    now,
  });
  for (const run of await world.create(check)) {
    const lcp = 1500 + 10 * ((7 * page + 3 * i) % 40);
    await finishRun(world, run, { lcps: [lcp, lcp + 30, lcp + 60] }, await world.storeReport(run, REPORT));
  }
  return check.id;
};

/** A check as it is stored: its items, and the rows of its reports. */
type Stored = {
  ids: string[];
  createdAt: string;
  items: { pk: string; sk: string; item: string }[];
  reports: ReportRow[];
};
type ReportRow = Record<string, string | number | null | Uint8Array> & { key: string };

const storedCheck = (database: Database, checkId: string): Stored => {
  const all = (sql: string, ...values: string[]) => database.prepare(sql).all(...values) as never[];
  const items: Stored['items'] = all('SELECT * FROM items WHERE pk = ?', `CHECK#${checkId}`);
  const runIds = items.flatMap(({ sk }) => (sk.startsWith('RUN#') ? sk.slice('RUN#'.length) : []));
  for (const id of runIds) items.push(...all('SELECT * FROM items WHERE pk = ?', `RUN#${id}`));
  const { createdAt } = JSON.parse(items.find(({ sk }) => sk === 'CHECK')?.item ?? '{}') as Item;
  const reports: ReportRow[] = all('SELECT * FROM objects WHERE key LIKE ?', `reports/%${checkId}%`);
  return { ids: [checkId, ...runIds], createdAt: createdAt?.S as string, items, reports };
};

const copyCheck = (database: Database, { ids, createdAt, items, reports }: Stored, minutes: number): void => {
  const changes: [string, string][] = ids.map((id) => [id, randomUUID()]);
  changes.push([createdAt, new Date(Date.parse(createdAt) - 60_000 * minutes).toISOString()]);
  const changed = (text: string) => changes.reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const rows = rowsOf(database);
  for (const { pk, sk, item } of items)
    rows.write([changed(pk), changed(sk)], JSON.parse(changed(item)), [undefined, undefined]);
  for (const report of reports) {
    const columns = Object.values({ ...report, key: changed(report.key) });
    database.prepare(`INSERT INTO objects VALUES (${columns.map(() => '?').join(', ')})`).run(...columns);
  }
};

const world = await startWorld({ POWERTOOLS_LOG_LEVEL: 'ERROR' }, { dataDir });
const places = Array.from({ length: NEWEST * pages }, (_, i) => [i % pages, Math.floor(i / pages)] as const);
const newest = await settleAll(places, AT_ONCE, ([page, i]) => newestCheck(world, page, i));
const ids = newest.map((each) => {
  if (each.status === 'rejected') throw each.reason;
  return each.value;
});
await world.stop();

const database = new Database({ path: databaseFile(dataDir), durable: false });
const originals = ids.map((id) => storedCheck(database, id));
for (let done = ids.length; done < checks; done += BATCH) {
  await database.write(() => {
    for (let i = done; i < Math.min(checks, done + BATCH); i++)
      copyCheck(database, originals[i % ids.length] as Stored, Math.ceil(i / ids.length) * 120 + (i % 60));
    return { answer: undefined };
  });
}
await database.close();
process.send?.({ checkId: ids[0] });
process.disconnect?.();
