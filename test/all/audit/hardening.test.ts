import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { launchBrowser } from '../../../functions/auditor/child/browser.ts';
import { openEgressProxy } from '../../../functions/auditor/egress/proxy.ts';
import { prepareChromium } from '../../../functions/auditor/host/chromium.ts';
import { auditorUsers } from '../../../functions/auditor/host/privileges.ts';
import { auditors } from '../../../functions/auditor/parent/auditors.ts';
import { log } from '../../../functions/lib/log.ts';
import { type AuditVersion, auditVersions } from '../../../shared/audit-versions.ts';
import { auditorDir } from '../../support/auditor-dir.ts';
import { chromiumDir, testChromium } from '../../support/chromium-dir.ts';
import { anOrder } from '../../support/order.ts';
import { servePages } from '../../support/pages.ts';
import { unlessMissing } from '../../support/skips.ts';

/** Fake values of the variables that Lambda gives its functions. */
const SECRETS = {
  AWS_ACCESS_KEY_ID: 'ASIAnobodysaccesskey',
  AWS_SECRET_ACCESS_KEY: 'nobodys/secret/access/key',
  AWS_SESSION_TOKEN: 'nobodys-session-token',
  AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9001',
};
const PARTS = ['auditor', 'browser', 'renderer', 'gpu-process', 'utility'];
const newest = auditVersions[0].version;
const isRoot = process.getuid?.() === 0;
const needsRoot = unlessMissing(isRoot ? undefined : 'they need root');

let pages: Awaited<ReturnType<typeof servePages>>;
let lab: ReturnType<typeof auditors>;
beforeAll(async () => {
  Object.assign(process.env, SECRETS);
  pages = await servePages();
  lab = auditors({
    targets: { targets: 'local', ports: [] },
    ...testChromium(),
    auditorDir: await auditorDir(),
  });
  await lab.prepare();
});
afterAll(async () => {
  for (const name of Object.keys(SECRETS)) delete process.env[name];
  await lab.close();
  await pages.close();
});

type Process = {
  pid: number;
  type: string;
  args: string[];
  env: string[];
  uid: number;
  seccomp: number;
  pidNamespaces: number;
};

/** Returns the living processes of a process group. */
const membersOf = async (group: number): Promise<Process[]> => {
  const found: Process[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    try {
      const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8');
      const stat = await read('stat');
      if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) !== group) continue;
      const status = await read('status');
      // A process that a zygote forked separates its arguments by blanks.
      const args = (await read('cmdline')).split(/[\0 ]/).filter(Boolean);
      found.push({
        pid: Number(pid),
        type:
          args.find((arg) => arg.startsWith('--type='))?.slice(7) ??
          (/chromium(-headless-shell)?$/.test(args[0] ?? '') ? 'browser' : 'auditor'),
        args,
        env: (await read('environ')).split('\0').filter(Boolean),
        uid: Number(status.match(/^Uid:\s+(\d+)/m)?.[1]),
        seccomp: Number(status.match(/^Seccomp:\s+(\d+)/m)?.[1]),
        pidNamespaces:
          status
            .match(/^NSpid:(.*)/m)?.[1]
            ?.trim()
            .split(/\s+/).length ?? 1,
      });
    } catch (error) {
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return found;
};

/** Returns the process groups of this process's auditors. Each auditor leads its own group. */
const groups = async (): Promise<number[]> => {
  const own = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8');
  const commands = await Promise.all(
    own
      .trim()
      .split(' ')
      .map(async (pid) => [pid, await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')] as const),
  );
  return commands.filter(([, command]) => /\/child\.(ts|mjs)\0/.test(command)).map(([pid]) => Number(pid));
};

/** Runs one audit. Returns its verdict, and its processes from the moment when all parts of the browser run. */
const watched = async (audits: typeof lab, version: AuditVersion = newest) => {
  const url = pages.url('/perfect');
  const order = anOrder({ url, auditVersion: version, categories: ['seo'], skipOptionalParts: true });
  pages.hits.clear();
  const verdict = audits.audit(order, new AbortController().signal);
  let processes: Process[] = [];
  const isComplete = () => PARTS.every((part) => processes.some(({ type }) => type === part));
  for (let over = false; !over && !(isComplete() && pages.hits.has('/perfect')); ) {
    // When the server has received the page's request, the browser has applied its sandbox.
    processes = (await Promise.all((await groups()).map(membersOf))).flat();
    over = await Promise.race([verdict.then(() => true), sleep(20, false)]);
  }
  if (isComplete()) processes = (await Promise.all((await groups()).map(membersOf))).flat();
  return { processes, verdict: await verdict };
};

let audit: Awaited<ReturnType<typeof watched>>;
beforeAll(async () => {
  audit = await watched(lab);
});

test('an audit has a browser of several processes, and the tests below see all of them', () => {
  const types = audit.processes.map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(PARTS));
  expect(audit.verdict.state).toBe('succeeded');
});

test('no process of an audit has a credential or an unexpected variable in its environment', () => {
  const known = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LD_LIBRARY_PATH', 'FONTCONFIG_FILE'];
  const browser = audit.processes.find(({ type }) => type === 'browser'); // its child processes overwrite their environment with their titles
  for (const each of browser?.env ?? []) expect(known, each).toContain(each.split('=')[0]);
  const everything = audit.processes.flatMap(({ env, args }) => [...env, ...args]).join('\n');
  for (const secret of Object.values(SECRETS)) expect(everything).not.toContain(secret);
  expect(everything).not.toContain('AWS_');
});

test('the auditor controls the browser through a pipe, or in version 9 through a port that no page can use', async () => {
  const flags = ({ processes }: typeof audit) => processes.find(({ type }) => type === 'browser')?.args ?? [];
  expect(flags(audit)).toContain('--remote-debugging-pipe');
  expect(flags(audit).filter((flag) => flag.startsWith('--remote-debugging-port'))).toEqual([]);
  const old = flags(await watched(lab, '9.6.8'));
  // The proxies refuse this port before the browser listens on it: test/unit/egress-loopback.test.ts.
  expect(old.filter((flag) => flag.startsWith('--remote-debugging-port'))).toEqual([
    expect.stringMatching(/=[1-9]\d{3,4}$/),
  ]);
  expect(old.filter((flag) => flag.startsWith('--remote-allow-origins'))).toEqual([]);
});

describe('a service that runs as root', needsRoot, () => {
  test('runs all processes of an audit as one unused user, and the next audit as another', async () => {
    const [user, ...others] = new Set(audit.processes.map(({ uid }) => uid));
    expect(others).toEqual([]);
    expect(user).toBeGreaterThanOrEqual(61_184);
    expect(user).toBeLessThan(65_520);
    const again = await watched(lab);
    expect(again.processes[0]?.uid).not.toBe(user);
  });

  test("does not let that user read the service's environment or memory", () => {
    const uid = audit.processes[0]?.uid as number;
    const read = (path: string) => spawnSync('cat', [path], { uid, gid: uid, encoding: 'utf8' });
    expect(read(`/proc/self/environ`).status).toBe(0);
    for (const name of ['environ', 'maps', 'mem']) {
      expect(read(`/proc/${process.pid}/${name}`).stderr).toMatch(/Permission denied/);
    }
  });

  test('runs auditors as root and logs a warning if other users may not read its files', async () => {
    const warn = vi.spyOn(log, 'warn').mockImplementation(() => log);
    const closed = await mkdtemp(join(tmpdir(), 'closed-')); // mode 0700, as home folders often have
    const file = join(closed, 'child.ts');
    await writeFile(file, '');
    expect((await auditorUsers([file]))()).toBeUndefined();
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/as root/), { why: expect.stringContaining('EACCES') }]]);
    await chmod(closed, 0o755);
    expect((await auditorUsers([file]))()).toEqual({ uid: expect.any(Number), gid: expect.any(Number) });
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
    await rm(closed, { recursive: true });
  });
});

/** Returns why a user without root rights can't create namespaces. Asks the kernel, not Chromium. */
const noSandboxHere = (): string | undefined => {
  const user = isRoot ? { uid: 65_000, gid: 65_000 } : {};
  const { status, stderr, error } = spawnSync('unshare', ['--user', '--pid', '--fork', 'true'], {
    ...user,
    cwd: '/',
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `the kernel gives no namespaces to users: ${stderr?.trim() || error}`;
};
const needsSandbox = unlessMissing(noSandboxHere());

describe("with Chromium's sandbox", needsSandbox, () => {
  test('pages run in it, and the run reports it', () => {
    const renderers = audit.processes.filter(({ type }) => type === 'renderer');
    expect(renderers.length).toBeGreaterThan(0);
    for (const { seccomp, pidNamespaces } of renderers) {
      expect(seccomp).toBe(2); // a system call filter
      expect(pidNamespaces).toBeGreaterThan(1); // a namespace of its own, which shows no other process
    }
    expect(audit.verdict.environment).toMatchObject({ sandbox: true });
  });
});

/** Creates a folder with a shell script in place of Chromium. `script` gets the path of the real one, and the folder. */
const chromiumByScript = async (script: (real: string, dir: string) => string): Promise<string> => {
  const real = await prepareChromium(testChromium());
  const packaged = await prepareChromium({ chromiumDir: chromiumDir() });
  const dir = await mkdtemp(join(tmpdir(), 'chromium-by-script-'));
  const home = join(dir, packaged.executable.split('/').at(-2) as string);
  execFileSync('cp', ['-rs', join(packaged.executable, '..'), home]); // copies as links; the script replaces one of them
  await chmod(dir, 0o755);
  await rm(join(home, 'chromium'));
  await writeFile(join(home, 'chromium'), `#!/bin/sh\n${script(real.executable, dir)}`, { mode: 0o755 });
  return dir;
};

test('the time limit of an attempt includes the start of its browser', async () => {
  const dir = await chromiumByScript(() => 'case "$*" in *--version*) exit 0 ;; esac; exec sleep 600');
  const lab = auditors({ targets: { targets: 'local', ports: [] }, chromiumDir: dir, limitMs: 2000 });
  try {
    await lab.prepare();
    const order = anOrder({ url: pages.url('/perfect'), auditVersion: newest });
    const verdict = await lab.audit(order, new AbortController().signal);
    expect(verdict).toMatchObject({ state: 'failed', error: { code: 'audit-timeout' } });
  } finally {
    await lab.close();
    await rm(dir, { recursive: true });
  }
});

test('a Chromium that can not use its sandbox runs without it, the run reports it, and the next audit does not try it', async () => {
  const dir = await chromiumByScript(
    (real, dir) => `
case " $* " in *" --no-sandbox "*) exec "${real}" "$@" ;; esac
echo once >> "${dir}/tried"
exit 133 # Chromium's exit code if it has no usable sandbox
`,
  );
  const tried = join(dir, 'tried');
  await writeFile(tried, '');
  await chmod(tried, 0o666);
  const poor = auditors({ targets: { targets: 'local', ports: [] }, chromiumDir: dir });
  try {
    for (const _ of ['once', 'twice']) {
      const { verdict, processes } = await watched(poor);
      expect(verdict).toMatchObject({ state: 'succeeded', environment: { sandbox: false } });
      expect(processes.filter(({ type }) => type === 'renderer').map(({ seccomp }) => seccomp)).toContain(0);
    }
    expect(await readFile(tried, 'utf8')).toBe('once\n');
  } finally {
    await poor.close();
    await rm(dir, { recursive: true });
  }
});

test(
  'after an audit in the sandbox, a Chromium that can not start in it fails the audit and does not run without it',
  needsSandbox,
  async () => {
    const dir = await chromiumByScript(
      (real, dir) => `
case " $* " in *" --no-sandbox "*) exec "${real}" "$@" ;; esac
test -e "${dir}/ill" && exit 133
exec "${real}" "$@"
`,
    );
    const audits = auditors({ targets: { targets: 'local', ports: [] }, chromiumDir: dir });
    try {
      expect((await watched(audits)).verdict.environment).toMatchObject({ sandbox: true });
      await writeFile(join(dir, 'ill'), '');
      expect((await watched(audits)).verdict).toMatchObject({ state: 'failed', error: { code: 'internal' } });
      await rm(join(dir, 'ill'));
      expect((await watched(audits)).verdict.environment).toMatchObject({ sandbox: true });
    } finally {
      await audits.close();
      await rm(dir, { recursive: true });
    }
  },
);

test('an audit that is aborted before its browser starts rejects', async () => {
  const stop = new AbortController();
  const order = anOrder({ url: pages.url('/perfect'), auditVersion: newest, categories: ['seo'] });
  const started = lab.audit(order, stop.signal);
  stop.abort(new Error('released'));
  await expect(started).rejects.toThrow('released');
});

test('a folder of another user in the temporary folder does not prevent a start', needsRoot, async () => {
  const shared = await mkdtemp(join(tmpdir(), 'shared-'));
  const theirs = join(shared, 'page-audit-4194305-abc'); // above the highest possible pid
  const module = join(shared, 'stale-entries.ts'); // a copy that every user may read
  await cp(new URL('../../../functions/auditor/host/stale-entries.ts', import.meta.url), module);
  await mkdir(theirs, { mode: 0o700 });
  await chmod(shared, 0o1777);
  const asNobody = { uid: 65_000, gid: 65_000, cwd: '/', encoding: 'utf8' } as const;
  const mine = join(shared, 'page-audit-4194304-abc');
  const code = `import { mkdirSync } from 'node:fs'; import { removeStale } from '${module}';
    mkdirSync('${mine}'); await removeStale('${shared}', 'page-audit-');`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], asNobody);
  expect([status, stderr]).toEqual([0, '']);
  expect((await readdir(shared)).sort()).toEqual(['page-audit-4194305-abc', 'stale-entries.ts']);
  await rm(shared, { recursive: true });
});

const withPage = async (
  path: string,
  does: (page: Page, browser: Browser, workDir: string) => Promise<void>,
): Promise<void> => {
  const url = pages.url(path);
  const proxy = await openEgressProxy({ targets: 'local', ports: [], url });
  const workDir = await mkdtemp(join(tmpdir(), 'browser-'));
  const { executable, env } = await prepareChromium(testChromium());
  const { browser, page } = await launchBrowser({
    executable,
    proxyPort: proxy.port,
    workDir,
    sandbox: 'none',
    env: { ...env, HOME: workDir, TMPDIR: workDir, PATH: '/usr/bin:/bin' },
  });
  await does(page, browser, workDir);
  await browser.close();
  await proxy.close();
  await rm(workDir, { recursive: true, maxRetries: 10 });
};

test('a page gets no permission and downloads no file', () =>
  withPage('/permissions', async (page, browser, workDir) => {
    const session = await browser.target().createCDPSession();
    const downloads: string[] = [];
    session.on('Browser.downloadProgress', ({ state }) => downloads.push(state));
    await session.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true });
    await page.goto(pages.url('/permissions'));
    expect(await page.evaluate('outcomes')).toEqual({
      notifications: 'default',
      geolocation: 'refused 1',
      camera: 'NotFoundError',
      microphone: 'NotFoundError',
      screen: expect.stringMatching(/Error$/),
      midi: 'NotAllowedError',
      clipboard: 'NotAllowedError',
      storage: 'false',
      idle: expect.stringMatching(/Error$|prompt/),
    });
    await expect.poll(() => pages.hits.get('/wide.png')).toBeGreaterThan(0);
    await sleep(300);
    expect(downloads).not.toContain('completed');
    expect((await readdir(workDir, { recursive: true })).filter((name) => name.includes('taken'))).toEqual([]);
  }));

test('a page has a scrollbar, as in the browser that the Lighthouse command line starts', () =>
  withPage('/perfect', async (page) => {
    await page.goto(pages.url('/perfect'));
    await page.evaluate('document.body.style.height = "5000px"');
    expect(await page.evaluate('innerWidth - document.documentElement.clientWidth')).toBe(15);
  }));
