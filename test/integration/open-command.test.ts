import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { putItem } from '../../functions/lib/store/dynamodb.ts';
import { ifAbsent } from '../../functions/lib/store/expressions.ts';
import { openPartition, type RunItem, runKey } from '../../functions/lib/store/items.ts';
import { runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { aCheck, later, startWorld } from '../support/world.ts';

const dataDir = temporaryFolder('open-command');

const open = (args: string[] = [], env = {}) => runCommand('open.ts', dataDir, args, env);

test('no open run is a message', async () => {
  expect(await open()).toEqual({ code: 0, stdout: '', stderr: 'No run is open.\n' });
});

test('the open runs of all regions are listed with age, attempts and lease, whether the service runs or not', async () => {
  const world = await startWorld({}, { dataDir });
  const [now, id] = [new Date(), randomUUID()];
  const check = aCheck({ now: later(now, -3 * 3600), regions: ['us-east4', 'europe-west3'] });
  const [waiting, atWork] = (await world.create(check)) as [RunItem, RunItem];
  await world.due.markSent(waiting, now);
  const lease = await world.claim(atWork, later(now, -5));
  const times = { startedAt: now.toISOString(), finishedAt: now.toISOString(), seconds: 1, contended: false };
  const attempts = [{ ...times, number: 1, code: 'browser-crashed' as const, auditCode: null }];
  await world.leases.recordAttempt(lease, { attempts, samples: [] });
  const unreadable = {
    ...runKey(check.id, id),
    open: openPartition('us-west1', 3),
    dueAt: later(now, -600).toISOString(),
  };
  await putItem(world.db, unreadable, ifAbsent);
  await world.finishedRun('{}'); // not open, so not listed

  const rows = [
    /^REGION +STATE +AGE +SENT +ATTEMPTS +LOST +LEASE +DUE +OWNER +CHECK AND RUN$/,
    new RegExp(`^us-west1 +unreadable +.* 10 min ago .*${id}$`),
    new RegExp(`^us-east4 +created +3 h +2 +0 +0 +none +in 59 min +anonymous +${check.id} ${waiting.id}$`),
    new RegExp(`^europe-west3 +running +3 h +1 +1 \\(browser-crashed\\) +0 +in \\d+ s +in \\d+ s +.* ${atWork.id}$`),
  ];
  for (const service of ['runs', 'is stopped']) {
    if (service === 'is stopped') await world.stop();
    const { code, stdout, stderr } = await open();
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(rows.length);
    for (const row of rows) expect(lines).toContainEqual(expect.stringMatching(row));
  }
});

test('a wrong environment or argument says what to use', async () => {
  expect(await open(['--environment', 'moon'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/"moon"\. Use trial, dev/),
  });
  expect(await open(['--region', 'x'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('npm run open -- --help'),
  });
  expect(await open(['--environment', 'prod'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/set AWS_PROFILE/),
  });
});
