import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { log } from '../lib/log.ts';
import type { Slots } from '../lib/slots.ts';
import { MAX_NAVIGATIONS } from './faults.ts';
import { type shares, startCpuMeter } from './host/machine.ts';
import type { User } from './host/privileges.ts';
import { groupGone, killGroup, membersOf, memoryOf } from './host/processes.ts';
import {
  type AuditEnd,
  type AuditorMessage,
  type AuditorOrder,
  type CpuUse,
  emptyMainFrame,
  isTimed,
  type MainFrame,
  type START_SIGNAL,
} from './messages.ts';
import {
  FAILURE_GRACE_MS,
  MAX_AUDITOR_BYTES,
  MAX_BROWSER_BYTES,
  NO_ANSWER_MS,
  SCRIPTLESS,
  SLOW_DOCUMENT_MS,
  TOO_MUCH,
} from './stop-rules.ts';

/** What an auditor that is done gets to close its browser. */
const GOODBYE_MS = 1000;
const MEMORY_WATCH_MS = 250;

export const WORK_DIR = 'page-audit-'; // then the pid of its owner

export type Auditor = ReturnType<typeof startAuditor>;
/** One at a time may be measured, or as many as the machine has room for; the others give way meanwhile. */
export type Processor = { turn: Slots; shares: ReturnType<typeof shares>; limitMs: number };

/** One auditor process, from its start (imports only) through one audit to the death of its whole group. */
export const startAuditor = (version: AuditVersion, { turn, shares, limitMs }: Processor, user: User | undefined) => {
  const workDir = mkdtemp(join(tmpdir(), `${WORK_DIR}${process.pid}-`)).then(async (dir) => {
    if (user) await chown(dir, user.uid, user.gid);
    return dir;
  });
  const child = workDir.then((dir) => forkChild(version, dir, user));
  child.then(
    (started) => {
      started.on('error', () => {}); // met by `audit`, as its end
      const { pid } = started;
      if (pid) shares.add(pid);
      started.once('exit', () => {
        exited = true;
        if (pid) shares.remove(pid);
      });
      started.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-10_000);
      });
    },
    () => {}, // met by `audit`
  );
  let mainFrame: MainFrame = emptyMainFrame;
  let chromium: string | null = null;
  let sandbox: boolean | null = null;
  let cpu: CpuUse | null = null;
  let readCpu: () => CpuUse | null = () => null;
  let measuredAt: number | undefined;
  let done = false;
  let said = '';
  let exited = false;
  let ended = false;

  const end = async (): Promise<void> => {
    ended = true;
    const started = await child.catch(() => undefined);
    if (started?.pid) {
      const exit = exited ? undefined : once(started, 'exit');
      if (done) await Promise.race([exit, sleep(GOODBYE_MS)]); // so that the browser ends its own processes
      killGroup(started.pid);
      await exit;
      await groupGone(started.pid); // a browser that is dying still writes to its profile
    }
    const dir = await workDir.catch(() => undefined);
    if (dir) await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };

  const audit = async (order: AuditorOrder, signal: AbortSignal, onBrowser: () => void): Promise<AuditEnd> => {
    const dir = await workDir;
    const auditor = await child;
    const timers = new Set<NodeJS.Timeout>();
    const over = new AbortController();
    let leaveProcessor = () => {};
    return new Promise<AuditEnd>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason); // since the audit was begun
      const after = (ms: number, then: () => void) => {
        const timer = setTimeout(then, ms);
        timers.add(timer);
        return timer;
      };
      const stop = (why: Extract<AuditEnd, { how: 'stopped' }>['why'], detail?: string) =>
        resolve({ how: 'stopped', why, ...(detail && { detail }) });

      const startLimit = (ms: number) => after(ms, () => stop('audit-timeout'));
      let limit = startLimit(limitMs);
      const startedAt = performance.now();
      /** What then fails is no longer what was measured; Lighthouse comes to its end without it. */
      const isVisitedAgain = () => measuredAt !== undefined && mainFrame.navigations > 0;
      const noAnswer = () => {
        const { url, status, navigations, finished, failure } = mainFrame;
        const shown = navigations > 0 && status !== null;
        if (!isVisitedAgain() && url && !shown && !finished && !failure) stop('load-timeout');
      };
      const stillComing = () => {
        const { url, everFinished, failure } = mainFrame;
        if (measuredAt === undefined && url && !everFinished && !failure) stop('load-timeout');
      };
      const memoryWatch = watchMemory(auditor.pid as number, (what) => {
        stop('page-too-large', `The page takes more memory than an audit may have (${what}).`);
      });
      over.signal.addEventListener('abort', memoryWatch);
      signal.addEventListener('abort', () => reject(signal.reason), { signal: over.signal });
      auditor.once('exit', (code, killedBy) => {
        if (over.signal.aborted) return;
        log.error('an auditor ended without an answer', { code, killedBy, said: said.slice(-2000) });
        resolve({ how: 'exited' });
      });
      auditor.once('error', reject);
      auditor.on('message', (tale: AuditorMessage) => {
        switch (tale.type) {
          case 'browser':
            chromium = tale.version;
            sandbox = tale.sandbox;
            onBrowser();
            if (!isTimed(order)) after(NO_ANSWER_MS, noAnswer);
            break;
          case 'waiting': {
            clearTimeout(limit); // for as long as others are measured
            const left = limitMs - (performance.now() - startedAt);
            turn(over.signal).then(
              async (giveBack) => {
                leaveProcessor = () => {
                  shares.stopMeasuring(auditor.pid as number);
                  giveBack();
                };
                await shares.startMeasuring(auditor.pid as number);
                if (over.signal.aborted) return;
                limit = startLimit(left);
                after(NO_ANSWER_MS, noAnswer);
                after(SLOW_DOCUMENT_MS, stillComing);
                readCpu = startCpuMeter(auditor.pid as number);
                auditor.send('start' satisfies typeof START_SIGNAL);
              },
              () => {}, // it ended before its turn came
            );
            break;
          }
          case 'measured':
            cpu = tale.cpu;
            measuredAt = Date.now();
            leaveProcessor();
            leaveProcessor = () => {};
            break;
          case 'mainFrame': {
            mainFrame = tale.record;
            if (mainFrame.crashed) after(FAILURE_GRACE_MS, () => stop('page-crashed'));
            if (mainFrame.navigations > MAX_NAVIGATIONS) stop('redirect-loop');
            if (mainFrame.scriptless && mainFrame.finished) stop('page-hung', SCRIPTLESS);
            if (mainFrame.tooMuch) stop(...TOO_MUCH[mainFrame.tooMuch]);
            const failed = mainFrame;
            // A page that is shown and asks for what it does not show, such as a download, is still the page.
            const staysAsItWas = failed.navigations > 0 && failed.failure === 'ERR_ABORTED';
            const hasFailed = failed.failure ? !staysAsItWas : failed.empty && !failed.painted;
            if (hasFailed && !isVisitedAgain()) {
              after(FAILURE_GRACE_MS, () => mainFrame === failed && stop('main-document-failed'));
            }
            break;
          }
          case 'audited':
            done = true;
            resolve({
              ...tale,
              how: 'audited',
              summary: { ...tale.summary, report: Buffer.from(tale.summary.report) },
            });
            break;
          case 'failed':
            resolve({ ...tale, how: 'failed' });
        }
      });
      auditor.send({ ...order, env: { ...childEnv(dir), ...order.env } } satisfies AuditorOrder);
    }).finally(() => {
      cpu ??= readCpu(); // of an audit that did not get as far
      timers.forEach(clearTimeout);
      over.abort();
      leaveProcessor();
    });
  };

  return {
    version,
    audit,
    end,
    alive: () => !ended && !exited,
    seen: () => ({ mainFrame, chromium, sandbox, cpu, measuredAt }),
  };
};

/** Looks at an auditor's memory, and that of its browser, until the function that it gives is called. */
const watchMemory = (group: number, onExcess: (what: string) => void): (() => void) => {
  let members: number[] = [];
  let looks = 0;
  const timer = setInterval(() => {
    if (looks++ % 4 === 0) members = membersOf(group); // looks through all processes of the machine: more seldom
    const browser = members.filter((pid) => pid !== group).reduce((sum, pid) => sum + memoryOf(pid), 0);
    if (browser > MAX_BROWSER_BYTES) onExcess(`the browser ${Math.round(browser / 2 ** 20)} MiB`);
    else if (memoryOf(group) > MAX_AUDITOR_BYTES) onExcess('its trace');
  }, MEMORY_WATCH_MS);
  return () => clearInterval(timer);
};

/** Beside this module, and in its form: TypeScript here, a bundle where it is deployed. */
export const childModule = join(import.meta.dirname, `child${extname(import.meta.filename)}`);

const forkChild = (version: AuditVersion, dir: string, user: User | undefined): ChildProcess =>
  fork(childModule, [version, dir, String(process.pid)], {
    detached: true, // a group of its own, so that it dies whole
    serialization: 'advanced', // the report travels as bytes
    execArgv: [],
    cwd: dir,
    env: childEnv(dir),
    ...user,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });

/** Named one by one: nothing of ours, least of all credentials, reaches a process that runs hostile pages. */
const childEnv = (dir: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: dir,
  TMPDIR: dir,
  LANG: 'en_US.UTF-8',
});
