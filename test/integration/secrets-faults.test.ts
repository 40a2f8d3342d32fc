import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { log } from '../../functions/lib/log.ts';
import { checkStore } from '../../functions/lib/store/checks.ts';
import { openDb } from '../../functions/lib/store/dynamodb.ts';
import { leaseStore } from '../../functions/lib/store/leases.ts';
import { secretStore } from '../../functions/lib/store/secrets.ts';
import { sweep } from '../../functions/sweep.ts';
import { CreateEnv } from '../../shared/service/env.ts';
import { faultsBefore, isOfObjects, isTableWrite } from '../support/faulty-services.ts';
import { secretChecks, secretsFor } from '../support/secret-checks.ts';
import { later, startWorld } from '../support/world.ts';

const t0 = new Date();
const world = await startWorld();
const { create, audit, stored } = secretChecks(world, t0);
const s3 = faultsBefore(world.aws.handle, isOfObjects);
const dynamodb = faultsBefore(s3.handle, isTableWrite);
await world.aws.connect(dynamodb.handle);
afterEach(() => {
  s3.heal();
  dynamodb.heal();
});
afterAll(() => world.stop());
vi.spyOn(log, 'error').mockReturnValue();
vi.spyOn(log, 'warn').mockReturnValue();

/** Parts of a new process, whose requests to S3 go through the proxy. */
const newProcess = () => {
  const env = CreateEnv.parse(process.env);
  const secrets = secretStore(env);
  const db = openDb(env, secrets);
  return { secrets, db, leases: leaseStore(db) };
};
/** The store of a new process, whose requests to the table go through the proxy. */
const throughProxy = () => {
  return { store: checkStore(openDb(CreateEnv.parse(process.env))) };
};
const ordered = secretsFor('https://example.com');
const sweepAt = (seconds: number) => sweep({ ...world, now: () => later(t0, seconds) })({});

// A create reads the key of the fingerprints and puts the secrets. An audit reads them, and the end of the check lists and deletes them.
test.each([1, 2, 3, 4, 5])(
  'nothing is lost and nothing stays if the response of request %i to S3 is lost',
  async (nth) => {
    const parts = newProcess();
    await world.secrets.fingerprintOf('', {}); // the key exists
    s3.loseResponseOf(nth);
    const { status, body } = await create({ parts });
    const orders = await audit(body.id, 0, parts);
    expect(s3.passed()).toBe(6); // the SDK repeats one
    expect([status, orders.map(({ secrets }) => secrets)]).toEqual([201, [ordered]]);
    expect((await world.find(body.id)).item.completedAt).not.toBeNull();
    expect(await stored(body.id)).toEqual([]);
  },
);

test.each([0, 1, 2, 3, 4])(
  'a check whose requests to S3 fail after %i is repeated or goes on, and leaves nothing',
  async (count) => {
    const key = randomUUID();
    const parts = newProcess();
    s3.failAfter(count);
    const first = await create({ key, parts }).catch(() => undefined);
    expect(first?.status).toBe(count < 2 ? undefined : 201);
    if (first) await audit(first.body.id, 0, parts, count === 2 ? 1500 : 600_000).catch(() => {}); // 1500: no retry
    s3.heal();
    const { body } = await create({ key, parts: newProcess() });
    const isAudited = (await world.runOf(body.id)).state === 'succeeded';
    expect(isAudited).toBe(count >= 3);
    if (!isAudited) {
      const { id, dueAt = '', lease } = await world.runOf(body.id);
      if (lease) await world.due.dropLease({ pk: `CHECK#${body.id}`, sk: `RUN#${id}`, dueAt, lease }, t0);
      expect((await audit(body.id, 0, newProcess())).map(({ secrets }) => secrets)).toEqual([ordered]);
    }
    await sweepAt(120);
    expect((await world.find(body.id)).item.completedAt).not.toBeNull();
    expect(await stored(body.id)).toEqual([]);
  },
  60_000,
);

// A create of one run writes the run, its pointer, its entry and the check. Then it records that the job was sent.
test.each([0, 1, 2, 3])(
  'a create that fails after %i writes to the table is repeated with its secrets',
  async (writes) => {
    const key = randomUUID();
    dynamodb.failAfter(writes);
    await expect(create({ key, parts: throughProxy() })).rejects.toThrow();
    dynamodb.heal();
    const { status, body } = await create({ key });
    expect(status).toBe(201);
    expect((await audit(body.id)).map(({ secrets }) => secrets)).toEqual([ordered]);
    expect(await stored(body.id)).toEqual([]); // no item names the secrets of the first create any more
  },
);

test.each([0, 1, 2, 3])(
  'a create that fails after %i writes to the table and is not repeated leaves what its runs do not name',
  async (writes) => {
    const before = await stored();
    dynamodb.failAfter(writes);
    await expect(create({ parts: throughProxy() })).rejects.toThrow();
    dynamodb.heal();
    expect((await stored()).length).toBe(before.length + 1);
    await sweepAt(61);
    expect((await stored()).length).toBe(before.length + (writes === 0 ? 1 : 0));
  },
);

test.each([1, 2, 3, 4, 5])('a create whose write %i loses its answer is one check with its secrets', async (nth) => {
  dynamodb.loseResponseOf(nth);
  const { status, body } = await create({ parts: throughProxy() });
  expect(status).toBe(201);
  dynamodb.heal();
  expect((await audit(body.id)).map(({ secrets }) => secrets)).toEqual([ordered]);
  expect(await stored(body.id)).toEqual([]);
});
