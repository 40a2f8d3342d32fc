import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import { permitCreate } from '../../functions/lib/http/create-limits.ts';
import type { Db } from '../../functions/lib/store/dynamodb.ts';
import { usageStore } from '../../functions/lib/store/usage.ts';

const sleep = vi.hoisted(() => vi.fn(async (_ms: number) => {}));
vi.mock('node:timers/promises', () => ({ setTimeout: sleep }));

test('a create retries its write with backoff and jitter, and is a 503 after 30 tries', async () => {
  const send = vi.fn(async (command: unknown) => {
    if (command instanceof GetCommand) return { Item: { creating: {}, openAtMost: 0 } };
    throw new ConditionalCheckFailedException({ message: 'another create came first', $metadata: {} });
  });
  const db = { client: { send }, table: 'table' } as unknown as Db;
  const create = { id: 'a', createId: 'c', audits: 1 };
  const permit = permitCreate(usageStore(db), { owner: 'acme', plan: 'small' }, create, new Date());
  await expect(permit).rejects.toMatchObject({ code: 'unavailable', headers: { 'retry-after': '1' } });
  expect(send).toHaveBeenCalledTimes(60); // one read and one write per try
  const pauses = sleep.mock.calls.map(([ms]) => ms);
  expect(pauses).toHaveLength(30);
  for (const [i, ms] of pauses.entries()) expect(ms).toBeLessThanOrEqual(Math.min(10 * 2 ** i, 200));
  expect(new Set(pauses).size).toBeGreaterThan(1); // jitter
});
