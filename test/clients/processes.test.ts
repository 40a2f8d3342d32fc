import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startOwnService } from '../../clients/cli/service/service.ts';
import { compileCache } from '../support/compile-cache.ts';
import { finishedCheck, startFakeService } from '../support/fake-service.ts';
import { needsOlderNode, olderNode } from '../support/older-node.ts';
import { descendantsOf } from '../support/processes.ts';
import { processesWith, waitFor } from '../support/service.ts';

let service: Awaited<ReturnType<typeof startFakeService>>;
let folder: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  const running = { ...finishedCheck, state: 'running', runs: [{ ...finishedCheck.runs[0], state: 'running' }] };
  service = await startFakeService({ create: () => running, get: () => running });
  folder = mkdtempSync(join(tmpdir(), 'page-audit-processes-'));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
  await service[Symbol.asyncDispose]();
});

/** Starts a command in a process group of its own, and waits until it waits for its check. */
const startRun = async (node: string, file = 'clients/cli/page-audit.cjs') => {
  const { PATH = '', HOME = '' } = process.env;
  const env = { ...compileCache, PATH, HOME, PAGE_AUDIT_URL: service.url };
  const args = [file, 'run', 'https://shop.example/'];
  const child = spawn(node, args, { env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  const waits = once(child.stderr, 'data');
  const ended = Promise.all([once(child, 'exit'), text(child.stderr)]);
  await waits;
  return { child, ended };
};
const pidOf = (child: ChildProcess) => child.pid as number;
const erased = `The unfinished check ${finishedCheck.id} is erased.`;

describe.concurrent('a signal', () => {
  test.each(['SIGINT', 'SIGHUP'] as const)(
    '%s to the launcher of an older Node.js alone erases the unfinished check',
    needsOlderNode,
    async (signal) => {
      const { child, ended } = await startRun(olderNode as string);
      child.kill(signal);
      expect(await ended).toEqual([[130, null], expect.stringContaining(erased)]);
    },
  );

  test('SIGTERM to the whole group is one interrupt', needsOlderNode, async () => {
    const { child, ended } = await startRun(olderNode as string);
    process.kill(-pidOf(child), 'SIGTERM');
    child.kill('SIGTERM'); // npm passes it on too
    expect(await ended).toEqual([[130, null], expect.stringContaining(erased)]);
  });

  test('that kills the command ends its launcher in the same way', needsOlderNode, async () => {
    const { child, ended } = await startRun(olderNode as string);
    const [command] = descendantsOf(pidOf(child));
    process.kill(command?.pid as number, 'SIGKILL');
    expect((await ended)[0]).toEqual([null, 'SIGKILL']);
  });
});

/** Starts a file in place of the service of a command. */
const startInstead = (code: string, options: { signal?: AbortSignal; startMs?: number } = {}) => {
  const file = join(folder, 'service.js');
  writeFileSync(file, code);
  const signal = new AbortController().signal;
  return startOwnService(undefined, { env: {}, signal, stopMs: 100, ...options, file });
};
const hangs = 'for (;;);';

test('a service of a command that does not start is killed with a message', async () => {
  await expect(startInstead(hangs, { startMs: 300 })).rejects.toThrow(/did not start: it took longer than 0\.3 s/);
  expect(processesWith(folder)).toEqual([]);
});

test('an interrupt ends a service that does not start, and deletes its temporary folder', async () => {
  vi.stubEnv('TMPDIR', folder);
  const interrupt = new AbortController();
  const started = startInstead(`require('node:fs').mkdirSync(process.argv[2]); ${hangs}`, { signal: interrupt.signal });
  const temporary = () => readdirSync(folder).filter((name) => name.startsWith('page-audit-command-'));
  await waitFor(() => temporary()[0]);
  interrupt.abort(new Error('Interrupted.'));
  await expect(started).rejects.toThrow('Interrupted.');
  expect(temporary()).toEqual([]);
  vi.unstubAllEnvs();
});

test('a service of a command that ends before the command is reported', async () => {
  const { ended } = await startInstead("process.send({ url: 'http://127.0.0.1:9' }, () => process.exit(1))");
  await waitFor(() => ended.aborted || undefined);
  expect(ended.reason.message).toMatch(/ended unexpectedly/);
});

test.each([
  ['/proc/x', /\/proc\/x can't be used: ENOENT.* Set --data to another folder/],
  ['', /--data has no folder/],
])('the data folder %s ends a command with a message', async (data, message) => {
  const { PATH, HOME } = process.env;
  const signal = new AbortController().signal;
  await expect(startOwnService(data, { env: { PATH, HOME }, signal })).rejects.toThrow(message);
});
