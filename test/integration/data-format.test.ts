import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { deleteCheck } from '../../functions/delete-check.ts';
import { findShared } from '../../functions/lib/http/shared-check.ts';
import { shareToken } from '../../functions/lib/share-token.ts';
import { getItem, type Key, updateItem } from '../../functions/lib/store/dynamodb.ts';
import { checkKey, runKey, usageKey } from '../../functions/lib/store/items.ts';
import { pageStore } from '../../functions/lib/store/listed-pages.ts';
import { listStore } from '../../functions/lib/store/lists.ts';
import { openCheckIds } from '../../functions/lib/store/open-checks.ts';
import { unpack } from '../../functions/lib/store/packed.ts';
import { openTable } from '../../infra/local/dynamodb.ts';
import { CheckView, checkView } from '../../shared/check.ts';
import { putItems } from '../support/recorded-items.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { aCheck, passed, startWorld } from '../support/world.ts';

const folder = temporaryFolder('data-format');
let dataDir: string;
let printed: string[];
beforeEach(() => {
  dataDir = mkdtempSync(join(folder, 'data-'));
  printed = [];
});

const start = () => startWorld({}, { dataDir, print: (line) => printed.push(line) });
const filesIn = (path: string) => readdirSync(path, { recursive: true }).map(String).sort();

/** Items of a version before the format numbers, as its own code wrote them. */
const early = JSON.parse(
  readFileSync(new URL('../recorded/folders/without-format.json', import.meta.url), 'utf8'),
) as Record<string, unknown>[];
const checksIn = (items: typeof early) => items.filter(({ sk, erasedAt }) => sk === 'CHECK' && !erasedAt);
const writeEarly = async (items = early) => {
  const world = await start();
  await putItems(world, items);
  await world.stop();
  rmSync(join(dataDir, 'format'));
};

test('a folder without a format number keeps its checks: they are shown, listed, ended and erased', async () => {
  await writeEarly();
  await using world = await start();
  expect(printed).toEqual([
    expect.stringMatching(/^30 changes brought the items of the table in \S+ from an .* to format 4\.$/),
    expect.stringMatching(/^The API keys .* no longer work.*: 1 of them .*npm run keys -- create.*$/),
  ]);
  const ids = checksIn(early).map(({ id }) => String(id));
  for (const id of ids) {
    const { item, runs } = await world.find(id);
    const view = checkView({ ...item, runs });
    expect(CheckView.parse(view)).toEqual(view);
  }
  const done = await world.find(ids[0] as string);
  expect(done.runs[0]).toMatchObject({
    lcp: 912,
    spread: { lcp: { min: 912, max: 932 } },
    samples: [{ lcp: 912 }, { lcp: 932 }],
  });
  const lists = listStore(world.db);
  const listed = await Promise.all(['anonymous', 'acme'].map((owner) => lists.checks(owner, {}, 10, new Date())));
  expect(listed.flatMap(({ entries }) => entries.map(({ id }) => id)).sort()).toEqual(ids.sort());
  expect((await lists.runs('anonymous', done.item.url, {}, 10, new Date())).entries).toHaveLength(done.runs.length);

  const later = new Date(Date.parse(done.item.createdAt) + 25 * 3600 * 1000);
  for (const run of (await Promise.all(ids.map(world.find))).flatMap(({ runs }) => runs)) {
    const lease = await world.leases.claim(run, randomUUID(), later);
    if (lease) await world.leases.finish(lease, { ...passed, attempts: run.attempts }, later);
  }
  const request = { requestId: 'r', method: 'DELETE', path: '/', query: {}, headers: {}, body: undefined };
  for (const id of ids) {
    const { item } = await world.find(id);
    expect(item.completedAt).not.toBeNull();
    const erased = await deleteCheck({ ...world, now: () => later })({
      ...request,
      owner: item.owner,
      params: { checkId: id },
    });
    expect(erased.status).toBe(204);
    expect(await world.erasure.eraseRemains(id)).toBe(true);
  }
});

test('a folder of format 2 keeps its open runs: a sweep finds them in a shard', async () => {
  const world = await start();
  const check = aCheck({ now: new Date('2030-01-01T00:00:00.000Z'), regions: ['us-west1'] });
  const [run] = await world.create(check);
  const unsharded = { condition: 'attribute_exists(#pk)', returns: 'NONE' as const };
  await updateItem(world.db, runKey(check.id, run?.id ?? ''), { set: { open: 'OPEN#us-west1' }, ...unsharded });
  await updateItem(world.db, checkKey(check.id), { set: { open: 'OPEN#checks' }, ...unsharded });
  await world.stop();
  writeFileSync(join(dataDir, 'format'), '2\n');
  await using migrated = await start();
  expect(printed).toEqual([expect.stringMatching(/^2 changes .* to format 4\.$/)]);
  for (const kind of ['us-west1', 'checks'] as const)
    expect(await migrated.due.list({ kind, shard: 0 }, new Date('2031-01-01'), 10)).toHaveLength(1);
});

test('a folder of format 3 keeps the newest results of its pages', async () => {
  const world = await start();
  const check = aCheck({ regions: ['us-west1'] });
  const [run] = await world.create(check);
  await world.finish(run as NonNullable<typeof run>);
  const list = async ({ db }: typeof world) => pageStore(db).list('anonymous', undefined, 10, new Date());
  const before = await list(world);
  const { Items = [] } = await world.db.client.send(new ScanCommand({ TableName: world.db.table }));
  const [latest] = Items.filter(({ pk }) => String(pk).startsWith('LATEST#'));
  const { pk, sk, results, listed } = latest as Record<string, unknown>;
  const texts = { results: JSON.stringify(unpack(results)), listed: JSON.stringify(unpack(listed)) };
  await updateItem(world.db, { pk, sk } as Key, { set: texts, condition: 'attribute_exists(#pk)', returns: 'NONE' });
  expect(await list(world)).not.toEqual(before);
  await world.stop();
  writeFileSync(join(dataDir, 'format'), '3\n');
  await using migrated = await start();
  expect(printed).toEqual([expect.stringMatching(/^1 changes .* to format 4\.$/)]);
  expect(await list(migrated)).toEqual(before);
});

test('a second start migrates nothing', async () => {
  await writeEarly();
  await (await start()).stop();
  rmSync(join(dataDir, 'format')); // as if the first one had been killed before it wrote the number
  printed = [];
  await (await start()).stop();
  await (await start()).stop();
  expect(printed).toEqual([]);
});

test('the open checks of a folder without a format number count as open, and its API keys are listed as revoked', async () => {
  const open = checksIn(early).find(({ completedAt }) => completedAt === null) as { id: string; owner: string };
  const openChecks = { [open.id]: { at: 0, by: 'a', audits: 1 }, [randomUUID()]: { at: 0, by: 'b', audits: 1 } };
  await writeEarly([...early, { pk: `OWNER#${open.owner}`, sk: 'USAGE', stamp: 's', openChecks }]);
  await using world = await start();
  expect(await openCheckIds(world.db, open.owner, new Date(0))).toEqual([open.id]);
  expect(await getItem(world.db, usageKey(open.owner))).not.toHaveProperty('openChecks');
  expect((await world.keys.list()).keys).toMatchObject([{ owner: 'acme', revokedAt: expect.stringMatching(/^20/) }]);
});

test('a share link of an earlier version works, and its secret leaves the check', async () => {
  const [secret, checkId] = [Buffer.alloc(32, 7).toString('base64url'), String(checksIn(early)[0]?.id)];
  await writeEarly(
    early.map((item) => (item.id === checkId && item.sk === 'CHECK' ? { ...item, shareSecret: secret } : item)),
  );
  await using world = await start();
  const token = shareToken(secret, checkId, Math.floor(Date.now() / 1000) + 60);
  expect((await findShared(world.store, checkId, token, new Date())).item.id).toBe(checkId);
  const { Item } = await world.db.client.send(
    new GetCommand({ TableName: world.db.table, Key: { pk: `CHECK#${checkId}`, sk: 'CHECK' } }),
  );
  expect(Item).not.toHaveProperty('shareSecret');
});

test.each([
  ['5\n', 'format 5'],
  ['1', 'an unknown format'],
  ['', 'an unknown format'],
  ['1.5\n', 'an unknown format'],
])('a folder with the format %j is refused with what to do, and stays as it is', async (text, named) => {
  await (await start()).stop();
  writeFileSync(join(dataDir, 'format'), text);
  const files = filesIn(dataDir);
  const refused = new RegExp(
    `^The data in \\S+ have ${named}, and this version .* up to 4\\. .*git checkout .* npm start\\. .*backup from before the update.* DATA_DIR=<folder> npm start\\.$`,
  );
  await expect(start()).rejects.toThrow(refused);
  await expect(openTable(dataDir)).rejects.toThrow(refused);
  expect(filesIn(dataDir)).toEqual(files);
});
