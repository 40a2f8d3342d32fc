import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweep } from '../../functions/sweep.ts';
import type { ScheduleList } from '../../shared/schedules.ts';
import { type Api, startApi } from '../support/api.ts';
import { runHere } from '../support/command-context.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  await api.stop();
});

const schedule = (...args: string[]) => runHere(['schedule', ...args], api.url);
const listed = async () => (JSON.parse((await schedule('list', '--format', 'json')).stdout) as ScheduleList).schedules;

test('`schedule` adds, lists, pauses, resumes and deletes a schedule with the options of a check', async () => {
  expect((await schedule('list')).stdout).toMatch(/^There are no schedules\. Add one: page-audit schedule add/);
  const times = ['--every', '0 6 * * 1-5', '--time-zone', 'Europe/Berlin'];
  const inputs = ['--region', 'us-west1,us-east4', '--device', 'desktop', '--samples', '5', '--label', 'team=shop'];
  const secrets = ['--header', 'x-preview: secret-1'];
  const added = await schedule('add', 'https://shop.example.com/', ...times, '--name', 'Shop', ...inputs, ...secrets);
  expect(added).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^The first check is at .*T0[45]:00:00.000Z\.\n$/),
  });
  const id = added.stdout.trim();
  expect(await listed()).toMatchObject([
    {
      id,
      name: 'Shop',
      every: { cron: '0 6 * * 1-5', timeZone: 'Europe/Berlin' },
      check: {
        url: 'https://shop.example.com/',
        regions: ['us-west1', 'us-east4'],
        device: 'desktop',
        samples: 5,
        labels: { team: 'shop' },
        headers: ['x-preview'],
      },
    },
  ]);
  const next = new Date((await listed())[0]?.nextAt as string);
  await sweep({ ...api.world, now: () => next })({});
  const { stdout } = await schedule('list');
  const [check] = (await api.client.list()).checks;
  expect(stdout).toContain(
    `Shop\n  https://shop.example.com/, us-west1, us-east4\n  0 6 * * 1-5 (Europe/Berlin)\n  check created ${check?.id}, `,
  );
  expect(stdout).toMatch(new RegExp(`next at .*\\n {2}${id}\\n$`));
  expect(stdout).not.toContain('secret-1');
  expect(check?.scheduleId).toBe(id);
  const before = (await listed())[0];
  expect(await schedule('edit', id, '--samples', '3', '--every', '6h')).toMatchObject({ code: 0 });
  const [changed] = await listed();
  expect(changed).toMatchObject({ name: 'Shop', every: '6h', check: { ...before?.check, samples: 3 } });
  expect((await schedule('edit', id, '--name', 'Home', '--forget-login')).stderr).toContain('The next check is at');
  expect((await listed())[0]).toMatchObject({ name: 'Home', check: expect.not.objectContaining({ headers: [] }) });
  expect(await schedule('edit', id, '--samples', '3')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('nothing'),
  });
  expect(await schedule('edit', id)).toMatchObject({ code: 2, stderr: expect.stringContaining('Say what to change') });
  await schedule('edit', id, '--name', 'Shop');
  expect((await schedule('pause', id)).code).toBe(0);
  expect((await schedule('list')).stdout).toContain('  paused\n');
  expect((await schedule('resume', id)).stderr).toMatch(/^The next check is at /);
  expect((await schedule('delete', id)).code).toBe(0);
  expect(await listed()).toEqual([]);
  expect(await schedule('pause', id)).toMatchObject({ code: 2, stderr: expect.stringContaining('no schedule') });
});

test.each([
  [['add', 'ftp://shop.example', '--every', '1d'], 'is no URL of a web page'],
  [['add', 'https://shop.example.com/', '--every', '4m'], 'The times must be an interval'],
  [['add', 'https://shop.example.com/', '--every', '* * * * *'], 'less than 5 minutes apart'],
  [['add', 'https://shop.example.com/', '--every', '1d', '--time-zone', 'UTC'], '--time-zone is for cron'],
  [['add', 'https://shop.example.com/'], '--every'],
])('`schedule %j` is wrong use', async (args, text) => {
  expect(await schedule(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(text) });
});
