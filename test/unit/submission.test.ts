import { expect, test } from 'vitest';
import { createCheck } from '../../functions/create-check.ts';
import type { Targets } from '../../functions/lib/targets/public-addresses.ts';
import { type ApiProblemError, apiProblems } from '../../shared/problems.ts';
import type { AllowedTarget } from '../../shared/service/allowed-targets.ts';
import { DEFAULT_PORTS } from '../../shared/service/env.ts';
import { elsewhere } from '../support/allowed-elsewhere.ts';
import { ssrfCases } from '../support/ssrf-cases.ts';

/** Returns the function's answer to a create, and the URLs of the checks that the function stored. */
const submit = async (url: string, targets: Targets, allowed: AllowedTarget[] = []) => {
  const created: string[] = [];
  const create = createCheck({
    secrets: { put: async () => {}, fingerprintOf: async () => 'f' },
    store: {
      create: async (check) => {
        created.push(check.url);
        return [];
      },
      findOrErased: async () => undefined,
    },
    due: { abandon: async () => true, postpone: async () => undefined },
    usage: { take: () => Promise.reject(new Error('without a plan, no limits apply')) },
    queues: { regions: ['europe-west3'], send: async () => {} },
    targets: { targets, ports: DEFAULT_PORTS, allowed },
    retentionDays: 90,
    trendDays: 400,
  });
  const body = { url, auditVersion: 'latest', regions: ['europe-west3'] };
  const request = {
    owner: 'anonymous',
    requestId: 'r',
    method: 'POST',
    path: '/v1/checks',
    params: {},
    query: {},
    headers: {},
    body,
  };
  try {
    return { status: (await create(request)).status, created };
  } catch (error) {
    const { code } = error as ApiProblemError;
    return { status: apiProblems[code]?.status, code, created };
  }
};

const submitted = ssrfCases.filter(({ stage }) => stage === 'submit');

test('the collection has 192 cases at submission', () => expect(submitted).toHaveLength(192));

test.each(submitted)('$id: $expect ($why)', async ({ url, policy, expect: expected }) => {
  const answer = await submit(url, policy ?? 'public');
  if (expected === 'allow') return expect(answer).toEqual({ status: 201, created: [url] });
  expect(answer).toMatchObject({ status: 400, created: [] });
  expect(['forbidden-target', 'invalid-request']).toContain(answer.code);
});

test('every case has the same answer if the operator allows other hosts', async () => {
  for (const { id, url, policy } of submitted) {
    const [alone, beside] = [await submit(url, policy ?? 'public'), await submit(url, policy ?? 'public', elsewhere)];
    expect({ id, ...beside }).toEqual({ id, ...alone });
  }
});

test('URLs that are only refused at a later stage are accepted at submission', async () => {
  for (const { url, policy } of ssrfCases.filter(({ stage }) => stage !== 'submit')) {
    expect(await submit(url, policy ?? 'public')).toEqual({ status: 201, created: [url] });
  }
});
