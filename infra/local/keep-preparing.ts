import { setTimeout as pause } from 'node:timers/promises';

const RETRY_MS = 30_000;

type Deps = {
  prepare: () => Promise<void>;
  /** Returns why no audit can start, or undefined. */
  obstacle: () => string | undefined;
  print: (line: string) => void;
  signal: AbortSignal;
  retryMs?: number;
};

/**
 * Prepares the auditors, and again every 30 seconds while no audit can start. Prints each new reason once. Returns a
 * promise that resolves when the auditors are ready for the first time.
 */
export const keepPreparing = ({ prepare, obstacle, print, signal, retryMs = RETRY_MS }: Deps): Promise<void> => {
  const { promise: prepared, resolve } = Promise.withResolvers<void>();
  let printed = '';
  const show = (reason: string) => {
    if (reason === printed) return;
    print(
      reason
        ? `✗ The service can't audit pages, and retries every 30 seconds. ${reason}`
        : '✓ The service can audit pages again.',
    );
    printed = reason;
  };
  const next = async () => {
    const failure = await prepare().then(
      () => '',
      (error: Error) => error.message,
    );
    if (signal.aborted) return;
    show(failure);
    if (!failure) resolve();
  };
  const keep = async () => {
    for (await next(); !signal.aborted; ) {
      await pause(retryMs, undefined, { signal, ref: false }).catch(() => {});
      const reason = signal.aborted ? undefined : obstacle();
      show(reason ?? '');
      if (reason !== undefined) await next();
    }
    resolve();
  };
  void keep();
  return prepared;
};
