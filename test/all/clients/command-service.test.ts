import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pages, servePages } from '../../support/pages.ts';
import { commandOf, descendantsOf, portsOf } from '../../support/processes.ts';
import { preparedPrograms, processesWith, waitFor } from '../../support/service.ts';
import { serveThirdParties } from '../../support/third-parties-site.ts';

type Metrics = Record<string, { base: number; value: number } | null>;

let pages: Pages;
let temporary: string;
let programs: string;
beforeAll(async () => {
  pages = await servePages();
  programs = await preparedPrograms();
  temporary = await mkdtemp(join(tmpdir(), 'page-audit-cli-'));
  await mkdir(join(temporary, 'page-audit-command-4194305-killed')); // the next command removes it
});
afterAll(async () => {
  await pages.close();
  await rm(temporary, { recursive: true });
});

/** Starts `page-audit` without PAGE_AUDIT_URL. All its temporary files are in one folder. */
const start = (args: readonly string[], options: { detached?: boolean } = {}) => {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, TMPDIR: temporary, CHROMIUM_DIR: programs };
  return spawn(process.execPath, ['clients/cli/page-audit.cjs', ...args], { env, ...options });
};
const startRun = (...args: string[]) => start(['run', pages.url('/perfect'), ...args]);
/** Starts an audit that cannot end, because the server keeps its page back. */
const startEndless = (args: readonly string[] = [], options = {}) =>
  start(['run', pages.url('/perfect?waitMs=600000'), ...args], options);
/** Waits until a command reports that its run is running. Returns a function that returns its stderr. */
const untilRunning = async (child: ReturnType<typeof start>) => {
  child.stdout.resume();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  await waitFor(() => stderr.includes('running') || undefined);
  return () => stderr;
};
/** Waits until the service of the command has ended and has deleted its data. */
const expectNothingLeft = () =>
  waitFor(async () => {
    const folders = (await readdir(temporary)).filter((name) => name.startsWith('page-audit-'));
    return folders.length === 0 && processesWith(temporary).length === 0 ? true : undefined;
  });

/** Returns the statuses that the ports of the command's service answer to a request without a key. */
const statusesOf = async (command: number): Promise<number[]> => {
  const service = descendantsOf(command).find(({ pid }) => commandOf(pid).includes('command-service'));
  const status = (port: number) =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      (answer) => answer.status,
      () => 0, // the audit's egress proxy speaks no HTTP
    );
  const statuses = await Promise.all(portsOf(service?.pid as number).map(status));
  return statuses.filter((each) => each > 0).sort();
};

test('without a server, `run` audits a page with a service of its own that leaves the report behind, and nothing else', async () => {
  const child = startRun('--format', 'json');
  const stdout = child.stdout.toArray();
  expect(await once(child, 'close')).toEqual([0, null]);
  const [check] = JSON.parse(`${Buffer.concat(await stdout)}`).checks;
  expect(check.state).toBe('succeeded');
  expect(check.runs[0].seo).toBe(100);
  const { reportFile } = check.runs[0];
  expect(await readFile(reportFile, 'utf8')).toContain('__LIGHTHOUSE_JSON__ = {');
  await rm(dirname(reportFile), { recursive: true });
  expect(await readdir(temporary)).toEqual([]);
});

test.each([
  ['SIGINT', 130],
  ['SIGKILL', null],
] as const)('a command that %s ends leaves no process and no data behind', async (signal, code) => {
  const child = startEndless();
  const stderr = await untilRunning(child);
  if (signal === 'SIGINT') expect(await statusesOf(child.pid as number)).toEqual([200]); // the API
  child.kill(signal);
  expect((await once(child, 'close'))[0]).toBe(code);
  if (signal === 'SIGINT') expect(stderr()).toMatch(/The unfinished check \S+ is erased/);
  await expectNothingLeft();
});

test('a signal to the whole group while the service starts ends both', async () => {
  const child = startEndless([], { detached: true });
  child.stdout.resume();
  child.stderr.resume();
  await waitFor(async () => (await readdir(temporary)).length > 0 || undefined); // the service has begun to start
  process.kill(-(child.pid as number), 'SIGTERM');
  expect((await once(child, 'close'))[0]).toBe(130);
  await expectNothingLeft();
});

test('`third-parties` blocks each third party of a page in turns with the page as it is, and all together', async () => {
  await using site = await serveThirdParties();
  const child = start(['third-parties', site.url, '--samples', '1', '--format', 'json']);
  const stdout = child.stdout.toArray();
  child.stderr.resume();
  expect(await once(child, 'close')).toEqual([0, null]);
  const { thirdParties } = JSON.parse(`${Buffer.concat(await stdout)}`);
  const rows = thirdParties.map(({ name, state, metrics }: { name: string; state: string; metrics: Metrics }) => {
    const { base = 0, value = 0 } = metrics.bytes ?? {};
    return [name, state, Math.round((base - value) / 1000)];
  });
  // in any order, because a busy machine changes the times of the scripts
  expect(rows.slice(0, -1)).toEqual(
    expect.arrayContaining([
      ['ads.localhost', 'succeeded', 10],
      ['images.localhost', 'succeeded', 200],
    ]),
  );
  expect(rows.at(-1)).toEqual(['all of these', 'succeeded', 210]);
  const images = thirdParties.find(({ name }: { name: string }) => name === 'images.localhost');
  expect(images.warnings.join()).toContain('its LCP element is');
});

test('a data folder that another service uses is named', async () => {
  const data = join(temporary, 'data');
  const first = startEndless(['--data', data]);
  const firstEnd = once(first, 'close');
  await untilRunning(first);
  const second = startRun('--data', data);
  second.stdout.resume();
  const stderr = second.stderr.toArray();
  expect(await once(second, 'close')).toEqual([4, null]);
  expect(`${Buffer.concat(await stderr)}`).toContain(`${data} is in use by another process of this service`);
  first.kill('SIGINT');
  await firstEnd;
  await rm(data, { recursive: true });
});
