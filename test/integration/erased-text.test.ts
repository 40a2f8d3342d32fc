import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { databaseFile } from '../../infra/local/data-folder.ts';
import { Database } from '../../infra/local/database.ts';
import { Queues } from '../../infra/local/queues.ts';
import { seededRandom } from '../simulation/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('erased-text');
const ROUNDS = 1200;

test('no file has a deleted text after many writes and deletions, although SQLite rebuilds pages', async () => {
  const database = new Database({ path: databaseFile(folder) });
  const { between, chance } = seededRandom(15);
  const live: number[] = [];
  const textOf = (id: number) => `SECRET${id}.`;
  const filled = (id: number, bytes: number) => Buffer.alloc(between(1, bytes), textOf(id)).toString();
  const run = (sql: string, ...values: (string | number)[]) => database.prepare(sql).run(...values);
  const taken = () => live.splice(between(0, live.length - 1), 1)[0] as number;
  const leftovers = () => {
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    const ids = texts.flatMap((text) => [...text.matchAll(/SECRET(\d+)\./g)].map(([, id]) => Number(id)));
    return [...new Set(ids)].filter((id) => !live.includes(id));
  };
  let next = 0;
  const create = () => {
    const id = next++;
    live.push(id);
    run('INSERT INTO items VALUES (?, ?, ?)', `${between(0, 1e9)} ${id}`, textOf(id), filled(id, 3000));
    run('INSERT INTO index_list VALUES (?, ?, ?, ?, ?)', 'o', `${between(0, 1e9)}`, '', textOf(id), filled(id, 1500));
  };
  const update = () => {
    const id = taken();
    live.push(id);
    run('UPDATE items SET item = ? WHERE sk = ?', filled(id, 9000), textOf(id));
  };
  const erase = () => {
    const id = taken();
    for (const table of ['items', 'index_list']) run(`DELETE FROM ${table} WHERE sk = ?`, textOf(id));
  };
  const write = (work: () => void) =>
    database.write(() => {
      work();
      return { answer: undefined };
    });
  for (let round = 1; round <= ROUNDS; round++) {
    await write(() => {
      for (let i = between(1, 6); i > 0; i--) {
        if (live.length < 30 || chance(0.45)) create();
        else if (chance(0.5)) update();
        else erase();
      }
    });
    if (round % 100 !== 0) continue;
    await database.erase();
    expect(leftovers()).toEqual([]);
    for (let i = 0; i < 5; i++) await write(create); // a page that is still cached must not bring a text back
    expect(leftovers()).toEqual([]);
  }
  await database.close();
  expect(leftovers()).toEqual([]);
  const after = new DatabaseSync(databaseFile(folder), { readOnly: true });
  expect(after.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(after.prepare('SELECT count(*) AS count FROM items').get()).toEqual({ count: live.length });
  after.close();
});

test('the job of a check leaves the files soon after its end', async () => {
  const path = databaseFile(temporaryFolder('erased-job'));
  const database = new Database({ path });
  const queues = new Queues(database, [{ name: 'q' }], (name) => name);
  const QueueUrl = 'q';
  await queues.call('SendMessage', { QueueUrl, MessageBody: 'text of an erased check' } as never);
  await database.erase();
  const held = () => [path, `${path}-wal`].some((file) => readFileSync(file).includes('text of an erased check'));
  expect(held()).toBe(true);
  const received = (await queues.call('ReceiveMessage', { QueueUrl } as never)) as { Messages: object[] };
  await queues.call('DeleteMessage', { QueueUrl, ...received.Messages[0] } as never);
  await expect.poll(held, { timeout: 3000 }).toBe(false);
  await database.close();
});
