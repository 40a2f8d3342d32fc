// @ts-check
import { askForKey, readKey } from './session.js';
import { withShareToken } from './share.js';

const FAILED = 'The service sent no readable answer. Retry in a minute.';

/** A request that failed. `kind` says which state the page shows. */
export class RequestError extends Error {
  /**
   * @param {'offline' | 'key' | 'too-many' | 'missing' | 'refused' | 'failed'} kind
   * @param {{ title: string, detail: string, code?: string, requestId?: string, errors?: { path: string, message: string }[] }} problem
   * @param {number} [retryAfter] seconds
   */
  constructor(kind, problem, retryAfter) {
    super(problem.detail);
    this.kind = kind;
    this.title = problem.title;
    this.code = problem.code;
    this.requestId = problem.requestId;
    this.errors = problem.errors ?? [];
    this.retryAfter = retryAfter ?? (kind === 'too-many' ? 10 : undefined);
  }
}

/**
 * Returns the RequestError of a failed reading. An answer that is no JSON is none of the service, for example of a proxy.
 * @param {unknown} error
 */
export const asRequestError = (error) =>
  error instanceof RequestError ? error : new RequestError('failed', { title: 'No readable answer', detail: FAILED });

/** @param {number} status */
const kindOf = (status) => {
  if (status === 401) return 'key';
  if (status === 429) return 'too-many';
  if (status === 404) return 'missing';
  return status >= 500 ? 'failed' : 'refused';
};

/**
 * Returns the seconds of a `Retry-After` header, which may also have a date.
 * @param {Headers} headers
 */
export const retryAfterOf = (headers) => {
  const text = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return seconds >= 0 ? seconds : undefined;
};

/** @typedef {{ method?: string, body?: unknown, headers?: Record<string, string>, signal?: AbortSignal }} SendOptions */

/**
 * Sends a request with the key of this tab. Throws a RequestError if it fails. If the key is missing or refused, the page
 * asks for another one.
 * @param {string} path
 * @param {SendOptions} [options]
 * @returns {Promise<Response>}
 */
export const send = async (path, options) => {
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

/**
 * Sends a request with a key. Throws a RequestError if it fails.
 * @param {string | null} key
 * @param {string} path
 * @param {SendOptions} [options]
 * @returns {Promise<Response>}
 */
export const sendWithKey = async (key, path, { method = 'GET', body, headers = {}, signal } = {}) => {
  /** @type {Response} */
  let answer;
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
  const problem = await answer.json().catch(() => ({}));
  const { title = `The answer has status ${answer.status}`, detail = FAILED } = problem;
  throw new RequestError(kindOf(answer.status), { ...problem, title, detail }, retryAfterOf(answer.headers));
};

/**
 * Returns the JSON body of an answer.
 * @param {string} path
 * @param {SendOptions} [options]
 * @returns {Promise<any>}
 */
export const read = async (path, options) => (await send(path, options)).json();

/** @typedef {{ url: string, auditVersion: string, regions: string[], [option: string]: unknown }} CheckInputs */

/**
 * Creates a check. A repeated call with the same idempotency key creates no second check.
 * @param {CheckInputs} inputs
 * @param {string} idempotencyKey
 * @returns {Promise<{ id: string }>}
 */
export const createCheck = (inputs, idempotencyKey) =>
  read('/v1/checks', { method: 'POST', body: inputs, headers: { 'idempotency-key': idempotencyKey } });

/** Returns a random idempotency key. `crypto.randomUUID` is missing on pages without TLS. */
export const newIdempotencyKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Creates a link with which anyone can read a check for some days, for example `7d`.
 * @param {string} checkId
 * @param {string} expiresIn
 * @returns {Promise<{ url: string, expiresAt: string }>}
 */
export const createShareLink = (checkId, expiresIn) =>
  read(`/v1/checks/${checkId}/links`, { method: 'POST', body: { expiresIn } });

/**
 * Revokes all links of a check.
 * @param {string} checkId
 */
export const revokeShareLinks = (checkId) => send(`/v1/checks/${checkId}/links`, { method: 'DELETE' });
