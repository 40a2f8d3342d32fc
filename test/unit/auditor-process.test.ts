import { EventEmitter } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { hostBenchmark } from '../../functions/auditor/host/benchmark.ts';
import { type CpuAccess, cpuAccess, cpuShares } from '../../functions/auditor/host/cpu-shares.ts';
import { startAuditorProcess } from '../../functions/auditor/parent/auditor-process.ts';
import { exitOf } from '../../functions/auditor/parent/fork-child.ts';
import { limitsOn } from '../../functions/auditor/stop-rules.ts';
import { anOrder } from '../support/order.ts';
import { waitFor } from '../support/service.ts';

let dir: string;
let executable: string; // a browser that never answers
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'page-audit-test-'));
  executable = join(dir, 'browser');
  await writeFile(executable, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
});
afterAll(() => rm(dir, { recursive: true }));

const order = anOrder({ url: 'http://localhost/' });
const host = () => ({ executable, env: {}, sandbox: 'none' }) as const;
const started = () => ({ order, host: host(), policy: { targets: 'local', ports: [], url: order.url } }) as const;
const LIMIT_MS = 600;
/** Limit of auditors that end by themselves. A slow machine starts a process late. */
const HANG_MS = 60_000;
const never = () => new AbortController().signal;
const REPORT_BROWSER = "process.send({ type: 'browser', version: '1', sandbox: false });";

const startAuditor = (
  access: CpuAccess = cpuAccess(
    1,
    cpuShares(async () => {}),
  ),
  { module, starvedMs }: { module?: string; starvedMs?: () => number } = {},
) =>
  startAuditorProcess('13.5.0', {
    ...(module && { module }),
    ...(starvedMs && { starvedMs: () => starvedMs }),
    cpuAccess: access,
    benchmark: hostBenchmark(),
    limits: limitsOn(2 ** 34, module ? HANG_MS : LIMIT_MS),
    user: undefined,
  });

test.each([
  ['an auditor that was never starved', 0, 1],
  ['an auditor that was starved all the time', 1, 2],
])('%s has its whole time limit', async (_, starvedShare, limits) => {
  const auditor = startAuditor(undefined, { starvedMs: () => starvedShare * performance.now() });
  try {
    const startedAt = performance.now();
    const { end } = await auditor.audit(started(), {}, never());
    const took = performance.now() - startedAt;
    expect(end).toEqual({ how: 'stopped', why: 'audit-timeout' });
    expect(took).toBeGreaterThan(limits * LIMIT_MS - 50);
  } finally {
    await auditor.end();
  }
});

test.each([
  [
    'cannot start its browser',
    () => '/bin/false',
    false,
    'Chromium does not start on this machine: it exited without a message.',
  ],
  ['is ended', () => executable, true, 'The auditor exited.'],
])('an idle auditor that %s measures no benchmark', async (_, browser, isEnded, reason) => {
  const auditor = startAuditor();
  try {
    await auditor.startBrowser({ ...host(), executable: browser() });
    const measured = expect(auditor.measureBenchmark()).rejects.toThrow(reason);
    if (isEnded) await auditor.end();
    await measured;
  } finally {
    await auditor.end();
  }
});

test('a temporary folder that is removed during an audit is a shortage, and ends no process', async () => {
  const folder = await mkdtemp(join(dir, 'removed-'));
  vi.stubEnv('TMPDIR', folder);
  const auditor = startAuditor();
  try {
    await auditor.startBrowser(host()); // imports Lighthouse before
    const ended = auditor.audit(started(), {}, never());
    await waitFor(() => readdirSync(folder, { recursive: true }).find((name) => `${name}`.endsWith('profile')));
    await rm(folder, { recursive: true });
    expect((await ended).shortage).toBe(`a temporary folder (${folder} is missing)`);
  } finally {
    vi.unstubAllEnvs();
    await auditor.end();
  }
});

test.each(['null', "{ type: 'nonsense' }"])(
  'an auditor that sends %s fails its audit, and ends no service',
  async (message) => {
    const module = join(dir, 'liar.mjs');
    await writeFile(
      module,
      `process.send({ type: 'ready' }); process.once('message', () => process.send(${message}));`,
    );
    const auditor = startAuditor(undefined, { module });
    try {
      await expect(auditor.audit(started(), {}, never())).rejects.toThrow();
    } finally {
      await auditor.end();
    }
  },
);

test.each<[string, Parameters<typeof anOrder>[0], string, boolean]>([
  ['that exits when it receives its order', {}, '', false],
  ['that exits while it waits for the CPU', {}, "process.send({ type: 'waiting' });", false],
  ['that exits in its timed part', {}, "process.send({ type: 'waiting' }); await once(process, 'message');", true],
  ['without a timed part that exits before its browser is ready', { categories: ['seo'] }, '', false],
  ['without a timed part that exits with a browser', { categories: ['seo'] }, REPORT_BROWSER, true],
])('an auditor %s may have requested the page only if it was allowed to', async (_, options, steps, begun) => {
  const module = join(dir, 'mortal.mjs');
  await writeFile(
    module,
    `import { once } from 'node:events';
    process.send({ type: 'ready' });
    await once(process, 'message');
    ${steps}
    process.kill(process.pid, 'SIGKILL');`,
  );
  const taken = { ...cpuAccess(1), slot: async () => new Promise<() => void>(() => {}) };
  const auditor = startAuditor(steps.includes('await once') ? undefined : taken, { module });
  try {
    const ended = await auditor.audit({ ...started(), order: anOrder({ url: order.url, ...options }) }, {}, never());
    expect(ended).toMatchObject({ end: { how: 'exited' }, begun });
  } finally {
    await auditor.end();
  }
});

test('an audit ends at once if its auditor has exited unnoticed', async () => {
  const module = join(dir, 'gone.mjs');
  await writeFile(module, `process.send({ type: 'ready' }); setInterval(() => {}, 1000);`);
  const access = cpuAccess(
    1,
    cpuShares(async () => {}),
  );
  const pids: number[] = [];
  const add = (pid: number) => void pids.push(pid);
  const auditor = startAuditor({ ...access, shares: { ...access.shares, add } }, { module });
  try {
    const pid = await waitFor(() => pids[0]);
    process.kill(pid, 'SIGKILL');
    expect(auditor.isAlive()).toBe(true);
    expect(await auditor.audit(started(), {}, never())).toMatchObject({ end: { how: 'exited' }, begun: false });
  } finally {
    await auditor.end();
  }
});

test('an auditor has ended when its last message was received, even if its exit is reported before', async () => {
  const child = Object.assign(new EventEmitter(), { connected: true });
  const events: string[] = [];
  child.on('message', (message) => events.push(message));
  const ended = exitOf(child).then(({ code }) => events.push(`ended with ${code}`));
  child.emit('exit', 0, null);
  await setImmediate();
  child.emit('message', 'report');
  child.connected = false;
  child.emit('disconnect');
  await ended;
  expect(events).toEqual(['report', 'ended with 0']);
});
