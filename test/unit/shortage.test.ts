import { expect, test } from 'vitest';
import { type Room, shortageOf, spentResourceOf } from '../../functions/auditor/host/room.ts';
import { judge } from '../../functions/auditor/judge.ts';
import { observed, runtimeError, stopped } from '../support/observation.ts';

const MIB = 2 ** 20;
const plenty: Room = { processes: 900, processLimit: 1024, memoryBytes: 2048 * MIB, diskBytes: 800 * MIB };
const unlimited: Room = { ...plenty, processes: Number.POSITIVE_INFINITY, processLimit: Number.POSITIVE_INFINITY };

test.each<[string, Partial<Room>, RegExp]>([
  ['processes', { processes: 3 }, /^processes \(3 left\)$/],
  ['memory', { memoryBytes: 20 * MIB }, /^memory \(20 MiB left\)$/],
  ['the temporary folder', { diskBytes: 2.5 * MIB }, /^space in its temporary folder \(2 MiB left\)$/],
])('a shortage of %s is named, with the rest', (_, room, text) => {
  expect(shortageOf({ ...plenty, ...room })).toMatch(text);
  expect(shortageOf(plenty)).toBeUndefined();
  expect(shortageOf(unlimited)).toBeUndefined();
});

test('a host is spent if half of its processes are in use before an audit, or its temporary folder is nearly full', () => {
  expect([spentResourceOf(plenty), spentResourceOf(unlimited)]).toEqual([undefined, undefined]);
  expect(spentResourceOf({ ...plenty, processes: 511 })).toMatch('processes (511 of 1024 left)');
  expect(spentResourceOf({ ...plenty, diskBytes: 200 * MIB })).toMatch('temporary folder (200 MiB left)');
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

test('on a machine short of processes, a failed name lookup stays a fault of the page', () => {
  expect(errorOn(stopped, { failure: 'ERR_NAME_NOT_RESOLVED' }, { outcome: 'dns-failure' })).toMatchObject({
    code: 'dns-failure',
  });
});
