import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import { printableValue } from '../shared/text.ts';
import type { paths } from './api.d.ts';
import { type OnOutage, pauseAfter, withPatience, withRetries } from './retries.ts';
import { errorOfAnswer, errorOfFetch, notOurs, ServiceError } from './service-error.ts';

export type Signal = { signal?: AbortSignal | undefined };
type Limits = Signal & {
  timeoutMs?: number | undefined;
  /** Returns the texts of the answer as they are, for a file. They may steer a terminal. */
  asIs?: boolean | undefined;
};
type Answer = { data?: unknown; error?: unknown; response: Response };
type Request<A extends Answer> = (api: FetchClient<paths>, init: { signal: AbortSignal }) => Promise<A>;

/** Where a service is. An abort of the signal ends every request. */
export type Service = Signal & { url: string; key?: string | undefined };
type Patience = { signal: AbortSignal; onOutage?: OnOutage | undefined };

const TIMEOUT_MS = 30_000;

/** Sends requests to one service. Turns every failure into a ServiceError. */
export class Transport {
  readonly #service: Service;
  readonly #patience: Patience | undefined;
  readonly #server: string;
  readonly #api: FetchClient<paths>;
  #hasAnswered = false;

  constructor(service: Service, patience?: Patience) {
    this.#service = service;
    this.#patience = patience;
    const { url, key } = service;
    if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
      // `fetch` would reject such a header with a message that has the key
      throw new ServiceError('problem', 'The API key has a blank, a line break or another character that no key has.', {
        code: 'unauthorized',
      });
    }
    this.#server = url.replace(/\/+$/, '');
    this.#api = createFetchClient<paths>({
      baseUrl: this.#server,
      headers: { accept: 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      redirect: 'manual', // a redirect could send a create to another server
      fetch: (request) => this.#fetch(request),
    });
  }

  /** Returns a transport that retries during an outage of the service until the signal aborts. */
  patient(patience: Patience): Transport {
    return new Transport(this.#service, patience);
  }

  /** Sends a request with retries. Returns its data, which has the given field. */
  async send<T>(
    field: string | undefined,
    request: Request<Answer & { data?: T }>,
    limits: Limits = {},
  ): Promise<NonNullable<T>> {
    const { data } = await this.retrying(() => this.sendOnce(field, request, limits), limits.signal);
    return data as NonNullable<T>;
  }

  /** Calls `send` again after an error that may pass. */
  retrying<T>(send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const all = this.#signals(signal);
    return this.#patience ? withPatience(send, all, this.#patience.onOutage) : withRetries(send, all);
  }

  /** Resolves when the client may read again what it has read. Rejects when a request would. */
  pauseAfter(response: Response, sentAt: number, signal: AbortSignal | undefined): Promise<void> {
    return pauseAfter(response, sentAt, this.#signals(signal));
  }

  #signals(given: AbortSignal | undefined): AbortSignal {
    return AbortSignal.any([given, this.#service.signal, this.#patience?.signal].filter((each) => each !== undefined));
  }

  /**
   * Sends a request once. Throws unless the answer is a 304, or a success whose body has the field. The texts of the answer
   * and of its error are printable, because a service or an audited page may be hostile.
   */
  async sendOnce<A extends Answer>(
    field: string | undefined,
    request: Request<A>,
    { signal, timeoutMs = TIMEOUT_MS, asIs = false }: Limits,
  ): Promise<A> {
    const all = this.#signals(signal);
    try {
      const answer = await request(this.#api, { signal: AbortSignal.any([all, AbortSignal.timeout(timeoutMs)]) });
      const { response, data, error } = answer;
      if (response.status === 304) return answer;
      if (!response.ok) throw errorOfAnswer(this.#server, response, printableValue(error));
      const hasField = field === undefined || (data !== null && typeof data === 'object' && field in data);
      if (!hasField) throw notOurs(this.#server, response);
      return asIs ? answer : { ...answer, data: printableValue(data) };
    } catch (error) {
      all.throwIfAborted();
      throw errorOfFetch(this.#server, error, this.#hasAnswered) ?? error;
    }
  }

  async #fetch(request: globalThis.Request): Promise<Response> {
    const response = await fetch(request);
    this.#hasAnswered = true;
    const accepted = request.headers.get('accept') as string;
    const hasBody = response.ok && response.status !== 204;
    if (hasBody && !response.headers.get('content-type')?.includes(accepted)) throw notOurs(this.#server, response);
    return response;
  }
}
