import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createCheck } from '../../functions/create-check.ts';
import * as logging from '../../functions/lib/log.ts';
import { dispatch } from '../../functions/lib/queue/dispatch.ts';
import { sweep } from '../../functions/sweep.ts';
import { aCheck, later, startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const emit = vi.spyOn(logging, 'emit');

/** Returns queues whose messages have this text in them. */
const queuesWith = (correlationId: string): Pick<World['queues'], 'send' | 'regions' | 'count'> => ({
  regions: world.queues.regions,
  send: (job) => world.queues.send({ ...job, correlationId }),
  count: world.queues.count,
});
const refused = [
  ['a character that no message may have', '\uffff', 'InvalidMessageContents'],
  ['more bytes than a message may have', 'x'.repeat(2 ** 20), 'InvalidParameterValue'],
] as const;
const abandonedBy = (name: string) => ({
  state: 'failed',
  error: {
    code: 'abandoned',
    blame: 'service',
    retryable: false,
    message: expect.stringContaining(`refused the job of this run (${name}). Create the check again.`),
  },
  attempts: [],
  finishedAt: expect.any(String),
});

test.each(refused)(
  'a create fails a run whose job has %s, with the reason, and closes the check',
  async (_, text, name) => {
    const { store, due, usage } = world;
    const create = createCheck({
      secrets: world.secrets,
      store,
      due,
      usage,
      queues: queuesWith(text),
      targets: { targets: 'public', ports: [443] },
      retentionDays: 90,
      trendDays: 400,
    });
    const request = { method: 'POST', path: '/v1/checks', params: {}, query: {}, headers: {} };
    const body = { url: 'https://example.com/', auditVersion: '13', regions: ['us-west1', 'us-east4'] };
    emit.mockClear();
    const answer = await create({ ...request, owner: 'anonymous', requestId: randomUUID(), body });
    expect(answer.status).toBe(201);
    const { item, runs } = await world.find((answer.body as { id: string }).id);
    expect(runs).toMatchObject([abandonedBy(name), abandonedBy(name)]);
    expect(item.completedAt).not.toBeNull();
    expect(emit.mock.calls).toContainEqual(['RunsAbandoned', 1, {}]);
    expect(await world.due.list({ kind: 'us-west1', shard: 0 }, later(new Date(), 24 * 3600), 100)).toEqual([]);
  },
);

test.each(refused)(
  'the sweeper fails a run whose job has %s, and does not count it as resent',
  async (_, text, name) => {
    const [run] = await world.create(aCheck({ regions: ['us-west1'] }));
    emit.mockClear();
    await sweep({ ...world, queues: queuesWith(text), now: () => later(new Date(), 61) })({});
    expect(await world.runOf(run?.checkId as string)).toMatchObject(abandonedBy(name));
    expect(emit.mock.calls.map(([metric]) => metric)).not.toContain('RunsResent');
  },
);

test.each(['QueueDoesNotExist', 'AccessDeniedException', 'RequestThrottled', 'KmsDisabled', 'TimeoutError'])(
  'a job that fails with %s stays with the sweeper, because the next send may succeed',
  async (name) => {
    const [run] = await world.create(aCheck({ regions: ['us-west1'] }));
    if (!run) throw new Error('no run was created');
    const send = () => Promise.reject(Object.assign(new Error('no'), { name }));
    await expect(dispatch({ ...world, queues: { send } }, run, new Date())).rejects.toThrow('no');
    expect(await world.runOf(run.checkId)).toMatchObject({ state: 'created', sends: 0, dueAt: run.dueAt });
  },
);
