import { expect, test } from 'vitest';
import { environmentOf } from '../../infra/environments.ts';
import { pausedSince, pauseWriters, resumeWriters } from '../../infra/operator/pausing/pause-writers.ts';
import { writersOf } from '../../infra/operator/pausing/writers.ts';
import { replaceTable, restoreBeside } from '../../infra/operator/restore-table.ts';
import { standInAws } from '../support/stand-in-aws.ts';
import { functionsOf, resourcesOf, synthesized } from './support.ts';

const prod = environmentOf('prod');
const home = functionsOf(synthesized('prod').home);
const at = '2026-11-26T14:05:00Z';

/** Prod as the templates make it, with a damaged table. */
const deployedProd = () => {
  const notes: string[] = [];
  const standIn = standInAws(prod, (name) => {
    const [, file = ''] = /^page-audit-prod-(.+)$/.exec(name) ?? [];
    return home[file]?.ReservedConcurrentExecutions;
  });
  const waits: (() => void)[] = [];
  const wait = async () => waits.shift()?.();
  standIn.tables.set('page-audit-prod-1', {
    TableId: 'damaged',
    TableStatus: 'ACTIVE',
    items: 3,
    itemsAt: { [at]: 10 },
    isProtected: true,
    expires: 'expiresAt',
    recovery: true,
  });
  return { ...standIn, notes, waits, deps: { aws: standIn.aws, note: (line: string) => void notes.push(line), wait } };
};
const failsAt = async (work: Promise<unknown>) => expect(work).rejects.toThrow('The connection broke.');

test('each function that writes to the table is among those that a pause stops', () => {
  const { called, fed, queues } = writersOf(prod);
  expect(called.map(({ name }) => name.replace('page-audit-prod-', '')).sort()).toEqual([
    'canary',
    'create-check',
    'delete-check',
    'links',
    'marks',
    'run-pagespeed',
    'schedules',
    'sweep',
    'uploads',
    'webhooks',
  ]);
  const { all } = synthesized('prod');
  const mappings = all.flatMap((stack) => resourcesOf(stack, 'AWS::Lambda::EventSourceMapping'));
  expect([fed.length, queues.length]).toEqual([mappings.length, mappings.length]);
});

test('a pause stops every writer and no reader, and resume puts back exactly what was before, drift included', async () => {
  const { deps, state, reserved, mappings } = deployedProd();
  reserved.set('us-west-2/page-audit-prod-webhooks', 7); // an operator has set it by hand
  mappings.set('eu-north-1/page-audit-prod-run-audit-europe-north1', false); // and paused a region
  const before = state();

  await pauseWriters(prod, deps);
  const paused = state();
  expect(new Set(Object.values(paused.reserved))).toEqual(new Set([0]));
  expect(new Set(Object.values(paused.mappings))).toEqual(new Set([false]));
  for (const [queue, policy] of Object.entries(paused.policies)) {
    const [kept, denial, ...more] = JSON.parse(policy).Statement;
    expect([kept.Condition, more]).toEqual([{ Bool: { 'aws:SecureTransport': 'false' } }, []]);
    expect(denial).toMatchObject({ Effect: 'Deny', Action: 'sqs:ReceiveMessage', Resource: `arn:${queue}` });
  }
  expect(paused).not.toEqual(before); // a deploy of the same template would leave it so

  expect(await resumeWriters(prod, deps)).toBe(true);
  expect(state()).toEqual(before);
  expect(await resumeWriters(prod, deps)).toBe(false);
});

test('a pause that ends halfway is repeated without losing the state before it, and so is a resume', async () => {
  const { deps, state, fails, aws } = deployedProd();
  const before = state();
  fails('lambda update-event-source-mapping', 4);
  await failsAt(pauseWriters(prod, deps));
  expect(await pausedSince(prod, aws)).toBeDefined();
  await pauseWriters(prod, deps);
  await pauseWriters(prod, deps); // also after one that is complete
  fails('lambda put-function-concurrency', 1);
  await failsAt(resumeWriters(prod, deps));
  await resumeWriters(prod, deps);
  expect(state()).toEqual(before);
});

test('a pause waits for audits that run', async () => {
  const { deps, notes, waits, inFlight } = deployedProd();
  const queue = 'us-east-1/page-audit-prod-audits-us-east4';
  inFlight.set(queue, 2);
  for (let polls = 0; polls < 15; polls++) waits.push(() => {});
  waits.push(() => inFlight.set(queue, 0));
  await pauseWriters(prod, deps);
  expect(notes.filter((line) => line.startsWith('2 audits'))).toHaveLength(6); // 300 s, a line each minute
  expect(notes.at(-1)).toBe('Nothing writes any more.');
});

test('a table is restored beside the damaged one, and then under its name with its settings', async () => {
  const { deps, tables } = deployedProd();
  await expect(restoreBeside(prod, at, deps)).rejects.toThrow('Pause them first');
  await pauseWriters(prod, deps);
  await expect(replaceTable(prod, deps)).rejects.toThrow('--at');
  expect(await restoreBeside(prod, at, deps)).toEqual({ beside: 'page-audit-prod-1-restored', items: 10, now: 3 });
  await replaceTable(prod, deps);
  expect(tables.get('page-audit-prod-1')).toMatchObject({
    items: 10,
    TableStatus: 'ACTIVE',
    expires: 'expiresAt',
    recovery: true,
    isProtected: true,
  });
});

test.each([
  'dynamodb create-backup',
  'dynamodb delete-table',
  'dynamodb restore-table-from-backup',
  'dynamodb update-time-to-live',
])('a restore that ends before %s goes on when it is repeated', async (operation) => {
  const { deps, tables, fails, calls } = deployedProd();
  await pauseWriters(prod, deps);
  await restoreBeside(prod, at, deps);
  fails(operation);
  await failsAt(replaceTable(prod, deps));
  await replaceTable(prod, deps);
  await replaceTable(prod, deps); // done twice, it deletes nothing
  expect(tables.get('page-audit-prod-1')).toMatchObject({ items: 10, expires: 'expiresAt', isProtected: true });
  expect(calls.filter((each) => each === 'dynamodb delete-table').length).toBeLessThanOrEqual(2);
});
