import { setTimeout as pause } from 'node:timers/promises';

const RETRY_MS = 30_000;

/** Prepares the auditors. Retries while that fails, and prints each new reason once. Resolves when they are ready. */
export const keepPreparing = async (
  prepare: () => Promise<void>,
  print: (line: string) => void,
  { signal, retryMs = RETRY_MS }: { signal: AbortSignal; retryMs?: number },
): Promise<void> => {
  for (let printed = ''; !signal.aborted; ) {
    const failure = await prepare().then(
      () => '',
      (error: Error) => error.message,
    );
    if (signal.aborted) return;
    if (failure === '') {
      if (printed) print('✓ The service can audit pages again.');
      return;
    }
    if (failure !== printed) print(`✗ The service can't audit pages, and retries every 30 seconds. ${failure}`);
    printed = failure;
    await pause(retryMs, undefined, { signal }).catch(() => {});
  }
};
