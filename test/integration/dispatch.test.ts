import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createCheck } from '../../functions/create-check.ts';
import * as logging from '../../functions/lib/log.ts';
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

/** Creates a check with these parts of the service. */
const created = async (parts: Partial<Parameters<typeof createCheck>[0]>) => {
  const targets = { targets: 'public' as const, ports: [443] };
  const create = createCheck({ ...world, targets, retentionDays: 90, trendDays: 400, ...parts });
  const request = { method: 'POST', path: '/v1/checks', params: {}, query: {}, headers: {} };
  const body = { url: 'https://example.com/', auditVersion: '13', regions: ['us-west1', 'us-east4'] };
  const answer = await create({ ...request, owner: 'anonymous', requestId: randomUUID(), body });
  expect(answer.status).toBe(201);
  return world.find((answer.body as { id: string }).id);
};

test.each(refused)(
  'a create fails a run whose job has %s, with the reason, and closes the check',
  async (_, text, name) => {
    emit.mockClear();
    const { item, runs } = await created({ queues: queuesWith(text) });
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
  'a job that a create could not send because of %s is sent after a minute, although the queue holds other jobs',
  async (name) => {
    const send = () => Promise.reject(Object.assign(new Error('no'), { name }));
    const { item, runs } = await created({ queues: { ...world.queues, send } });
    expect(runs).toMatchObject([0, 1].map(() => ({ state: 'created', sends: 0 })));
    const sent: string[] = [];
    const queues = {
      send: async ({ runId }: { runId: string }) => void sent.push(runId),
      count: async () => ({ waiting: 5, received: 0 }),
    };
    await sweep({ ...world, queues, now: () => later(new Date(item.createdAt), 61) })({});
    expect(sent).toEqual(expect.arrayContaining(item.runIds));
  },
);

test('a create whose write after a failed send fails too leaves the job to the look at the queue', async () => {
  const fails = () => Promise.reject(new Error('no'));
  const { item } = await created({ queues: { ...world.queues, send: fails }, due: { ...world.due, postpone: fails } });
  const looks = async (jobs: { waiting: number; received: number }, seconds: number) => {
    const sent: string[] = [];
    const send = async ({ runId }: { runId: string }) => void sent.push(runId);
    const now = later(new Date(item.createdAt), seconds);
    await sweep({ ...world, queues: { send, count: async () => jobs }, now: () => now })({});
    return sent.filter((id) => item.runIds.includes(id)).length;
  };
  expect(await looks({ waiting: 5, received: 0 }, 61)).toBe(0);
  expect(await looks({ waiting: 0, received: 0 }, 3662)).toBe(2);
});
