import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { AuditVersion } from '../../../shared/audit-versions.ts';
import { pick } from '../../../shared/pick.ts';
import { log } from '../../lib/log.ts';
import type { EgressPolicy } from '../../lib/targets/target-rules.ts';
import { failuresIn } from '../egress/decisions.ts';
import type { EgressProxy } from '../egress/proxy.ts';
import type { AskForFailed, FailedTarget } from '../failed-targets.ts';
import type { HostBenchmark } from '../host/benchmark.ts';
import type { CpuAccess } from '../host/cpu-shares.ts';
import { onLambda, userOfService, watchResources } from '../host/free-resources.ts';
import type { User } from '../host/privileges.ts';
import { killStrays, watchProcesses } from '../host/processes.ts';
import { starvationOf } from '../host/starvation.ts';
import {
  type AuditEnd,
  type AuditOrder,
  type AuditorMessage,
  type HostSettings,
  isTimed,
  type LaunchSettings,
} from '../messages.ts';
import { scrubberOf } from '../scrub.ts';
import { type AuditEvent, type AuditState, decide, initialState, type Limits } from '../stop-rules.ts';
import { auditorBrowser } from './auditor-browser.ts';
import { measureAhead } from './child-benchmark.ts';
import { childModule, type Exit, endGroup, exitOf, forkChild, lastTextOf, newWorkDir, sendTo } from './fork-child.ts';
import { watchLoop } from './loop-delay.ts';
import { eventOf } from './received.ts';
import { timedPart } from './timed-part.ts';
import { namedTimers } from './timers.ts';

export type AuditorProcess = ReturnType<typeof startAuditorProcess>;
export type AuditHooks = {
  /** Called when the auditor has started its browser. */
  onBrowser?: (() => void) | undefined;
  /** Called when the timed part has ended. */
  onMeasured?: (() => void) | undefined;
  /** Called with each event before the stop rules, and with the milliseconds since the start of the audit. */
  onEvent?: ((event: AuditEvent, atMs: number) => void) | undefined;
};
/** The end of an audit, and the observations until then. `measuredAt` is the end of the timed part (of `performance.now`). */
type Ended = Pick<AuditState, 'begun' | 'frozen' | 'mainFrame' | 'chromium' | 'sandbox' | 'cpu'> & {
  end: AuditEnd;
  measuredAt: number | null;
  starvedShare: number;
  /** Resource that the machine was short of. */
  shortage: string | undefined;
  /** Longest time in which this process stood still, in milliseconds. */
  stoodStillMs: number;
  /** Longest time in which this process held the page's proxy in a timed part by other work, in milliseconds. */
  proxyHeldMs: number;
};
export type EndedAudit = Ended & { proxy: EgressProxy };

/** Interval of the looks for a standstill, in milliseconds. */
const STANDSTILL_LOOK_MS = 250;

type Started = { order: AuditOrder; host: HostSettings; policy: EgressPolicy };
type ProcessOptions = {
  module?: string;
  cpuAccess: CpuAccess;
  benchmark: HostBenchmark;
  limits: Limits;
  starvedMs?: typeof starvationOf;
  user: User | undefined;
};

/** Starts an auditor process, which imports Lighthouse and then waits for its only audit. Its browser may start before. */
export const startAuditorProcess = (
  version: AuditVersion,
  { module = childModule(), cpuAccess, benchmark, limits, starvedMs = starvationOf, user }: ProcessOptions,
) => {
  const workDir = newWorkDir(user);
  const child = workDir.then((dir) => forkChild(module, version, dir, user));
  const exit = child.then((started) => {
    const { pid } = started;
    if (pid) cpuAccess.shares.add(pid);
    started.once('exit', () => {
      exited = true;
      if (pid) cpuAccess.shares.remove(pid);
    });
    stderr = lastTextOf(started.stderr);
    return exitOf(started);
  });
  exit.catch(() => {
    exited = true; // `audit` rejects
  });
  const ready = child.then((started) => once(started, 'message').then(() => started));
  ready.catch(() => {}); // `audit` rejects
  const browser = auditorBrowser(version, workDir);
  let completed = false;
  let stderr = () => '';
  let exited = false;
  let ended = false;

  /** Kills the process group, waits for its exit and removes the work folder. */
  const end = async (): Promise<void> => {
    ended = true;
    const started = await child.catch(() => undefined);
    if (started?.pid) {
      cpuAccess.shares.remove(started.pid); // while the CPU time of the group is readable
      await endGroup(started, { exited, completed });
    }
    await browser.close();
    const dir = await workDir.catch(() => undefined);
    if (dir) killStrays(dir);
    if (dir) await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };

  const audit = async (
    { order, host, policy }: Started,
    hooks: AuditHooks,
    signal: AbortSignal,
  ): Promise<EndedAudit> => {
    const [auditor, { settings, proxy }] = await Promise.all([child, browser.forOrder(host)]);
    signal.throwIfAborted();
    proxy.allow(policy);
    const outcome = await runAudit(auditor, order, {
      ...{ cpuAccess, benchmark, limits, starvedMs, hooks, signal },
      ...{ exit, stderr: () => stderr(), user: user?.uid ?? userOfService() },
      launch: settings,
      failures: () => failuresIn(proxy.decisions),
    });
    completed = outcome.end.how === 'audited';
    return { ...outcome, proxy };
  };

  return {
    version,
    audit,
    end,
    isAlive: () => !ended && !exited,
    /** Starts the browser before the audit, when the auditor has imported Lighthouse. */
    startBrowser: (host: HostSettings) => browser.startAhead(host, ready),
    hasBrowser: browser.isAhead,
    isFor: browser.isFor,
    /** Measures the host's benchmark in the browser that was started before the audit. */
    measureBenchmark: async () => measureAhead(await child, { cpuAccess, benchmark, starvedMs }),
  };
};

type AuditContext = Required<Omit<ProcessOptions, 'module' | 'user'>> & {
  hooks: AuditHooks;
  signal: AbortSignal;
  exit: Promise<Exit>;
  stderr: () => string;
  launch: LaunchSettings;
  failures: () => FailedTarget[];
  user: number;
};

/** Sends the order to the auditor. Passes each event to the stop rules and follows their decision until the audit ends. */
const runAudit = (auditor: ChildProcess, order: AuditOrder, context: AuditContext): Promise<Ended> => {
  const { cpuAccess, benchmark, limits, starvedMs, hooks, signal, exit, stderr, launch, failures, user } = context;
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  const group = auditor.pid as number;
  const over = new AbortController();
  const timed = timedPart(group, cpuAccess, isTimed(order));
  const lostMs = starvedMs(group);
  const timers = namedTimers((timer) => handle({ type: 'elapsed', timer }), {
    lostMs,
    maxAttemptMs: onLambda() ? 0 : limits.attemptMs, // an invocation has no more time
  });
  const startedAt = performance.now();
  const [shortage, stoodStill] = [watchResources(user, over.signal), watchLoop(STANDSTILL_LOOK_MS, over.signal)];
  let state = initialState;
  let measuredAt: number | null = null;

  const finish = (end: AuditEnd): void => {
    const { cpu, ...observed } = pick(state, ['begun', 'frozen', 'mainFrame', 'chromium', 'sandbox', 'cpu']);
    const starvedShare = lostMs() / (performance.now() - startedAt);
    const known = { end, ...observed, cpu: cpu ?? timed.readCpu(), measuredAt, starvedShare };
    resolve({ ...known, shortage: shortage(), stoodStillMs: stoodStill().lateMs, proxyHeldMs: timed.proxyHeldMs() });
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
    sendTo(auditor, { benchmark: benchmark.current() });
  };
  const receive = guardedBy(fail)((message: AuditorMessage): void => {
    if (over.signal.aborted) return;
    if (message.type === 'measured') measuredAt = performance.now();
    handle(eventOf(message, timed.readCpu));
    if (message.type === 'measured' && isTimed(order)) benchmark.record(state.cpu, message.benchmark);
    if (message.type === 'browser') hooks.onBrowser?.();
    if (message.type === 'browser') timed.onBrowser();
    if (message.type === 'waiting') waitForCpu().catch(fail);
    if (message.type !== 'measured' && message.type !== 'interacted') return;
    const waits = timed.end();
    if (message.type === 'measured') hooks.onMeasured?.();
    if (waits) sendTo(auditor, { waits });
  });

  for (const stop of [timers.clear, timed.end]) over.signal.addEventListener('abort', stop);
  signal.addEventListener('abort', () => fail(signal.reason), { signal: over.signal });
  watchProcesses(group, over.signal, handle);
  auditor.on('message', guardedBy(fail)(answering(auditor, failures, receive)));
  exit.then(({ code, killedBy }) => {
    if (over.signal.aborted) return;
    const scrub = scrubberOf(order.secrets, order.url);
    log.error('The auditor exited without a result.', { code, killedBy, stderr: scrub(stderr()).slice(-2000) });
    handle({ type: 'exited' });
  }, fail);
  handle({ type: 'started', timed: isTimed(order) });
  sendTo(auditor, { order, launch, benchmark: benchmark.current() });
  return promise;
};

/** Returns a function that passes on the messages of an auditor, and answers which targets failed. */
const answering =
  (auditor: ChildProcess, failures: () => FailedTarget[], receive: (message: AuditorMessage) => void) =>
  (message: AuditorMessage | AskForFailed): void =>
    message.type === 'connections' ? sendTo(auditor, { failed: failures() }) : receive(message);

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
