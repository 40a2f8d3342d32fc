import { askForKey, readKey } from './session.ts';
import { withShareToken } from './share.ts';

const FAILED = 'The service sent no readable answer. Retry in a minute.';

type Problem = {
  title: string;
  detail: string;
  code?: string;
  requestId?: string;
  errors?: FieldError[];
};
/** An input that the service refused, and why. */
export type FieldError = { path: string; message: string };

/** Which state the page shows after a failed request. */
type FailureKind = 'offline' | 'key' | 'too-many' | 'missing' | 'refused' | 'failed';

/** A request that failed. */
export class RequestError extends Error {
  readonly kind: FailureKind;
  readonly title: string;
  readonly requestId: string | undefined;
  readonly errors: readonly FieldError[];
  readonly retryAfter: number | undefined; // seconds

  constructor(kind: FailureKind, problem: Problem, retryAfter?: number) {
    super(problem.detail);
    this.kind = kind;
    this.title = problem.title;
    this.requestId = problem.requestId;
    this.errors = problem.errors ?? [];
    this.retryAfter = retryAfter ?? (kind === 'too-many' ? 10 : undefined);
  }
}

/** Returns the RequestError of a failed reading. An answer that is no JSON is none of the service, for example of a proxy. */
export const asRequestError = (error: unknown): RequestError =>
  error instanceof RequestError ? error : new RequestError('failed', { title: 'No readable answer', detail: FAILED });

const kindOf = (status: number): FailureKind => {
  if (status === 401) return 'key';
  if (status === 429) return 'too-many';
  if (status === 404) return 'missing';
  return status >= 500 ? 'failed' : 'refused';
};

/** Returns the seconds of a `Retry-After` header, which may also have a date. */
export const retryAfterOf = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return seconds >= 0 ? seconds : undefined;
};

type SendOptions = { method?: string; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal };

/**
 * Sends a request with the key of this tab. Throws a RequestError if it fails. If the key is missing or refused, the page
 * asks for another one.
 */
export const send = async (path: string, options?: SendOptions): Promise<Response> => {
  const key = readKey();
  try {
    return await sendWithKey(key, path, options);
  } catch (error) {
    if (error instanceof RequestError && error.kind === 'key') {
      if (readKey() !== key) return send(path, options); // the user has entered another key meanwhile
      askForKey(error.message);
    }
    throw error;
  }
};

/** Sends a request with a key. Throws a RequestError if it fails. */
export const sendWithKey = async (
  key: string | null,
  path: string,
  { method = 'GET', body, headers = {}, signal }: SendOptions = {},
): Promise<Response> => {
  let answer: Response;
  try {
    answer = await fetch(withShareToken(path), {
      method,
      cache: 'no-store', // `ifNoneMatch` of the caller decides, not the browser's cache
      headers: {
        accept: 'application/json',
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted && signal.reason?.name !== 'TimeoutError') throw error;
    const detail = 'The service is unreachable. Check your connection.';
    throw new RequestError('offline', { title: 'No connection', detail });
  }
  if (answer.ok || answer.status === 304) return answer;
  const problem: Partial<Problem> = await answer.json().catch(() => ({}));
  const { title = `The answer has status ${answer.status}`, detail = FAILED } = problem;
  throw new RequestError(kindOf(answer.status), { ...problem, title, detail }, retryAfterOf(answer.headers));
};

/** Returns the JSON body of an answer. */
export const read = async <Body>(path: string, options?: SendOptions): Promise<Body> =>
  (await send(path, options)).json();

/** Creates a check. A repeated call with the same idempotency key creates no second check. */
export const createCheck = (inputs: object, idempotencyKey: string): Promise<{ id: string }> =>
  read('/v1/checks', { method: 'POST', body: inputs, headers: { 'idempotency-key': idempotencyKey } });

/** Returns a random idempotency key. `crypto.randomUUID` is missing on pages without TLS. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** A link that anyone may read for some days. */
export type Link = { url: string; expiresAt: string };

/** Creates a link with which anyone can read a check for some days, for example `7d`. */
export const createShareLink = (checkId: string, expiresIn: string): Promise<Link> =>
  read(`/v1/checks/${checkId}/links`, { method: 'POST', body: { expiresIn } });

/** Revokes all links of a check. */
export const revokeShareLinks = (checkId: string) => send(`/v1/checks/${checkId}/links`, { method: 'DELETE' });
