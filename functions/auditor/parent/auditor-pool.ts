import type { AuditVersion } from '../../../shared/audit-versions.ts';
import { log } from '../../lib/log.ts';
import { freeMemoryBytes, onLambda } from '../host/free-resources.ts';
import { FEWEST_BYTES } from '../host/machine.ts';
import type { HostSettings } from '../messages.ts';
import type { AuditorProcess, EndedAudit } from './auditor-process.ts';

export type AuditorPool = ReturnType<typeof auditorPool>;

/** Time after which the pool replaces an auditor that waits for an audit, and its browser, in milliseconds. */
const MAX_AGE_MS = 3_600_000;

type Options = { hasRoom?: () => boolean; maxAgeMs?: number | undefined };

/** Returns true if a browser may wait for its audit: the machine has memory for an audit beside it, and never freezes. */
const hasRoomAhead = (): boolean => !onLambda() && freeMemoryBytes() >= FEWEST_BYTES;

/** Keeps one auditor ready for the next audit, and tracks auditors that an audit has to wait for. */
export const auditorPool = (
  start: (version: AuditVersion) => AuditorProcess,
  { hasRoom = hasRoomAhead, maxAgeMs = MAX_AGE_MS }: Options = {},
) => {
  const stopping = pendingWork();
  let preloaded: AuditorProcess | undefined;
  let aging: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** Ends an auditor in the background. */
  const stop = (auditor: AuditorProcess): void =>
    stopping.add(auditor.end(), 'Could not remove the work folder of an auditor. The next start retries.');
  const removePreloaded = (): AuditorProcess | undefined => {
    const removed = preloaded;
    preloaded = undefined;
    clearTimeout(aging);
    return removed;
  };
  const stopPreloaded = (): void => {
    const removed = removePreloaded();
    if (removed) stop(removed);
  };
  const preload = (version: AuditVersion): void => {
    if (isClosed || preloaded?.isAlive()) return;
    stopPreloaded();
    preloaded = start(version);
  };
  const startAhead = async (version: AuditVersion, host: HostSettings): Promise<void> => {
    preload(version);
    if (!preloaded || preloaded.hasBrowser() || !hasRoom()) return;
    const auditor = preloaded;
    await auditor.startBrowser(host).catch((error: Error) => {
      log.warn('Could not start a browser ahead. The next audit starts one.', { error });
    });
    if (auditor !== preloaded) return;
    clearTimeout(aging);
    aging = setTimeout(replace, maxAgeMs, auditor.version, host).unref(); // the start may have taken long
  };
  const replace = (version: AuditVersion, host: HostSettings): void => {
    stopPreloaded();
    startAhead(version, host);
  };

  return {
    /** Returns an auditor for an audit with these settings. Its browser may run already. */
    take: (version: AuditVersion, host: HostSettings): AuditorProcess => {
      const ready = removePreloaded();
      if (ready?.version === version && ready.isAlive() && ready.isFor(host)) return ready;
      if (ready) stop(ready);
      return start(version);
    },
    /** Starts an auditor for an audit. */
    start,
    /** Starts the next auditor, which imports Lighthouse before its audit. */
    preload,
    /** Starts the next auditor and, if the machine has room for it, its browser. */
    startAhead,
    preloaded: () => preloaded,
    /** Lets the preloaded auditor work while audits wait. Ends the auditor if this fails. */
    occupy: (auditor: AuditorProcess, work: Promise<void>): void => {
      work.catch(() => auditor === preloaded && stopPreloaded());
      stopping.add(work, 'Could not measure the benchmark of the host. The next audit measures it.');
    },
    stop,
    /** Ends the preloaded auditor. No other one starts ahead afterwards. */
    close: (): void => {
      isClosed = true;
      stopPreloaded();
    },
    isStopping: stopping.isPending,
    allStopped: stopping.settled,
  };
};

/**
 * Audits in an auditor of the pool. If that auditor or its browser ends before it requests the page, another auditor repeats
 * the audit: an auditor that waits may end unnoticed.
 */
export const auditInPool = async (
  { take, start, stop }: AuditorPool,
  { version, host }: { version: AuditVersion; host: HostSettings },
  audit: (auditor: AuditorProcess) => Promise<EndedAudit>,
): Promise<EndedAudit> => {
  const auditIn = (auditor: AuditorProcess) => audit(auditor).finally(() => stop(auditor));
  const ended = await auditIn(take(version, host));
  if (!endedEarly(ended)) return ended;
  log.warn('An auditor ended before it requested the page. Another auditor repeats the audit.');
  return auditIn(start(version));
};

const endedEarly = ({ begun, end }: EndedAudit): boolean =>
  !begun && (end.how === 'exited' || (end.how === 'failed' && !end.browserAlive));

/** Tracks work in the background. Logs a warning for each work that fails. */
const pendingWork = () => {
  const pending = new Set<Promise<void>>();
  return {
    add: (work: Promise<void>, warning: string): void => {
      const done = work.catch((error: Error) => void log.warn(warning, { error })).finally(() => pending.delete(done));
      pending.add(done);
    },
    isPending: (): boolean => pending.size > 0,
    settled: (): Promise<unknown> => Promise.all(pending),
  };
};
