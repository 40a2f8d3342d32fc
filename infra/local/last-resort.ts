import { inspect } from 'node:util';
import { redactForLog } from '../../functions/lib/redact.ts';
import { UnusableError } from './unusable.ts';

/** Time that the service has to release its runs, in milliseconds. */
export const STOP_MS = 10_000;

/**
 * Ends this process after an error that nothing handled, because its state is unknown. Logs the error, lets `stop` release
 * the unfinished runs, and exits with 1. A further error, or a slow `stop`, ends the process at once.
 */
export const endOnFault = (stop: () => Promise<unknown>): void => {
  let isEnding = false;
  process.on('uncaughtException', (error) => {
    const text = error instanceof UnusableError ? error.message : redactForLog(inspect(error));
    console.error(`A fault ends the service. Unfinished runs resume after the next start. ${text}`);
    if (isEnding) process.exit(1);
    isEnding = true;
    setTimeout(() => process.exit(1), STOP_MS).unref();
    stop().then(
      () => process.exit(1),
      () => process.exit(1),
    );
  });
};
