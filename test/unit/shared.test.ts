import { expect, test } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { aliasesOf, auditVersions, resolveAuditVersion } from '../../shared/audit-versions.ts';
import { asCreated, stateOf } from '../../shared/check.ts';
import { runError } from '../../shared/problems.ts';
import { HOLD_MS, isSendDue, LEASE_MS, RENEW_MS, retryAfter } from '../../shared/service/due-times.ts';
import { CreateEnv } from '../../shared/service/env.ts';
import { methodsOf, type Route, routes } from '../../shared/service/routes.ts';
import { pathParameters } from '../../shared/service/share-routes.ts';
import { aCheck } from '../support/world.ts';

test('package.json pins each supported version under its package name', () => {
  const installed = pkg.dependencies as Record<string, string>;
  for (const { version, package: name } of auditVersions) {
    expect(installed[name], name).toBe(name === 'lighthouse' ? version : `npm:lighthouse@${version}`);
  }
});

test('a version resolves from its exact form, its minor, its major if it is the newest, or, for the newest of all, latest', () => {
  const [newest, previous] = auditVersions;
  expect(resolveAuditVersion('12.8.2')).toBe('12.8.2');
  expect(resolveAuditVersion('12.8')).toBe('12.8.2');
  expect(resolveAuditVersion(newest.version.slice(0, 2))).toBe(newest.version);
  expect(resolveAuditVersion(previous.version.slice(0, 4))).toBe(previous.version);
  expect(resolveAuditVersion('12')).toBe('12.8.2');
  expect(resolveAuditVersion('latest')).toBe(auditVersions[0].version);
  for (const unknown of ['', '8', '12.7', '12.8.1', '1', 'LATEST', '13.5.0 ', 'constructor']) {
    expect(resolveAuditVersion(unknown), unknown).toBeUndefined();
  }
  const aliases = auditVersions.flatMap(({ version }) => aliasesOf(version));
  expect(new Set(aliases).size).toBe(aliases.length);
});

test.each([
  [['created', 'created'], 'created'],
  [['created', 'running'], 'running'],
  [['created', 'succeeded'], 'running'],
  [['running', 'failed'], 'running'],
  [['succeeded', 'succeeded'], 'succeeded'],
  [['failed', 'failed'], 'failed'],
  [['succeeded', 'failed'], 'partial'],
] as const)('a check whose runs are %j is %s', (runs, state) => {
  expect(stateOf(runs)).toBe(state);
});

test('asCreated shows exactly the fields of the contract', () => {
  const created = asCreated(aCheck());
  expect(Object.keys(created)).toEqual(['id', 'auditVersion', 'url', 'regions', 'runs']);
  for (const run of created.runs) expect(Object.keys(run)).toEqual(['id', 'region', 'state']);
});

test('a run error truncates the texts that a page controls', () => {
  const error = runError('http-error', {
    detail: 'x'.repeat(5000),
    finalUrl: `https://example.com/${'y'.repeat(50_000)}`,
  });
  expect(error.message).toHaveLength(1000);
  expect(error.finalUrl).toHaveLength(18_432);
  expect(error.blame).toBe('page');
});

test('a path matches a route segment by segment, and lists the methods of its routes', () => {
  const check = routes.find(({ path }) => path === '/v1/checks/{checkId}') as Route;
  expect(pathParameters(check, '/v1/checks/abc')).toEqual({ checkId: 'abc' });
  expect(pathParameters(check, '/v1/checks/%E0%A4%A')).toEqual({ checkId: '%E0%A4%A' });
  for (const other of ['/v1/checks/', '/v1/checks', '/v1/checks/a/b', '/v1/check/a', '//v1/checks/a']) {
    expect(pathParameters(check, other), other).toBeUndefined();
  }
  for (const other of ['/v1/./checks/a', '/v1/x/../checks/a', '/v1/\tchecks/a']) {
    expect(pathParameters(check, other), other).toBeUndefined();
  }
  expect(methodsOf('/v1/checks')).toEqual(['POST', 'GET', 'HEAD']);
  expect(methodsOf('/v1/checks/abc')).toEqual(['GET', 'HEAD', 'DELETE']);
  expect(methodsOf('/v1/nothing')).toEqual([]);
});

test('due times are longer than the work that they wait for', () => {
  expect(HOLD_MS).toBeGreaterThan(10_000); // the timeout of the create function
  expect(LEASE_MS).toBeGreaterThanOrEqual(3 * RENEW_MS); // two renewals may fail
  const dueAt = (sends: number) =>
    Array.from({ length: 24 }, (_, tries) => tries).find((tries) => isSendDue({ sends, tries }));
  expect([0, 1, 2, 3, 4, 5].map(dueAt)).toEqual([0, 1, 3, 7, 15, undefined]);
  expect([0, 1, 2, 6, 23].map((tries) => retryAfter(tries) / 60_000)).toEqual([1, 2, 4, 60, 60]);
});

test('an incomplete environment is refused with the name of the missing variable', () => {
  const complete = {
    TABLE_NAME: 't',
    HOME_REGION: 'us-west-2',
    REPORT_BUCKET: 'b',
    DELIVERY_QUEUE: 'https://sqs.example/d',
    AUDIT_QUEUES: '{"us-west1":"https://sqs.example/q"}',
  };
  expect(CreateEnv.parse(complete).TARGETS).toBe('public');
  expect(CreateEnv.parse({ ...complete, TARGET_PORTS: '80,443' }).TARGET_PORTS).toEqual([80, 443]);
  for (const name of Object.keys(complete)) {
    expect(() => CreateEnv.parse({ ...complete, [name]: undefined }), name).toThrow(name);
  }
  expect(() => CreateEnv.parse({ ...complete, AUDIT_QUEUES: '{"mars":"https://sqs.example/q"}' })).toThrow(
    'AUDIT_QUEUES',
  );
  expect(() => CreateEnv.parse({ ...complete, AUDIT_QUEUES: 'nonsense' })).toThrow('not JSON');
});
