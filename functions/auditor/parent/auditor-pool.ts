import type { AuditVersion } from '../../../shared/audit-versions.ts';
import { log } from '../../lib/log.ts';
import type { AuditorProcess } from './auditor-process.ts';

export type AuditorPool = ReturnType<typeof auditorPool>;

/** Keeps one auditor ready for the next audit, and tracks auditors that an audit has to wait for. */
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
    preloaded: () => preloaded,
    /** Lets the preloaded auditor work while audits wait. Ends the auditor if this fails. */
    occupy: (auditor: AuditorProcess, work: Promise<void>): void => {
      const done = work
        .catch((error: Error) => {
          log.warn('Could not measure the benchmark of the host. The next audit measures it.', { error });
          if (auditor === preloaded) stopPreloaded();
        })
        .finally(() => stopping.delete(done));
      stopping.add(done);
    },
    stop,
    stopPreloaded,
    isStopping: (): boolean => stopping.size > 0,
    allStopped: (): Promise<unknown> => Promise.all(stopping),
  };
};
