import type { AuditVersion } from '../../shared/audit-versions.ts';
import { log } from '../lib/log.ts';
import type { AuditorProcess } from './auditor-process.ts';

/** Keeps one auditor ready for the next audit, and tracks auditors that are stopping. */
export const auditorPool = (start: (version: AuditVersion) => AuditorProcess) => {
  const stopping = new Set<Promise<void>>();
  let preloaded: AuditorProcess | undefined;

  /** Ends an auditor in the background. */
  const stop = (auditor: AuditorProcess): void => {
    const stopped = auditor
      .end()
      .catch(
        (error: Error) =>
          void log.warn('Could not remove the work folder of an auditor. The next start retries.', { error }),
      )
      .finally(() => stopping.delete(stopped));
    stopping.add(stopped);
  };
  const stopPreloaded = (): void => {
    if (preloaded) stop(preloaded);
    preloaded = undefined;
  };

  return {
    take: (version: AuditVersion): AuditorProcess => {
      const ready = preloaded;
      if (ready?.version === version && ready.isAlive()) {
        preloaded = undefined;
        return ready;
      }
      stopPreloaded();
      return start(version);
    },
    preload: (version: AuditVersion): void => {
      if (preloaded?.isAlive()) return;
      stopPreloaded();
      preloaded = start(version);
    },
    stop,
    stopPreloaded,
    isStopping: (): boolean => stopping.size > 0,
    allStopped: (): Promise<unknown> => Promise.all(stopping),
  };
};
