import { setTimeout as pause } from 'node:timers/promises';
import type { AwsRequest, Handle } from '../../infra/local/in-process.ts';

export type Faults = ReturnType<typeof faultsBefore>;
type Matches = (request: AwsRequest) => boolean;

export const isTableWrite: Matches = ({ headers }) => /(Put|Update|Delete)Item/.test(headers['x-amz-target'] ?? '');
export const isOfObjects: Matches = ({ headers }) => headers['x-amz-target'] === undefined;

const cut = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

/** Stands before the services of this machine. It can drop matching requests, or only their responses. */
export const faultsBefore = (services: Handle, matches: Matches) => {
  let allowed = Number.POSITIVE_INFINITY;
  let passed = 0;
  let lost: readonly number[] = [];
  let before = async (_nth: number): Promise<void> => {};
  const handle: Handle = async (request, options) => {
    if (!matches(request)) return await services(request, options);
    if (passed >= allowed) throw cut();
    const nth = ++passed;
    await orAborted(before(nth), options);
    const answer = await services(request, options);
    if (lost.includes(nth)) throw cut();
    return answer;
  };
  return {
    handle,
    /** Drops every matching request after `n` more, until `heal`. */
    failAfter: (n: number) => {
      allowed = n;
      passed = 0;
    },
    /** Drops the responses of the n-th matching requests from now on. The service has handled these requests. */
    loseResponseOf: (...nths: number[]) => {
      lost = nths;
      passed = 0;
    },
    /** Sets a function that runs before each matching request. It gets the request's number since the last `failAfter`. */
    before: (act: typeof before) => {
      before = act;
    },
    heal: () => {
      before = async () => {};
      allowed = Number.POSITIVE_INFINITY;
      lost = [];
    },
    /** Returns the number of matching requests that reached the service since the last `failAfter`. */
    passed: () => passed,
  };
};

/** Rejects when the signal aborts or the time of one try is over, as the SDK's handler does. */
const orAborted = async (
  work: Promise<void>,
  { abortSignal, requestTimeout = 2500 }: NonNullable<Parameters<Handle>[1]> = {},
): Promise<void> => {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, ...(abortSignal ? [abortSignal] : [])]);
  const timeout = pause(requestTimeout, undefined, { signal }).then(
    () => Promise.reject(Object.assign(new Error('timed out'), { name: 'TimeoutError' })),
    () => Promise.reject(Object.assign(new Error('aborted'), { name: 'AbortError' })),
  );
  await Promise.race([work, timeout]).finally(() => ended.abort());
};
