import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { settleAll } from '../../functions/lib/settle-all.ts';
import { checkStore } from '../../functions/lib/store/checks.ts';
import { dueStore } from '../../functions/lib/store/due.ts';
import { openPartitionOf, type RunItem } from '../../functions/lib/store/items.ts';
import { sweep } from '../../functions/sweep.ts';
import type { Region } from '../../shared/regions.ts';
import { MAX_OPEN_SHARDS } from '../../shared/service/partitions.ts';
import { startSweeping } from '../support/sweeping.ts';
import { aCheck, later } from '../support/world.ts';

const MINUTE = 60;

const { world, newTime } = await startSweeping();
let t0: Date;
beforeEach(() => {
  t0 = newTime();
});

/** Returns the world of an environment with this number of shards. */
const withShards = (openShards: number) => {
  const db = { ...world.db, openShards };
  return { ...world, store: checkStore(db), due: dueStore(db) };
};
const createIn = async (shards: number, count: number, region: Region = 'us-east4'): Promise<RunItem[]> => {
  const checks = Array.from({ length: count }, () => aCheck({ now: t0, regions: [region] }));
  const { store } = withShards(shards);
  const createdBy = { owner: 'acme', correlationId: 'c', fingerprint: 'f', createId: randomUUID() };
  const expiry = {
    retentionDays: 90,
    expiresAt: later(t0, 90 * 24 * 3600),
    trendExpiresAt: later(t0, 400 * 24 * 3600),
  };
  const created = await settleAll(checks, 5, (check) => store.create(check, { ...createdBy, ...expiry }));
  return created.flatMap((each) => (each.status === 'fulfilled' && each.value) || []);
};
const sweeperOf = (shards: number) => {
  let now = t0;
  const sent: string[] = [];
  const queues = { ...world.queues, send: async ({ runId }: { runId: string }) => void sent.push(runId) };
  const run = sweep({ ...withShards(shards), queues, now: () => now, pageSize: 3 });
  return {
    /** Sweeps at a time. Returns the runs whose jobs it sent. */
    at: async (time: Date, event: Parameters<typeof run>[0] = {}): Promise<string[]> => {
      now = time;
      await run(event);
      return sent.splice(0).sort();
    },
  };
};
const idsOf = (runs: readonly RunItem[]) => runs.map(({ id }) => id).sort();

test('the items of a kind are spread evenly over the shards, by their ids', () => {
  const shards = 8;
  const of = Array.from({ length: 8000 }, () => openPartitionOf({ openShards: shards }, 'us-east4', randomUUID()));
  const counts = Map.groupBy(of, (partition) => partition);
  expect([...counts.keys()].sort()).toEqual(Array.from({ length: shards }, (_, i) => `OPEN#us-east4#${i}`));
  for (const { length } of counts.values()) expect(length).toBeGreaterThan(850); // of 1,000
});

test('a sweep handles the due items of all shards, however many there are', async () => {
  const runs = await createIn(8, 60);
  expect(await sweeperOf(8).at(later(t0, MINUTE + 1))).toEqual(idsOf(runs));
});

test('after the number of shards is raised, the items of the lower number are found', async () => {
  const runs = await createIn(1, 3);
  expect(await sweeperOf(8).at(later(t0, MINUTE + 1))).toEqual(idsOf(runs));
});

test('after the number of shards is lowered, a sweeper finds the items of all shards within eight minutes', async () => {
  const runs = await createIn(MAX_OPEN_SHARDS, 40);
  const sweeper = sweeperOf(1);
  const sent: string[] = [];
  for (let minute = 1; minute <= 8; minute++) sent.push(...(await sweeper.at(later(t0, minute * MINUTE + 1))));
  expect(sent.sort()).toEqual(idsOf(runs));
  const now = later(t0, 30 * MINUTE);
  await sweeper.at(now, { wake: 'us-east4' });
  expect(await sweeper.at(now)).toEqual(expect.arrayContaining(idsOf(runs))); // it looks at all of them in each sweep now
});
