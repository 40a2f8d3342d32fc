import { setTimeout as sleep } from 'node:timers/promises';
import { auditVersions } from '../../../shared/audit-versions.ts';
import { loginNames } from '../../../shared/options/secrets.ts';
import { once } from '../../lib/once.ts';
import type { TargetPolicy } from '../../lib/targets/public-addresses.ts';
import { blockedRequestsIn, exceededLimitsIn } from '../egress/decisions.ts';
import { type HostBenchmark, hostBenchmark } from '../host/benchmark.ts';
import { cpuAccess } from '../host/cpu-shares.ts';
import { ShortageError } from '../host/free-resources.ts';
import { MEMORY_BYTES, machine, TIMED_AT_ONCE } from '../host/machine.ts';
import type { AuditOrder, HostSettings } from '../messages.ts';
import { scrubbedParts } from '../parts.ts';
import { type Scrub, scrubberOf, scrubData } from '../scrub.ts';
import { limitsOn } from '../stop-rules.ts';
import { type AuditResult, judge } from '../verdict/judge.ts';
import type { Observation } from '../verdict/observation.ts';
import { auditInPool, auditorPool } from './auditor-pool.ts';
import { type AuditHooks, type EndedAudit, startAuditorProcess } from './auditor-process.ts';
import { measureWhileIdle } from './benchmark-ahead.ts';
import { childModule } from './fork-child.ts';
import { preparedHost } from './prepared-host.ts';
import { type SandboxSetting, sandboxUse } from './sandbox-use.ts';

export type Auditors = ReturnType<typeof auditors>;
type AuditSettings = {
  /** Returns true if another audit follows as soon as this one has been measured. */
  isFollowed?: () => boolean;
  onEvent?: AuditHooks['onEvent'];
  /** Hook with which a test records an audit. */
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
  /** Time after which an auditor and a browser that wait for an audit are replaced. */
  maxAgeMs?: number;
};

/** Creates a pool of auditors. Each audit has its own process, browser, work folder and egress proxy. */
export const auditors = ({
  targets,
  chromiumDir,
  chromium,
  extraCaFile,
  auditorDir,
  limitMs,
  maxAgeMs,
  sandbox: setting = 'optional',
  ...options
}: Options) => {
  const { timedAtOnce = TIMED_AT_ONCE, benchmark = hostBenchmark() } = options;
  const common = { cpuAccess: cpuAccess(timedAtOnce), benchmark, limits: limitsOn(MEMORY_BYTES, limitMs) };
  const closing = new AbortController();
  const sandbox = sandboxUse(setting);
  const onOwnUser = () => pool.preload(auditVersions[0].version); // it imports Lighthouse meanwhile
  const host = preparedHost({ chromiumDir, chromium, extraCaFile, sandbox, onOwnUser }, closing.signal);
  const pool = auditorPool(
    (version) => startAuditorProcess(version, { ...common, module: childModule(auditorDir), user: host.newUser() }),
    { maxAgeMs },
  );
  let running = 0;
  const prepare = async (): Promise<{ settings: HostSettings; fonts: string }> => {
    const { executable, env, trustStore, fonts } = await host.prepare();
    return { settings: { executable, env, trustStore, sandbox: sandbox.now() }, fonts };
  };
  const measureOnce = once(() => measureWhileIdle({ ...common, pool, isIdle: () => running === 0 }));

  const auditPage = async (order: AuditOrder, signal: AbortSignal, { isFollowed, ...given }: AuditSettings) => {
    const { auditVersion, url } = order;
    const { settings, fonts } = await prepare();
    await pool.allStopped(); // a browser that is still exiting would slow this audit
    const startNext = () => void pool.startAhead(auditVersion, { ...settings, sandbox: sandbox.now() });
    const unlessLast = (start: () => void) => () => void ((running > 1 || isFollowed?.()) && start()); // another audit probably waits
    const hooks: AuditHooks = {
      onBrowser: unlessLast(() => pool.preload(auditVersion)),
      onMeasured: unlessLast(startNext),
      onEvent: given.onEvent,
    };
    try {
      const ended = await auditInPool(pool, { version: auditVersion, host: settings }, (auditor) =>
        auditor.audit({ order, host: settings, policy: { ...targets, url } }, hooks, signal),
      );
      host.record(ended);
      const observation = observationOf(order, ended, fonts);
      given.onObservation?.(observation);
      return scrubResult(judge(observation), scrubberOf(order.secrets, url));
    } finally {
      startNext();
    }
  };

  return {
    /** Unpacks Chromium and starts the first auditor, so that the first audit does not wait for them. */
    prepare: async (): Promise<void> => {
      const { settings } = await prepare();
      pool.startAhead(auditVersions[0].version, settings).then(measureOnce);
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
      }
    },

    running: (): number => running,

    /** Ends the preloaded auditor and waits until all audits have ended. Only their signals abort running audits. */
    close: async (): Promise<void> => {
      closing.abort();
      pool.close();
      await host.settled();
      while (running > 0 || pool.isStopping()) await Promise.all([pool.allStopped(), sleep(10)]);
    },
  };
};

const observationOf = (
  { secrets, ...order }: AuditOrder,
  { measuredAt, begun: _, proxy, ...ended }: EndedAudit,
  fonts: string,
): Observation => ({
  order,
  ...(secrets && loginNames.some((name) => secrets[name]) && { sentSecretsTo: order.url }),
  ...ended,
  fonts,
  machine: machine(),
  blocked: blockedRequestsIn(proxy.decisions),
  overCap: exceededLimitsIn(proxy.decisions, measuredAt ?? undefined),
  decisionOn: (host, port) => proxy.lastDecision(host, port),
});

/** Replaces the secrets in the texts of a result. The child has replaced those of the report. */
const scrubResult = ({ environment, also, ...given }: AuditResult, scrub: Scrub): AuditResult => ({
  ...scrubData(given, scrub, WORDS),
  ...(given.state === 'succeeded' && scrubbedParts(given, scrub)),
  environment,
  ...(also && { also: scrubResult(also, scrub) }),
});

const WORDS: ReadonlySet<string> = new Set(['state', 'code', 'auditCode', 'blame', 'metrics']);
