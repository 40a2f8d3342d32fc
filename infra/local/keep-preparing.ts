import { setTimeout as pause } from 'node:timers/promises';

const RETRY_MS = 30_000;
/** Time after which a start that unpacks Chromium says so. */
const SLOW_MS = 2000;

type Deps = {
  prepare: () => Promise<void>;
  /** Returns why no audit can start, or undefined. */
  obstacle: () => string | undefined;
  print: (line: string) => void;
  signal: AbortSignal;
  retryMs?: number;
  slowMs?: number;
};

/**
 * Prepares the auditors, and again every 30 seconds while no audit can start. Prints each new reason once. Returns a
 * promise that resolves when the auditors are ready for the first time. If that takes long, it prints both.
 */
export const keepPreparing = ({ slowMs = SLOW_MS, ...deps }: Deps): Promise<void> => {
  const { print, signal } = deps;
  const { promise: prepared, resolve } = Promise.withResolvers<void>();
  let isSlow = false;
  const slow = setTimeout(() => {
    isSlow = true;
    print('◌ Preparing Chromium (first start). Checks wait until it is ready.');
  }, slowMs).unref();
  signal.addEventListener('abort', () => clearTimeout(slow));
  void prepared.then(() => {
    clearTimeout(slow);
    if (isSlow && !signal.aborted) print('✓ Ready to audit pages.');
  });
  const printReason = (line: string) => {
    clearTimeout(slow); // a reason says more
    print(line);
  };
  keep({ ...deps, print: printReason }, resolve);
  return prepared;
};

const keep = ({ prepare, obstacle, print, signal, retryMs = RETRY_MS }: Deps, resolve: () => void): void => {
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
  const repeat = async () => {
    for (await next(); !signal.aborted; ) {
      await pause(retryMs, undefined, { signal, ref: false }).catch(() => {});
      const reason = signal.aborted ? undefined : obstacle();
      show(reason ?? '');
      if (reason !== undefined) await next();
    }
    resolve();
  };
  void repeat();
};
