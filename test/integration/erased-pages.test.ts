import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { deleteCheck } from '../../functions/delete-check.ts';
import { erasureStore } from '../../functions/lib/store/erasure.ts';
import { unpack } from '../../functions/lib/store/packed.ts';
import { idsOf, resultsIn, startPages } from '../support/audited-pages.ts';

const { world, caller, call, pages, erase, audited } = await startPages();

test('when a check is erased, the one before takes its place, and at the end the page is gone', async () => {
  const first = await audited({ performance: 60 });
  const second = await audited({ at: 60, performance: 70 });
  const third = await audited({ at: 120, performance: 80 });
  await erase(third.id);
  expect(resultsIn(await pages('?since=previous'))).toMatchObject([{ checkId: second.id, history: [60, 70] }]);
  await erase(first.id);
  expect(resultsIn(await pages())).toMatchObject([{ checkId: second.id, change: null, history: [70] }]);
  await erase(second.id);
  expect(await pages()).toMatchObject({ pages: [], counts: { total: 0 }, nextCursor: null, link: null });
});

test('a create that is repeated with the same key after the erasure is in the list', async () => {
  const createId = randomUUID();
  await erase((await audited({ createId })).id);
  expect(idsOf(await pages())).toEqual([]);
  const again = await audited({ createId, at: 3660 });
  expect(idsOf(await pages())).toEqual([again.id]);
  expect(resultsIn(await pages())).toMatchObject([{ history: [98] }]);
});

test('an erased check leaves the pages and the series while S3 fails', async () => {
  const check = await audited();
  const isDown = async () => Promise.reject(new Error('S3 is down'));
  const erasure = erasureStore(world.db, { keysOf: isDown, delete: isDown });
  const at = { requestId: randomUUID(), method: 'DELETE', path: '/', query: {}, headers: {}, body: undefined };
  const answer = await deleteCheck({ store: world.store, erasure })({
    ...at,
    owner: caller.owner,
    params: { checkId: check.id },
  });
  expect(answer.status).toBe(204);
  expect((await pages()).pages).toEqual([]);
  const series = await call('/v1/runs?url=https://example.com/');
  expect(await series.json()).toMatchObject({ runs: [] });
});

test('of an erased check, neither its URL nor its labels stay in the table or in an answer', async () => {
  const kept = await audited({ url: 'https://example.com/kept', labels: { name: 'kept' } });
  const secret = { url: 'https://example.com/secret?of=customer', labels: { secret: 'customer' } };
  const first = await audited(secret);
  const second = await audited({ at: 60, ...secret, performance: 50, labels: { secret: 'customer-2' } });
  const texts = async () => JSON.stringify([await stored(), await pages()]);
  expect((await texts()).match(/customer(-2)?"/g)?.length).toBeGreaterThan(8);
  await erase(second.id);
  expect(await texts()).not.toContain('customer-2');
  await erase(first.id);
  expect(await texts()).not.toMatch(/secret|customer/);
  expect(idsOf(await pages())).toEqual([kept.id]);
});

/** Returns all items of the owner as one can read them. */
const stored = async () => {
  const { Items = [] } = await world.db.client.send(new ScanCommand({ TableName: world.db.table }));
  const isPacked = (value: unknown) => value instanceof Uint8Array;
  const readable = (value: unknown) => (isPacked(value) ? unpack(value) : value);
  return Items.filter((item) => item.owner === caller.owner || item.pk === `LATEST#${caller.owner}`).map((item) =>
    Object.fromEntries(Object.entries(item).map(([name, value]) => [name, readable(value)])),
  );
};

test('after erasures of all results that the list keeps, the series has the one before', async () => {
  const first = await audited({ performance: 40, labels: { branch: 'main' } });
  await audited({ at: 1, performance: 41, regions: ['us-east4'] });
  const others = [];
  for (let i = 1; i <= 12; i++) others.push(await audited({ at: 60 * i, performance: 50 + i }));
  expect(resultsIn(await pages('?region=us-west1'))[0]?.history).toEqual([
    40, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
  ]);
  for (const { id } of others.reverse()) await erase(id);
  expect(resultsIn(await pages('?region=us-west1'))).toMatchObject([
    { checkId: first.id, performance: 40, labels: { branch: 'main' }, change: null, history: [40] },
  ]);
});
