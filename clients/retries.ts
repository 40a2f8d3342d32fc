import { ServiceError } from './service-error.ts';

/** Pauses before each retry, in milliseconds. */
const PAUSES_MS = [250, 500, 1000, 2000, 4000, 8000];
/** Longest `Retry-After` that the client waits for, in seconds. */
const MAX_RETRY_AFTER = 30;

/** Resolves after some milliseconds. Rejects with the signal's reason if the signal aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });

/** Sends a request again while its error is retryable, up to six times. Honours `Retry-After`. */
export const withRetries = async <T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ServiceError && error.retryable)) throw error;
      const { retryAfter = 0 } = error;
      if (retryAfter > MAX_RETRY_AFTER) throw error;
      await pause(Math.max(pauseMs, retryAfter * 1000), signal);
    }
  }
  return send();
};
