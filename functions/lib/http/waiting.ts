import { ApiProblemError } from '../../../shared/problems.ts';
import type { Caller } from '../../../shared/service/keys.ts';
import { callsEndIn, withDeadline } from '../aws-client.ts';
import type { WatchCheck } from '../store/changes.ts';
import type { Request } from './endpoint.ts';

export const MAX_WAIT_SECONDS = 25;
const MAX_WAITS = 10; // of one owner, in this process
const LAST_READ_MS = 2000; // part of the function's time that a wait leaves for its last read

/**
 * Returns the seconds of the preference `wait` in a `Prefer` header (RFC 7240), up to a limit. Returns undefined if the header
 * has none, or one that is no whole number of seconds: a server ignores a preference that it doesn't understand.
 */
export const preferredWait = (prefer: string | undefined, longest = MAX_WAIT_SECONDS): number | undefined => {
  const preferences = prefer?.match(/(?:"(?:[^"\\]|\\.)*"?|[^",])+/g) ?? []; // a quoted text may have commas
  const first = preferences.find((each) => /^\s*wait\s*(?:[=;]|$)/i.test(each));
  const [, , seconds] = /^\s*wait\s*=\s*("?)(\d+)\1\s*(?:;|$)/i.exec(first ?? '') ?? [];
  return seconds === undefined ? undefined : Math.min(Number(seconds), longest);
};

type Reading<T> = {
  checkId: string | undefined;
  seconds: number;
  read: () => Promise<T>;
  /** Returns true if the client needs this answer now. */
  isAwaited: (found: T) => boolean;
};

/** Number of waits by owner, or by check for share tokens. */
type Waits = Map<string, number>;
/** The functions of one process share it. */
const ofProcess: Waits = new Map();

/**
 * Returns a function that rereads a check or a run until `isAwaited` holds or the time is over, and returns the last
 * reading. A wait ends early if the request's signal aborts. An owner may have `maxWaits` waits at the same time.
 */
export const waiting = (watch: WatchCheck, waits = ofProcess, maxWaits = MAX_WAITS) => {
  return async <T>(request: Request<Caller>, { checkId, seconds, read, isAwaited }: Reading<T>): Promise<T> => {
    const { signal, remainingMs = () => Number.POSITIVE_INFINITY } = request;
    const end = performance.now() + Math.min(seconds * 1000, remainingMs() - LAST_READ_MS);
    using watched = watch(checkId ?? ''); // before the first read, so that no change is missed
    let found = await read();
    if (isAwaited(found)) return found;
    using _wait = startWait(waits, 'reader' in request ? `share#${request.reader}` : request.owner, maxWaits);
    while (!signal?.aborted && performance.now() < end && !isAwaited(found)) {
      await watched.next(end - performance.now(), signal);
      if (!signal?.aborted) found = await withDeadline(callsEndIn(remainingMs()), read);
    }
    return found;
  };
};

const startWait = (waits: Waits, waiter: string, maxWaits: number): Disposable => {
  const count = waits.get(waiter) ?? 0;
  if (count >= maxWaits) throw tooManyWaits();
  waits.set(waiter, count + 1);
  return {
    [Symbol.dispose]: () => {
      const left = (waits.get(waiter) ?? 0) - 1;
      if (left > 0) waits.set(waiter, left);
      else waits.delete(waiter);
    },
  };
};

const tooManyWaits = () =>
  new ApiProblemError(
    'too-many-requests',
    `Already ${MAX_WAITS} requests with Prefer: wait are waiting. Retry when one of them has ended, or send this one without Prefer.`,
    { headers: { 'retry-after': '2' } },
  );
