import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditVersion, auditVersion } from '../../../shared/audit-versions.ts';
import { pick } from '../../../shared/pick.ts';
import { log } from '../../lib/log.ts';
import { reservePort } from '../../lib/targets/audit-ports.ts';
import type { HostBenchmark } from '../host/benchmark.ts';
import type { CpuAccess } from '../host/cpu-shares.ts';
import { onLambda, userOfService, watchResources } from '../host/free-resources.ts';
import { waitForGroupExit } from '../host/orphans.ts';
import type { User } from '../host/privileges.ts';
import { killGroup, killStrays, watchProcesses } from '../host/processes.ts';
import { starvationOf } from '../host/starvation.ts';
import {
  type AuditEnd,
  type AuditOrder,
  type AuditorMessage,
  isTimed,
  type LaunchSettings,
  type MeasuredAnswer,
  type StartAudit,
  type StartSignal,
} from '../messages.ts';
import { scrubberOf } from '../scrub.ts';
import { type AuditEvent, type AuditState, decide, initialState, type Limits } from '../stop-rules.ts';
import { measureAhead } from './child-benchmark.ts';
import { childModule, forkChild, inFolder, onceEnded } from './fork-child.ts';
import { eventOf } from './received.ts';
import { timedPart } from './timed-part.ts';
import { namedTimers } from './timers.ts';

/** Time that a finished auditor has to close its browser, in milliseconds. */
const BROWSER_CLOSE_MS = 1000;
/** Time for the exit of a killed auditor, in milliseconds. */
const EXIT_MS = 30_000;

export const WORK_DIR_PREFIX = 'page-audit-'; // the pid of the parent follows

export type AuditorProcess = ReturnType<typeof startAuditorProcess>;
export type AuditHooks = {
  /** Called when the auditor has started its browser. */
  onBrowser?: (() => void) | undefined;
  /** Called with each event before the stop rules, and with the milliseconds since the start of the audit. */
  onEvent?: ((event: AuditEvent, atMs: number) => void) | undefined;
};
/** The end of an audit, and the observations until then. `measuredAt` is the end of the timed part (of `performance.now`). */
export type EndedAudit = Pick<AuditState, 'frozen' | 'mainFrame' | 'chromium' | 'sandbox' | 'cpu'> & {
  end: AuditEnd;
  measuredAt: number | null;
  starvedShare: number;
  /** Resource that the machine was short of. */
  shortage: string | undefined;
};

type Started = Omit<StartAudit, 'benchmark'>;
type ProcessOptions = {
  module?: string;
  cpuAccess: CpuAccess;
  benchmark: HostBenchmark;
  limits: Limits;
  starvedMs?: typeof starvationOf;
  user: User | undefined;
};

const newWorkDir = async (user: User | undefined): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), `${WORK_DIR_PREFIX}${process.pid}-`));
  if (user) await chown(dir, user.uid, user.gid);
  return dir;
};

/** Starts an auditor process, which imports Lighthouse and then waits for its only audit. */
export const startAuditorProcess = (
  version: AuditVersion,
  { module = childModule(), cpuAccess, benchmark, limits, starvedMs = starvationOf, user }: ProcessOptions,
) => {
  const workDir = newWorkDir(user);
  const child = workDir.then((dir) => forkChild(module, version, dir, user));
  child.then(
    (started) => {
      started.on('error', () => {}); // `audit` handles it
      const { pid } = started;
      if (pid) cpuAccess.shares.add(pid);
      started.once('exit', () => {
        exited = true;
        if (pid) cpuAccess.shares.remove(pid);
      });
      started.stderr?.on('error', () => {}); // only the log lacks the rest
      started.stderr?.setEncoding('utf8').on('data', (text: string) => {
        stderr = (stderr + text).slice(-10_000);
      });
    },
    () => {}, // `audit` rejects
  );
  const ready = child.then((started) => once(started, 'message'));
  ready.catch(() => {}); // `audit` rejects
  let debugging: Awaited<ReturnType<typeof reservePort>> | undefined;
  let completed = false;
  let stderr = '';
  let exited = false;
  let ended = false;

  /** Kills the process group, waits for its exit and removes the work folder. */
  const end = async (): Promise<void> => {
    ended = true;
    const started = await child.catch(() => undefined);
    if (started?.pid) {
      cpuAccess.shares.remove(started.pid); // while the CPU time of the group is readable
      const exit = exited ? undefined : once(started, 'exit');
      if (completed) await Promise.race([exit, sleep(BROWSER_CLOSE_MS)]); // a closed browser ends its processes by itself
      killGroup(started.pid);
      if (exit) await waitForExit(exit, started.pid);
      await waitForGroupExit(started.pid); // the browser may still write to its profile
    }
    debugging?.release();
    const dir = await workDir.catch(() => undefined);
    if (dir) killStrays(dir);
    if (dir) await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };

  const audit = async ({ order, launch }: Started, hooks: AuditHooks, signal: AbortSignal): Promise<EndedAudit> => {
    const [dir, auditor] = await Promise.all([workDir, child]);
    if (!auditVersion(version).acceptsPage) debugging = await reservePort();
    signal.throwIfAborted();
    const outcome = await runAudit(auditor, order, {
      ...{ cpuAccess, benchmark, limits, starvedMs, hooks, signal },
      ...{ stderr: () => stderr, user: user?.uid ?? userOfService() },
      launch: inFolder(dir, { ...launch, debuggingPort: debugging?.port }),
    });
    completed = outcome.end.how === 'audited';
    return outcome;
  };

  return {
    version,
    audit,
    end,
    isAlive: () => !ended && !exited,
    /** Resolves when the auditor has imported Lighthouse. */
    ready,
    /** Measures the host's benchmark before the audit. */
    measureBenchmark: async (launch: LaunchSettings) =>
      measureAhead(await child, inFolder(await workDir, launch), { cpuAccess, benchmark }),
  };
};

/** Waits for the exit of a killed auditor, but not forever, because other audits wait too. */
const waitForExit = async (exit: Promise<unknown>, pid: number): Promise<void> => {
  const hasExited = await Promise.race([exit.then(() => true), sleep(EXIT_MS, false, { ref: false })]);
  if (!hasExited) log.error('A killed auditor has not exited. It may still use memory and CPU.', { pid });
};

type AuditContext = Required<Omit<ProcessOptions, 'module' | 'user'>> & {
  hooks: AuditHooks;
  signal: AbortSignal;
  stderr: () => string;
  launch: LaunchSettings;
  user: number;
};

/** Sends the order to the auditor. Passes each event to the stop rules and follows their decision until the audit ends. */
const runAudit = (auditor: ChildProcess, order: AuditOrder, context: AuditContext): Promise<EndedAudit> => {
  const { cpuAccess, benchmark, limits, starvedMs, hooks, signal, stderr, launch, user } = context;
  const { promise, resolve, reject } = Promise.withResolvers<EndedAudit>();
  const group = auditor.pid as number;
  const over = new AbortController();
  const timed = timedPart(group, cpuAccess, isTimed(order));
  const lostMs = starvedMs(group);
  const timers = namedTimers((timer) => handle({ type: 'elapsed', timer }), {
    lostMs,
    maxAttemptMs: onLambda() ? 0 : limits.attemptMs, // an invocation has no more time
  });
  const startedAt = performance.now();
  const shortage = watchResources(user, over.signal);
  let state = initialState;
  let measuredAt: number | null = null;

  const finish = (end: AuditEnd): void => {
    const { cpu, ...observed } = pick(state, ['frozen', 'mainFrame', 'chromium', 'sandbox', 'cpu']);
    const starvedShare = lostMs() / (performance.now() - startedAt);
    resolve({ end, ...observed, cpu: cpu ?? timed.readCpu(), measuredAt, starvedShare, shortage: shortage() });
    over.abort();
  };
  const fail = (error: unknown): void => {
    reject(error);
    over.abort();
  };
  const handle = guardedBy(fail)((event: AuditEvent): void => {
    if (over.signal.aborted) return;
    observe(hooks, event, performance.now() - startedAt);
    const [next, decision] = decide(state, event, limits);
    state = next;
    if ('end' in decision) finish(decision.end);
    else for (const { timer, ms } of decision.start) timers.start(timer, ms);
  });
  const waitForCpu = async (): Promise<void> => {
    const remainingMs = limits.attemptMs - (performance.now() - startedAt); // the limit pauses during the wait
    await timed.start();
    handle({ type: 'cpu-acquired', remainingMs });
    auditor.send({ benchmark: benchmark.current() } satisfies StartSignal);
  };
  const receive = guardedBy(fail)((message: AuditorMessage): void => {
    if (over.signal.aborted) return;
    if (message.type === 'measured') measuredAt = performance.now();
    handle(eventOf(message, timed.readCpu));
    if (message.type === 'measured' && isTimed(order)) benchmark.record(state.cpu, message.benchmark);
    if (message.type === 'browser') hooks.onBrowser?.();
    if (message.type === 'browser') timed.onBrowser();
    if (message.type === 'waiting') waitForCpu().catch(fail);
    if (message.type !== 'measured') return;
    const waits = timed.end();
    if (waits) auditor.send({ waits } satisfies MeasuredAnswer);
  });

  over.signal.addEventListener('abort', timers.clear);
  over.signal.addEventListener('abort', timed.end);
  signal.addEventListener('abort', () => fail(signal.reason), { signal: over.signal });
  watchProcesses(group, over.signal, handle);
  auditor.once('error', fail).on('message', receive);
  onceEnded(auditor, (code, killedBy) => {
    if (over.signal.aborted) return;
    const scrub = scrubberOf(order.secrets, order.url);
    log.error('The auditor exited without a result.', { code, killedBy, stderr: scrub(stderr()).slice(-2000) });
    handle({ type: 'exited' });
  });
  handle({ type: 'started', timed: isTimed(order) });
  auditor.send({ order, launch, benchmark: benchmark.current() } satisfies StartAudit);
  return promise;
};

/** Returns a function that lets the errors of a callback fail the audit. They would otherwise end the service. */
const guardedBy =
  (fail: (error: unknown) => void) =>
  <Args extends unknown[]>(callback: (...args: Args) => void) =>
  (...args: Args): void => {
    try {
      callback(...args);
    } catch (error) {
      fail(error);
    }
  };

const observe = ({ onEvent }: AuditHooks, event: AuditEvent, atMs: number): void => {
  onEvent?.(event, atMs);
  if (event.type !== 'memory') log.debug('The auditor sent an event.', { type: event.type, atMs: Math.round(atMs) });
};
