import { expect, test } from 'vitest';
import { createCheck } from '../../functions/create-check.ts';
import type { CheckStore } from '../../functions/lib/store/checks.ts';
import { DEFAULT_PORTS } from '../../shared/service/env.ts';

type FindOrErased = Parameters<typeof createCheck>[0]['store']['findOrErased'];

/** Creates a check whose runs another create with the same key has stored, and which an auditor has claimed. */
const createWhileRunsAreAtWork = (find: FindOrErased) => {
  let lookups = 0;
  const create = createCheck({
    secrets: { put: async () => {}, fingerprintOf: async () => 'f' },
    store: {
      create: () => Promise.reject(new Error('could not write a run: a run with this id is at work or finished')),
      findOrErased: async (...of) => (lookups++ === 0 ? undefined : find(...of)),
    },
    due: { abandon: async () => true, postpone: async () => undefined },
    usage: { take: () => Promise.reject(new Error('without a plan, no limits apply')) },
    queues: { regions: ['europe-west3'], send: async () => {} },
    targets: { targets: 'public', ports: DEFAULT_PORTS },
    retentionDays: 90,
    trendDays: 400,
  });
  return create({
    owner: 'anonymous',
    requestId: 'r',
    method: 'POST',
    path: '/v1/checks',
    params: {},
    query: {},
    headers: { 'idempotency-key': 'k' },
    body: { url: 'https://example.com/', auditVersion: 'latest', regions: ['europe-west3'] },
  });
};

test('a create that cannot look up the check of an earlier one reports the lookup, which the client can retry', async () => {
  const outage = Object.assign(new Error('the table did not respond'), { name: 'TimeoutError' });
  await expect(createWhileRunsAreAtWork(() => Promise.reject(outage))).rejects.toBe(outage);
});

test('a create whose check is being erased while its runs are still at work says so', async () => {
  await expect(createWhileRunsAreAtWork(async () => 'erased')).rejects.toMatchObject({ code: 'being-erased' });
});

test('a lookup that forgets the owner does not compile', () => {
  // @ts-expect-error
  const find = (store: CheckStore) => store.find('id');
  expect(find).toBeDefined();
});
