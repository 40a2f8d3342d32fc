import { printableValue } from '../../shared/text.ts';
import { receiveBody } from './receive-body.ts';
import { errorOfAnswer, errorOfFetch, notOurs, ServiceError } from './service-error.ts';

export type Signal = { signal?: AbortSignal | undefined };

export type Service = { url: string; key?: string | undefined };
/** No retry starts after `retryUntil`, in milliseconds of `performance.now()`. */
export type Reached = Service & Signal & { retryUntil?: number };

export type SendOptions = Signal & {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  body?: unknown;
  /** Content type of the answer. The transport refuses a success of another type. */
  accept?: string;
  headers?: Readonly<Record<string, string>>;
  /** Follows redirects, for example to storage. The key stays with the service. */
  follow?: boolean;
  timeoutMs?: number;
  maxBytes?: number;
  /** The request goes on if the page that sends it ends. */
  keepalive?: boolean;
};

export type ReadOptions = SendOptions & {
  /** A field of every right answer. */
  field?: string | undefined;
  /** Returns the texts of the answer as they are, for example for a file. They may steer a terminal. */
  asIs?: boolean | undefined;
};

/** JSON of the service. Without `data`, nothing has changed since the entity tag of the request. */
export type Answer<T> = { data?: T; headers: Headers };

export const JSON_TYPE = 'application/json';
/** Longest wait that the service offers, in seconds. */
const WAIT_SECONDS = 25;
const WAIT_TIMEOUT_MS = (WAIT_SECONDS + 30) * 1000;
const TIMEOUT_MS = 30_000;
/** Size limit of an answer that is no report, in bytes. */
const MAX_BYTES = 16 * 2 ** 20;
/** Limits of the answer with a report, which may have many megabytes. */
export const reportLimits = { timeoutMs: 180_000, maxBytes: 256 * 2 ** 20 };

/** An answer with its complete body. A 304 has none. */
type Received = { response: Response; received?: Uint8Array<ArrayBuffer> };

/** Sends requests to one service, without retries. Turns every failure into a ServiceError. */
export class Transport {
  readonly #server: string;
  readonly #key: string | undefined;
  #hasAnswered = false;

  constructor({ url, key }: Service) {
    if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
      // `fetch` would reject such a header with a message that has the key
      throw new ServiceError('problem', 'The API key has a blank, a line break or another character that no key has.', {
        code: 'unauthorized',
      });
    }
    this.#server = url.replace(/\/+$/, '');
    this.#key = key;
  }

  /** Sends a request. Returns the complete answer if it is a success or a 304. */
  async send(path: string, options?: SendOptions): Promise<Response> {
    const { response, received } = await this.#send(path, options);
    if (!received) return response;
    const { status, headers } = response;
    return new Response(status === 204 ? null : received, { status, headers });
  }

  async #send(path: string, { signal, timeoutMs = TIMEOUT_MS, ...options }: SendOptions = {}): Promise<Received> {
    const stop = new AbortController();
    const signals = [signal, stop.signal, AbortSignal.timeout(timeoutMs)].filter((each) => each !== undefined);
    try {
      return await this.#receive(path, options, AbortSignal.any(signals));
    } catch (error) {
      stop.abort(); // ends an answer that is not read
      signal?.throwIfAborted();
      throw errorOfFetch(this.#server, error, this.#hasAnswered) ?? error;
    }
  }

  async #receive(path: string, options: Omit<SendOptions, 'timeoutMs'>, signal: AbortSignal): Promise<Received> {
    const { method = 'GET', body, accept = JSON_TYPE, headers, follow = false, keepalive = false } = options;
    const { maxBytes = MAX_BYTES } = options;
    const response = await fetch(this.#server + path, {
      method,
      headers: {
        accept,
        ...(this.#key !== undefined && { authorization: `Bearer ${this.#key}` }),
        ...(body !== undefined && { 'content-type': JSON_TYPE }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      keepalive,
      redirect: follow ? 'follow' : 'manual', // a redirect could send a create to another server
      cache: 'no-store', // the entity tag of the request decides, not the cache of a browser
      signal,
    });
    this.#hasAnswered = true;
    if (response.status === 304) return { response };
    const { ok, status } = response;
    if (ok && status !== 204 && !response.headers.get('content-type')?.includes(accept)) {
      throw notOurs(this.#server, response);
    }
    const received = await receiveBody(this.#server, response, maxBytes);
    if (!ok) throw errorOfAnswer(this.#server, response, printableValue(parsed(received)));
    return { response, received };
  }

  /**
   * Reads JSON. Throws unless it has the field. Its texts are printable, because a service or an audited page may be
   * hostile.
   */
  async read<T>(path: string, { field, asIs = false, ...options }: ReadOptions = {}): Promise<Answer<T>> {
    const { response, received } = await this.#send(path, options);
    const { headers } = response;
    if (!received) return { headers };
    const data = parsed(received) as T | undefined;
    if (data === undefined) {
      throw new ServiceError('not-ours', `${this.#server} sent JSON that can't be read. It is no page audit service.`);
    }
    const hasField = field === undefined || (data !== null && typeof data === 'object' && field in data);
    if (!hasField) throw notOurs(this.#server, response);
    return { data: asIs ? data : printableValue(data), headers };
  }

  /**
   * Waits for a change since the entity tag. Reads at once without a tag, or if `waits` is false. The service redirects a
   * wait to another path.
   */
  readOrWait<T>(
    path: string,
    etag: string | undefined,
    { waits = true, ...options }: ReadOptions & { waits?: boolean },
  ) {
    const prefer = etag && waits && { prefer: `wait=${WAIT_SECONDS}` };
    const headers = { ...prefer, ...(etag && { 'if-none-match': etag }) };
    return this.read<T>(path, { timeoutMs: WAIT_TIMEOUT_MS, follow: true, ...options, headers });
  }
}

/** Returns a JSON value, or undefined if the bytes are no JSON. */
const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
};
