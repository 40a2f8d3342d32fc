import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditVersion, auditVersions } from '../../../shared/audit-versions.ts';
import type { TargetPolicy } from '../../lib/targets/public-addresses.ts';
import { blockedRequestsIn, exceededLimitsIn } from '../egress/decisions.ts';
import { type EgressProxy, openEgressProxy } from '../egress/proxy.ts';
import { type HostBenchmark, hostBenchmark } from '../host/benchmark.ts';
import { cpuAccess } from '../host/cpu-shares.ts';
import { ShortageError } from '../host/free-resources.ts';
import { MEMORY_BYTES, machine, TIMED_AT_ONCE } from '../host/machine.ts';
import type { AuditOrder } from '../messages.ts';
import { type Scrub, scrubberOf, scrubData } from '../scrub.ts';
import { limitsOn } from '../stop-rules.ts';
import { type AuditResult, judge } from '../verdict/judge.ts';
import type { Observation } from '../verdict/observation.ts';
import { auditorPool } from './auditor-pool.ts';
import { type AuditHooks, type EndedAudit, startAuditorProcess } from './auditor-process.ts';
import { measureWhileIdle } from './benchmark-ahead.ts';
import { childModule } from './fork-child.ts';
import { preparedHost } from './prepared-host.ts';
import { type SandboxSetting, sandboxUse } from './sandbox-use.ts';

export type Auditors = ReturnType<typeof auditors>;
type AuditSettings = {
  /** Hooks with which a test records an audit. */
  onEvent?: AuditHooks['onEvent'];
  onObservation?: (observation: Observation) => void;
};

type Options = {
  targets: TargetPolicy;
  chromiumDir?: string | undefined;
  /** Path of an installed browser, in place of the packaged Chromium. */
  chromium?: string | undefined;
  /** PEM file of authorities that audits trust in addition to the public ones. */
  extraCaFile?: string | undefined;
  /** Folder of the auditor's bundle. The folder may appear later, or never. */
  auditorDir?: string | undefined;
  /** Maximum number of concurrent timed parts. */
  timedAtOnce?: number | undefined;
  /** `required` refuses to audit without Chromium's sandbox, and `tested` does so if it works on this machine. */
  sandbox?: SandboxSetting;
  /** Keeps the benchmark of the host. A test may keep one that was measured on a busy host. */
  benchmark?: HostBenchmark;
  /** Time limit of an attempt. It pauses while the attempt waits for the CPU. */
  limitMs?: number;
};

/** Creates a pool of auditors. Each audit has its own process, browser, work folder and egress proxy. */
export const auditors = ({
  targets,
  chromiumDir,
  chromium,
  extraCaFile,
  auditorDir,
  limitMs,
  sandbox: setting = 'optional',
  ...options
}: Options) => {
  const { timedAtOnce = TIMED_AT_ONCE, benchmark = hostBenchmark() } = options;
  const common = { cpuAccess: cpuAccess(timedAtOnce), benchmark, limits: limitsOn(MEMORY_BYTES, limitMs) };
  const closing = new AbortController();
  const sandbox = sandboxUse(setting);
  const host = preparedHost({ chromiumDir, chromium, extraCaFile, sandbox }, closing.signal);
  const pool = auditorPool((version) =>
    startAuditorProcess(version, { ...common, module: childModule(auditorDir), user: host.newUser() }),
  );
  let running = 0;
  const launch = async () => ({ ...(await host.prepare()), sandbox: sandbox.now() });
  let benchmarkAhead: Promise<void> | undefined;

  /** Starts the next auditor ahead, so that it imports Lighthouse before its audit. */
  const preloadAuditor = (version: AuditVersion) => {
    if (host.isPrepared() && !closing.signal.aborted) pool.preload(version);
  };

  const auditPage = async (order: AuditOrder, signal: AbortSignal, settings: AuditSettings): Promise<AuditResult> => {
    const { auditVersion } = order;
    const { executable, env, fonts, trustStore } = await host.prepare();
    await using proxy = await disposable(openEgressProxy({ ...targets, url: order.url }));
    await pool.allStopped(); // a browser that is still exiting would slow this audit
    const auditor = pool.take(auditVersion);
    try {
      const onBrowser = () => void (running > 1 && preloadAuditor(auditVersion)); // another audit probably waits
      const launch = { executable, proxyPort: proxy.port, env, trustStore, sandbox: sandbox.now() };
      const ended = await auditor.audit({ order, launch }, { onBrowser, onEvent: settings.onEvent }, signal);
      sandbox.record(ended.sandbox);
      const observation = observationOf(order, ended, proxy, fonts);
      settings.onObservation?.(observation);
      return scrubResult(judge(observation), scrubberOf(order.secrets, order.url));
    } finally {
      pool.stop(auditor);
    }
  };

  return {
    /** Unpacks Chromium and starts the first auditor, so that the first audit does not wait for them. */
    prepare: async (): Promise<void> => {
      await host.prepare();
      preloadAuditor(auditVersions[0].version);
      benchmarkAhead ??= measureWhileIdle({ ...common, pool, launch, isIdle: () => running === 0 }, closing.signal);
      benchmarkAhead.catch(() => {}); // the next audit meets the cause
    },

    /** Audits one page. Rejects only if `signal` aborts, or the machine cannot start an audit. */
    audit: async (given: AuditOrder, signal: AbortSignal, settings: AuditSettings = {}): Promise<AuditResult> => {
      signal.throwIfAborted();
      const order = { ...given, url: new URL(given.url).href };
      running++;
      try {
        return await auditPage(order, signal, settings);
      } catch (error) {
        if (!signal.aborted && !(error instanceof ShortageError)) host.fail(error as Error);
        throw error;
      } finally {
        running--;
        preloadAuditor(order.auditVersion);
      }
    },

    /** Ends the preloaded auditor and waits until all audits have ended. Only their signals abort running audits. */
    close: async (): Promise<void> => {
      closing.abort();
      await host.settled();
      pool.stopPreloaded();
      while (running > 0 || pool.isStopping()) await Promise.all([pool.allStopped(), sleep(10)]);
    },
  };
};

const observationOf = (
  { secrets, ...order }: AuditOrder,
  { measuredAt, ...ended }: EndedAudit,
  proxy: EgressProxy,
  fonts: string,
): Observation => ({
  order,
  ...(secrets && { sentSecretsTo: order.url }),
  ...ended,
  fonts,
  machine: machine(),
  blocked: blockedRequestsIn(proxy.decisions),
  overCap: exceededLimitsIn(proxy.decisions, measuredAt ?? undefined),
  decisionOn: (host, port) => proxy.lastDecision(host, port),
});

/** Replaces the secrets in the texts of a result. The child has replaced those of the report. */
const scrubResult = ({ report, environment, also, ...result }: AuditResult, scrub: Scrub): AuditResult =>
  ({
    ...scrubData(result, scrub, WORDS),
    environment,
    ...(report && { report }),
    ...(also && { also: scrubResult(also, scrub) }),
  }) as AuditResult;
const WORDS: ReadonlySet<string> = new Set(['state', 'code', 'auditCode', 'blame', 'metrics']);

const disposable = async <T extends { close(): Promise<void> }>(opened: Promise<T>): Promise<T & AsyncDisposable> => {
  const it = await opened;
  return Object.assign(it, { [Symbol.asyncDispose]: () => it.close() });
};
