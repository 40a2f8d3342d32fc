import { retryAfterOf, ServiceError } from './service-error.ts';

/** Pauses before each retry, in milliseconds. */
const PAUSES_MS = [250, 500, 1000, 2000, 4000, 8000];
/** Pause between later retries of a patient request. */
const LAST_PAUSE_MS = 8000;
/** Longest `Retry-After` that the client waits for without a message, in seconds. */
const MAX_RETRY_AFTER = 30;
/** A patient request reports an outage after this many failures, so that a lost connection makes no message. */
const REPORTED_FAILURES = 3;

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

/** Shortest time between two readings, in seconds, also if the service names a shorter one or none. */
export const MIN_SECONDS = 2;

/**
 * Returns the earliest time of the next reading, in milliseconds of `performance.now()`. `sentAt` is the time of the last
 * request. No client of ours reads faster than `Retry-After` says.
 */
export const nextReadingAt = (headers: Headers, sentAt: number, minSeconds = MIN_SECONDS): number => {
  const seconds = Math.max(MIN_SECONDS, minSeconds, retryAfterOf(headers) ?? 0);
  // A service that has waited itself named the time between two requests.
  const from = headers.has('preference-applied') ? sentAt : performance.now();
  return from + seconds * 1000;
};

/** Returns the seconds until a retry may follow. The throttle of a gateway names no time. */
const secondsAfter = ({ status, retryAfter = status === 429 ? MIN_SECONDS : 0 }: ServiceError): number => retryAfter;

/**
 * Retries a request while its error is retryable, up to six times. Honours `Retry-After`. No retry starts after `until`, in
 * milliseconds of `performance.now()`.
 */
export const withRetries = async <T>(
  send: () => Promise<T>,
  signal?: AbortSignal,
  until = Number.POSITIVE_INFINITY,
): Promise<T> => {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ServiceError && error.retryable)) throw error;
      const retryAfter = secondsAfter(error);
      const waitMs = Math.max(pauseMs, retryAfter * 1000);
      if (retryAfter > MAX_RETRY_AFTER || performance.now() + waitMs > until) throw error;
      await pause(waitMs, signal);
    }
  }
  return send();
};

/** Receives the error of an outage when it has begun, and undefined when it is over. */
export type OnOutage = (error: ServiceError | undefined) => void;

/** Retries a request during an outage of the service, until the signal aborts. Honours `Retry-After`. */
export const withPatience = async <T>(
  send: () => Promise<T>,
  signal: AbortSignal,
  onOutage: OnOutage = () => {},
): Promise<T> => {
  let isReported = false;
  for (let failures = 1; ; failures += 1) {
    try {
      const answer = await send();
      if (isReported) onOutage(undefined);
      return answer;
    } catch (error) {
      if (!(error instanceof ServiceError && isOutage(error))) throw error;
      const retryAfter = secondsAfter(error);
      if (!isReported && (failures >= REPORTED_FAILURES || retryAfter > MAX_RETRY_AFTER)) {
        isReported = true;
        onOutage(error);
      }
      await pause(Math.max(PAUSES_MS[failures - 1] ?? LAST_PAUSE_MS, retryAfter * 1000), signal);
    }
  }
};

/**
 * Returns true unless the service itself has refused the request. A gateway in front of it may answer with anything. A
 * problem that names inputs, such as a paused region, ends sooner with other inputs.
 */
export const isOutage = ({ kind, status = 0, errors }: ServiceError): boolean =>
  kind !== 'problem' || (status >= 500 && errors.length === 0) || status === 429;
