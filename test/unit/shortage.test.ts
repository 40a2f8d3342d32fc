import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { type FreeResources, shortageOf, spentResourceOf } from '../../functions/auditor/host/free-resources.ts';
import { judge } from '../../functions/auditor/verdict/judge.ts';
import { audited, observed, runtimeError, stopped } from '../support/observation.ts';

const MIB = 2 ** 20;
const plenty: FreeResources = {
  processes: 900,
  processLimit: 1024,
  memoryBytes: 2048 * MIB,
  diskBytes: 800 * MIB,
  files: 1000,
};
const unlimited: FreeResources = {
  ...plenty,
  processes: Number.POSITIVE_INFINITY,
  processLimit: Number.POSITIVE_INFINITY,
};

test.each<[string, Partial<FreeResources>, string]>([
  ['processes', { processes: 3 }, 'processes (3 left)'],
  ['memory', { memoryBytes: 20 * MIB }, 'memory (20 MiB left)'],
  ['the temporary folder', { diskBytes: 2.5 * MIB }, `space in its temporary folder ${tmpdir()} (2 MiB left)`],
  ['a removed temporary folder', { diskBytes: undefined }, `a temporary folder (${tmpdir()} is missing)`],
  ['file descriptors', { files: 5 }, 'file descriptors (5 left)'],
])('a shortage of %s is named, with the rest', (_, free, text) => {
  expect(shortageOf({ ...plenty, ...free })).toBe(text);
  expect(shortageOf(plenty)).toBeUndefined();
  expect(shortageOf(unlimited)).toBeUndefined();
});

test('a host is spent if half of its processes are in use before an audit, and not by what an exit leaves as it is', () => {
  expect([spentResourceOf(plenty), spentResourceOf(unlimited)]).toEqual([undefined, undefined]);
  expect(spentResourceOf({ ...plenty, processes: 511 })).toMatch('processes (511 of 1024 left)');
  expect(spentResourceOf({ ...plenty, diskBytes: 20 * MIB })).toBeUndefined();
});

const shortage = 'processes (3 left)';
const errorOn = (...[end, frame, decision]: Parameters<typeof observed>) => {
  const result = judge({ ...observed(end, frame, decision), shortage });
  return result.state === 'failed' ? result.error : undefined;
};

test.each(['PAGE_HUNG', 'TARGET_CRASHED', 'NO_FCP', 'PROTOCOL_TIMEOUT'])(
  'on a machine short of processes, %s is a fault of the service',
  (code) => {
    expect(errorOn(runtimeError(code))).toMatchObject({
      code: 'internal',
      blame: 'service',
      retryable: true,
      message: 'The machine was short of processes (3 left) during the audit.',
      auditCode: code,
    });
  },
);

test.each([
  ['a failed name lookup', { failure: 'ERR_NAME_NOT_RESOLVED' }, { outcome: 'dns-failure' }],
  ['an unreachable server', {}, { outcome: 'unreachable', reason: 'ENOBUFS' }],
  ['a document that did not load', { failure: 'ERR_INSUFFICIENT_RESOURCES' }, undefined],
  ['a failed TLS connection', { failure: 'ERR_SSL_PROTOCOL_ERROR' }, undefined],
] as const)('on a machine short of processes, %s is a fault of the service', (_, frame, decision) => {
  expect(errorOn(stopped, frame, decision)).toMatchObject({ code: 'internal', retryable: true });
});

test.each([
  ['ERR_INSUFFICIENT_RESOURCES', undefined],
  ['ERR_SOCKS_CONNECTION_FAILED', { outcome: 'unreachable', reason: 'EMFILE' }],
  ['ERR_SOCKS_CONNECTION_FAILED', { outcome: 'dns-failure', reason: 'ENFILE' }],
] as const)('%s with the decision %o is a fault of the service, even if the shortage is over', (failure, decision) => {
  const verdict = judge(observed(stopped, { failure }, decision));
  expect(verdict).toMatchObject({ error: { code: 'internal', message: expect.stringContaining('was short of') } });
});

test('on a machine short of processes, the error status of the server stays a fault of the page', () => {
  expect(errorOn(runtimeError('ERRORED_DOCUMENT_REQUEST'), { status: 404 })).toMatchObject({ code: 'http-error' });
});

test('an audit that succeeded although its browser or the service was stopped is contended, so that it is retaken', () => {
  expect(judge({ ...observed(audited()), frozen: 'browser' }).environment).toMatchObject({ contended: true });
  expect(judge({ ...observed(audited()), frozen: 'page' }).environment).toMatchObject({ contended: false });
  const stoodStill = (stoodStillMs: number) => judge({ ...observed(audited()), stoodStillMs }).environment?.contended;
  expect([4000, 6000].map(stoodStill)).toEqual([false, true]);
});
