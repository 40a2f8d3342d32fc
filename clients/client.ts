import { loadsItsReport, withItsReport } from '../shared/report-page.ts';
import type { components, operations } from './api.d.ts';
import type { OnOutage } from './retries.ts';
import { ServiceError } from './service-error.ts';
import { type Service, type Signal, Transport } from './transport.ts';

type Schemas = components['schemas'];
export type CreateCheck = Schemas['CreateCheck'];
export type CreatedCheck = Schemas['CreatedCheck'];
export type Check = Schemas['Check'];
export type Run = Schemas['Run'];
export type Report = Schemas['Report'];
export type ListFilters = NonNullable<operations['listChecks']['parameters']['query']>;

const WAIT_SECONDS = 25; // the longest wait that the service offers
const WAIT_TIMEOUT_MS = (WAIT_SECONDS + 30) * 1000;
const REPORT_TIMEOUT_MS = 180_000; // a report may have many megabytes

/**
 * The HTTP client of a page audit service. Every function throws a ServiceError if its request fails. The client uses
 * `fetch` only, so that it runs in Node.js 20 and in browsers. It sends the key to this service only. The texts of all
 * answers are printable.
 */
export class Client {
  readonly #transport: Transport;

  /** `url` is the URL of the service, for example `http://127.0.0.1:4080`. */
  constructor(service: Service | Transport) {
    this.#transport = service instanceof Transport ? service : new Transport(service);
  }

  /** Returns a client that retries during an outage of the service until the signal aborts. */
  patient(signal: AbortSignal, onOutage?: OnOutage): Client {
    return new Client(this.#transport.patient({ signal, onOutage }));
  }

  /** Creates a check. A key makes retries safe, so a create without an `idempotencyKey` gets a random one. */
  create(
    body: CreateCheck,
    { idempotencyKey = crypto.randomUUID(), signal }: Signal & { idempotencyKey?: string | undefined } = {},
  ): Promise<CreatedCheck> {
    const params = { header: { 'Idempotency-Key': idempotencyKey } };
    return this.#transport.send('runs', (api, init) => api.POST('/v1/checks', { body, params, ...init }), { signal });
  }

  get(checkId: string, { signal }: Signal = {}): Promise<Check> {
    const params = { path: { checkId } };
    return this.#transport.send('runs', (api, init) => api.GET('/v1/checks/{checkId}', { params, ...init }), {
      signal,
    });
  }

  /** Returns the check when it is finished. Calls `onChange` with the check at first and after each change. */
  async wait(
    checkId: string,
    { onChange, signal }: Signal & { onChange?: ((check: Check) => void) | undefined } = {},
  ): Promise<Check> {
    let etag: string | undefined;
    for (;;) {
      const { data, response, sentAt } = await this.#readOrWait(checkId, etag, signal);
      if (data) {
        onChange?.(data);
        if (isFinal(data)) return data;
      }
      etag = response.headers.get('etag') ?? etag;
      await this.#transport.pauseAfter(response, sentAt, signal);
    }
  }

  /**
   * Waits for a change of the check since the tag. Reads the check at once without a tag. If the owner has too many waits,
   * reads it after the time of `Retry-After`.
   */
  #readOrWait(checkId: string, etag: string | undefined, signal: AbortSignal | undefined) {
    let waits = etag !== undefined;
    const read = async () => {
      const sentAt = performance.now();
      const prefer = waits && { Prefer: `wait=${WAIT_SECONDS}` };
      const params = { path: { checkId }, header: { ...prefer, ...(etag && { 'If-None-Match': etag }) } };
      const answer = await this.#transport.sendOnce(
        'runs',
        (api, init) => api.GET('/v1/checks/{checkId}', { params, ...init }),
        { signal, timeoutMs: WAIT_TIMEOUT_MS },
      );
      return { ...answer, sentAt };
    };
    const readOrWait = () =>
      read().catch((error) => {
        if (error instanceof ServiceError && error.code === 'too-many-requests') waits = false;
        throw error;
      });
    return this.#transport.retrying(readOrWait, signal);
  }

  run(runId: string, { signal }: Signal = {}): Promise<Run> {
    const params = { path: { runId } };
    return this.#transport.send('region', (api, init) => api.GET('/v1/audit/runs/{runId}', { params, ...init }), {
      signal,
    });
  }

  /** Returns one page of checks, newest first. */
  list(query: ListFilters = {}, { signal }: Signal = {}) {
    return this.#transport.send('checks', (api, init) => api.GET('/v1/checks', { params: { query }, ...init }), {
      signal,
    });
  }

  /** Compares the regions of a check, or the check with a base. */
  compare(checkId: string, { base, signal }: Signal & { base?: string | undefined } = {}) {
    const params = { path: { checkId }, query: base === undefined ? {} : { base } };
    return this.#transport.send(
      'metrics',
      (api, init) => api.GET('/v1/checks/{checkId}/comparison', { params, ...init }),
      { signal },
    );
  }

  /** Returns the full Lighthouse result of a run. With `asIs`, its texts may steer a terminal. */
  report(runId: string, { signal, asIs }: Signal & { asIs?: boolean } = {}): Promise<Report> {
    const options = { params: { path: { runId } }, redirect: 'follow' } as const; // to storage, without the key
    return this.#transport.send(
      'auditVersion',
      (api, init) => api.GET('/v1/audit/runs/{runId}/report', { ...options, ...init }),
      { signal, timeoutMs: REPORT_TIMEOUT_MS, asIs },
    ) as Promise<Report>;
  }

  /** Returns the report of a run as a web page with all of its data. */
  async reportPage(runId: string, { signal }: Signal = {}): Promise<string> {
    const options = { params: { path: { runId } }, headers: { accept: 'text/html' } } as const;
    const page: string = await this.#transport.send(
      undefined,
      (api, init) => api.GET('/v1/audit/runs/{runId}/report', { ...options, parseAs: 'text', ...init }),
      { signal, timeoutMs: REPORT_TIMEOUT_MS, asIs: true },
    );
    return loadsItsReport(page) ? withItsReport(page, await this.report(runId, { signal, asIs: true })) : page;
  }

  /** Returns the last view of the page as a JPEG image. */
  screenshot(checkId: string, runId: string, { signal }: Signal = {}): Promise<ArrayBuffer> {
    const options = { params: { path: { checkId, runId } }, headers: { accept: 'image/jpeg' } } as const;
    return this.#transport.send(
      undefined,
      (api, init) =>
        api.GET('/v1/checks/{checkId}/runs/{runId}/screenshot', { ...options, parseAs: 'arrayBuffer', ...init }),
      { signal, asIs: true },
    );
  }

  /** Erases a check. */
  async delete(checkId: string, { signal }: Signal = {}): Promise<void> {
    let tries = 0;
    const erase = this.#transport.send(
      undefined,
      (api, init) => {
        tries += 1;
        return api.DELETE('/v1/checks/{checkId}', { params: { path: { checkId } }, ...init });
      },
      { signal },
    );
    await erase.catch((error) => {
      const isErased = tries > 1 && error instanceof ServiceError && error.code === 'not-found';
      if (!isErased) throw error; // the first request erased the check if only its answer was lost
    });
  }

  regions({ signal }: Signal = {}) {
    return this.#transport.send('regions', (api, init) => api.GET('/v1/regions', init), { signal });
  }

  versions({ signal }: Signal = {}) {
    return this.#transport.send('versions', (api, init) => api.GET('/v1/audit/versions', init), { signal });
  }

  limits({ signal }: Signal = {}) {
    return this.#transport.send('plans', (api, init) => api.GET('/v1/limits', init), { signal });
  }
}

/** Returns true if nothing about the check changes any more. */
export const isFinal = ({ state }: Pick<Check, 'state'>): boolean => state !== 'created' && state !== 'running';
