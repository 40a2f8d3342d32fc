import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AuditOptions } from '../../shared/audit-options.ts';
import { type AuditVersion, auditVersions } from '../../shared/audit-versions.ts';
import { log } from '../lib/log.ts';
import type { TargetPolicy } from '../lib/public-addresses.ts';
import { slots } from '../lib/slots.ts';
import {
  type AuditHooks,
  type AuditorProcess,
  type CpuAccess,
  childModule,
  startAuditorProcess,
  WORK_DIR_PREFIX,
} from './auditor-process.ts';
import { blockedRequestsIn, exceededLimitsIn } from './egress/decisions.ts';
import { openEgressProxy } from './egress/proxy.ts';
import { type Chromium, prepareChromium } from './host/chromium.ts';
import { isFalsified, wasSlowed } from './host/cpu-meter.ts';
import { cpuShares } from './host/cpu-shares.ts';
import { MEMORY_BYTES, machine, TIMED_AT_ONCE } from './host/machine.ts';
import { auditorUsers, type Users } from './host/privileges.ts';
import { removeStale } from './host/processes.ts';
import { type AuditResult, judge } from './judge.ts';
import type { LaunchOrder } from './messages.ts';
import type { Observation } from './observation.ts';
import { limitsOn } from './stop-rules.ts';

export type Auditors = ReturnType<typeof auditors>;
export type AuditOrder = Pick<AuditOptions, 'device' | 'categories'> & {
  url: string;
  auditVersion: AuditVersion;
  /** Without the parts that an earlier attempt may have hung in, though its numbers were measured. */
  skipOptionalParts: boolean;
};

/** What a test may follow of one audit. */
export type AuditObserver = Pick<AuditHooks, 'onEvent'> & { onObservation?: (observation: Observation) => void };

type Options = {
  targets: TargetPolicy;
  chromiumDir?: string | undefined;
  /** Audits that may be in the part whose timing counts at once. */
  timedAtOnce?: number | undefined;
  /** Of an attempt, from its start; less the wait for its turn to be measured. */
  limitMs?: number;
};

/** Runs audits, each in a fresh process with a browser, a folder and an egress proxy of its own. */
export const auditors = ({ targets, chromiumDir, timedAtOnce = TIMED_AT_ONCE, limitMs }: Options) => {
  const cpuAccess: CpuAccess = { slot: slots(timedAtOnce), shares: cpuShares() };
  const limits = limitsOn(MEMORY_BYTES, limitMs);
  const closing = new AbortController();
  const stopping = new Set<Promise<void>>();
  let chromium: Promise<Chromium> | undefined;
  let newUser: Users | undefined;
  let sandbox: LaunchOrder['sandbox'] = 'optional';
  let preloaded: AuditorProcess | undefined;
  let running = 0;

  const prepare = (): Promise<Chromium> => {
    chromium ??= removeStale(tmpdir(), WORK_DIR_PREFIX).then(async () => {
      const ready = await prepareChromium(chromiumDir, closing.signal);
      newUser ??= await auditorUsers([tmpdir(), childModule, ...packages(), ready.executable]);
      return ready;
    });
    chromium.catch(() => {
      chromium = undefined; // tried again by the next audit
    });
    return chromium;
  };

  const takeAuditor = (version: AuditVersion): AuditorProcess => {
    const ready = preloaded;
    preloaded = undefined;
    if (ready?.version === version && ready.isAlive()) return ready;
    if (ready) stopAuditor(ready);
    return startAuditorProcess(version, { cpuAccess, limits, user: newUser?.() });
  };

  /** Ends an auditor while others go on; `close` waits for it. */
  const stopAuditor = (auditor: AuditorProcess) => {
    const stopped = auditor
      .end()
      .catch((error: Error) => void log.warn('an auditor left its folder', { error })) // the next start removes it
      .finally(() => stopping.delete(stopped));
    stopping.add(stopped);
  };

  /** Imports for the next audit; it gives way to the one that is measured. */
  const preloadAuditor = (version: AuditVersion) => {
    if (!newUser || preloaded?.isAlive() || closing.signal.aborted) return;
    if (preloaded) stopAuditor(preloaded);
    preloaded = startAuditorProcess(version, { cpuAccess, limits, user: newUser() });
  };

  return {
    /** Unpacks Chromium and starts the first auditor, so that the first audit need not wait for them. */
    prepare: async (): Promise<void> => {
      await prepare();
      preloadAuditor(auditVersions[0].version);
    },

    /** Audits one page. Rejects only where `signal` ended it or the machine could not start an audit. */
    audit: async (
      { url, auditVersion, ...options }: AuditOrder,
      signal: AbortSignal,
      observer: AuditObserver = {},
    ): Promise<AuditResult> => {
      signal.throwIfAborted();
      running++;
      try {
        const { executable, env } = await prepare();
        await using proxy = await disposable(openEgressProxy({ ...targets, url }));
        await Promise.all(stopping); // the last audit's browser is no company for this one
        const auditor = takeAuditor(auditVersion);
        try {
          const order = { url: new URL(url).href, version: auditVersion, ...options };
          const launch = { executable, proxyPort: proxy.port, env, sandbox };
          const hooks = {
            onBrowser: () => void (running > 1 && preloadAuditor(auditVersion)), // more are likely to wait
            onEvent: observer.onEvent,
          };
          const { measuredAt, cpu, ...seen } = await auditor.audit({ ...order, ...launch }, hooks, signal);
          if (seen.sandbox) sandbox = 'required';
          else if (seen.sandbox === false && sandbox === 'optional') sandbox = 'none';
          const observation = {
            auditVersion,
            ...options,
            ...seen,
            machine: machine(),
            cpu: cpu && { others: cpu.others, wasSlowed: wasSlowed(cpu), isFalsified: isFalsified(cpu) },
            blocked: blockedRequestsIn(proxy.decisions),
            overCap: exceededLimitsIn(proxy.decisions, measuredAt ?? undefined),
            decisionOn: (host: string, port: number) => proxy.lastDecision(host, port),
          };
          observer.onObservation?.(observation);
          return judge(observation);
        } finally {
          stopAuditor(auditor);
        }
      } finally {
        running--;
        preloadAuditor(auditVersion);
      }
    },

    /** Ends what waits for work, and waits until all has ended. Audits at work are ended by their own signals. */
    close: async (): Promise<void> => {
      closing.abort();
      await chromium?.catch(() => {});
      if (preloaded) stopAuditor(preloaded);
      preloaded = undefined;
      while (running > 0 || stopping.size > 0) await Promise.all([...stopping, sleep(10)]);
    },
  };
};

const packages = () => auditVersions.map((row) => fileURLToPath(import.meta.resolve(row.package)));

const disposable = async <T extends { close(): Promise<void> }>(opened: Promise<T>): Promise<T & AsyncDisposable> => {
  const it = await opened;
  return Object.assign(it, { [Symbol.asyncDispose]: () => it.close() });
};
