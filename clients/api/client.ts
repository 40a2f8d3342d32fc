import type { JudgedCheck } from '../../shared/assertions/judged-check.ts';
import type { CheckAssertions } from '../../shared/assertions/sets.ts';
import type { asCreated, CheckView, CreateCheckBody } from '../../shared/check.ts';
import type { CheckComparison, RegionComparison } from '../../shared/comparison/schemas.ts';
import type { CheckExplanation } from '../../shared/explanation/schema.ts';
import type { Fix } from '../../shared/fixes/fix.ts';
import type { ShareLink } from '../../shared/links.ts';
import type { Variant } from '../../shared/options/variants.ts';
import type { PageList } from '../../shared/pages/pages.ts';
import { loadsItsReport, withItsReport } from '../../shared/report-page.ts';
import type { RunView } from '../../shared/run.ts';
import type { CreateScheduleBody, EditScheduleBody, Schedule, ScheduleList } from '../../shared/schedules.ts';
import type { LimitList, RegionList, VersionList } from '../../shared/service/offer.ts';
import { isFinished } from '../../shared/states.ts';
import { badgesOf } from './badges.ts';
import type { CheckList, ListFilters, PageFilters } from './lists.ts';
import { type BaseOptions, baseQuery, checkPath, queryOf, runOfCheckPath, runPath, schedulePath } from './paths.ts';
import { nextReadingAt, type OnOutage, pause, withPatience, withRetries } from './retries.ts';
import { ServiceError } from './service-error.ts';
import { type Reached, type ReadOptions, reportLimits, type SendOptions, type Signal, Transport } from './transport.ts';

export type CreatedCheck = ReturnType<typeof asCreated>;
/** The full Lighthouse result as that version wrote it. */
export type Report = Readonly<Record<string, unknown>>;
type ReportOptions = Signal & { asIs?: boolean; variant?: Variant };
type Based = Signal & BaseOptions;
type Patience = { signal: AbortSignal; onOutage?: OnOutage | undefined };

/**
 * The client of a page audit service. Every function throws a ServiceError if its request fails, and retries before if
 * the failure may pass. The client runs in Node.js 20 and in browsers. It sends the key to this service only.
 */
export class Client {
  /** URL of the service, without a slash at its end. */
  readonly url: string;
  readonly badges = badgesOf({
    read: (path, options) => this.#read(path, options),
    erase: (path, signal) => this.#erase(path, signal),
  });
  readonly #service: Reached;
  readonly #patience: Patience | undefined;
  readonly #transport: Transport;

  /** `url` is the URL of the service, for example `http://127.0.0.1:4080`. An abort of the signal ends every request. */
  constructor(service: Reached, patience?: Patience) {
    this.url = service.url.replace(/\/+$/, '');
    this.#service = service;
    this.#patience = patience;
    this.#transport = new Transport(service);
  }

  /** Returns a client that retries during an outage of the service until the signal aborts. */
  patient(signal: AbortSignal, onOutage?: OnOutage): Client {
    return new Client(this.#service, { signal, onOutage });
  }

  /** Creates a check. A key makes retries safe, so a create without an `idempotencyKey` gets a random one. */
  create(
    body: CreateCheckBody,
    { idempotencyKey = crypto.randomUUID(), signal }: Signal & { idempotencyKey?: string | undefined } = {},
  ): Promise<CreatedCheck> {
    const headers = { 'idempotency-key': idempotencyKey };
    return this.#read('/v1/checks', { method: 'POST', body, headers, field: 'runs', signal });
  }

  /** Returns the check. With `waitSeconds`, the service waits so long for its end. */
  get(checkId: string, { waitSeconds, signal }: Signal & { waitSeconds?: number } = {}): Promise<CheckView> {
    const wait = waitSeconds && { headers: { prefer: `wait=${waitSeconds}` }, follow: true };
    return this.#read(checkPath(checkId), { field: 'runs', signal, ...wait });
  }

  /** Returns the check when it is finished. Calls `onChange` with the check at first and after each change. */
  async wait(
    checkId: string,
    { onChange, signal }: Signal & { onChange?: ((check: CheckView) => void) | undefined } = {},
  ): Promise<CheckView> {
    let etag: string | undefined;
    for (;;) {
      const { data, headers, sentAt } = await this.#readOrWait(checkId, etag, signal);
      if (data) {
        onChange?.(data);
        if (isFinished(data.state)) return data;
      }
      etag = headers.get('etag') ?? etag;
      const waitMs = Math.max(0, nextReadingAt(headers, sentAt) - performance.now()); // Node warns of a negative timeout
      await pause(waitMs, this.#signals(signal));
    }
  }

  /**
   * Waits for a change of the check since the tag. Reads the check at once without a tag. If there are too many waits,
   * reads it after a pause.
   */
  #readOrWait(checkId: string, etag: string | undefined, given: AbortSignal | undefined) {
    let waits = true;
    return this.#retrying(async (signal) => {
      const sentAt = performance.now();
      try {
        const options = { field: 'runs', waits, signal };
        return { ...(await this.#transport.readOrWait<CheckView>(checkPath(checkId), etag, options)), sentAt };
      } catch (error) {
        // Too many waits: the service says 429, or on AWS its gateway 503. Neither must end the readings.
        if (error instanceof ServiceError && [429, 503].includes(error.status ?? 0)) waits = false;
        throw error;
      }
    }, given);
  }

  run(runId: string, { signal }: Signal = {}): Promise<RunView> {
    return this.#read(runPath(runId), { field: 'region', signal });
  }

  /** Returns one page of checks, newest first. */
  list(query: ListFilters = {}, { signal }: Signal = {}): Promise<CheckList> {
    return this.#read(`/v1/checks${queryOf(query)}`, { field: 'checks', signal });
  }

  /** Returns one part of the newest results of the caller's pages, worst first. */
  pages(query: PageFilters = {}, { signal }: Signal = {}): Promise<PageList> {
    return this.#read(`/v1/pages${queryOf(query)}`, { field: 'pages', signal });
  }

  /** Judges a finished check by other assertions than its own. */
  judge(checkId: string, assertions: CheckAssertions, { signal }: Signal = {}): Promise<JudgedCheck> {
    const body = { assertions };
    return this.#read(`${checkPath(checkId)}/assertions`, { method: 'POST', body, field: 'runs', signal });
  }

  /** Compares the check with a base, or without a base its two variants or its regions. */
  compare<Base extends string | undefined = undefined>(
    checkId: string,
    { signal, ...query }: Based & { base?: Base } = {},
  ): Promise<Base extends string ? CheckComparison : CheckComparison | RegionComparison> {
    return this.#read(`${checkPath(checkId)}/comparison${baseQuery(query)}`, { field: 'metrics', signal });
  }

  /** Returns why a check differs from a base, or without a base why its two variants differ. */
  explain(checkId: string, { signal, ...query }: Based & { base: string | undefined }): Promise<CheckExplanation> {
    return this.#read(`${checkPath(checkId)}/explanation${baseQuery(query)}`, { field: 'regions', signal });
  }

  /** Returns the full Lighthouse result of a run, or of its second variant. With `asIs`, its texts may steer a terminal. */
  report(runId: string, { signal, asIs, variant }: ReportOptions = {}): Promise<Report> {
    const options = { ...reportLimits, follow: true, field: 'auditVersion', asIs, signal }; // to storage
    return this.#read(`${runPath(runId)}/report${queryOf({ variant })}`, options);
  }

  /** Returns the report of a run as a web page with all of its data. */
  async reportPage(runId: string, { signal }: Signal = {}): Promise<string> {
    const response = await this.#send(`${runPath(runId)}/report`, { ...reportLimits, accept: 'text/html', signal });
    const page = await response.text();
    return loadsItsReport(page) ? withItsReport(page, await this.report(runId, { signal, asIs: true })) : page;
  }

  /** Returns the text of a file that a link of a run names. */
  async file(path: string, { signal }: Signal = {}): Promise<string> {
    const response = await this.#send(path, { ...reportLimits, follow: true, signal });
    return response.text();
  }

  /** Returns what to fix first on the page of a run. */
  async fixes({ id, links }: Pick<RunView, 'id' | 'links'>, { signal }: Signal = {}): Promise<Fix[]> {
    const path = runOfCheckPath(links.check.split('/').at(-1) ?? '', id);
    const { fixes } = await this.#read<{ fixes: Fix[] }>(`${path}/fixes`, { field: 'fixes', signal });
    return fixes;
  }

  /** Returns the last view of the page as a JPEG image. */
  async screenshot(checkId: string, runId: string, { signal }: Signal = {}): Promise<ArrayBuffer> {
    const path = runOfCheckPath(checkId, runId);
    return (await this.#send(`${path}/screenshot`, { accept: 'image/jpeg', signal })).arrayBuffer();
  }

  /** Erases a check. */
  delete(checkId: string, { signal }: Signal = {}): Promise<void> {
    return this.#erase(checkPath(checkId), signal);
  }

  schedules({ signal }: Signal = {}): Promise<ScheduleList> {
    return this.#read('/v1/schedules', { field: 'schedules', signal });
  }

  /** Creates a schedule. Sends the request once, because a second one would create another schedule. */
  async createSchedule(body: CreateScheduleBody, { signal: given }: Signal = {}): Promise<Schedule> {
    const options = { method: 'POST' as const, body, field: 'id', signal: this.#signals(given) };
    return (await this.#transport.read<Schedule>('/v1/schedules', options)).data as Schedule;
  }

  editSchedule(id: string, body: EditScheduleBody, { signal }: Signal = {}): Promise<Schedule> {
    return this.#read(schedulePath(id), { method: 'PATCH', body, field: 'id', signal });
  }

  changeSchedule(id: string, action: 'pause' | 'resume', { signal }: Signal = {}): Promise<Schedule> {
    return this.#read(`${schedulePath(id)}/${action}`, { method: 'POST', field: 'id', signal });
  }

  deleteSchedule(id: string, { signal }: Signal = {}): Promise<void> {
    return this.#erase(schedulePath(id), signal);
  }

  async #erase(path: string, given: AbortSignal | undefined): Promise<void> {
    let tries = 0;
    const erase = this.#retrying((signal) => {
      tries += 1;
      return this.#transport.send(path, { method: 'DELETE', signal });
    }, given);
    await erase.catch((error) => {
      const isErased = tries > 1 && error instanceof ServiceError && error.code === 'not-found';
      if (!isErased) throw error; // the first request erased it if only its answer was lost
    });
  }

  /** Returns a link with which anyone can read a check for some days, by default 7. */
  share(checkId: string, { signal, ...body }: Signal & { expiresIn?: string | undefined } = {}): Promise<ShareLink> {
    return this.#read(`${checkPath(checkId)}/links`, { method: 'POST', body, field: 'url', signal });
  }

  regions({ signal }: Signal = {}): Promise<RegionList> {
    return this.#read('/v1/regions', { field: 'regions', signal });
  }

  versions({ signal }: Signal = {}): Promise<VersionList> {
    return this.#read('/v1/audit/versions', { field: 'versions', signal });
  }

  limits({ signal }: Signal = {}): Promise<LimitList> {
    return this.#read('/v1/limits', { field: 'plans', signal });
  }

  /** Returns the version of the service, if it names one. */
  health({ signal }: Signal = {}): Promise<{ status: string; version?: string }> {
    return this.#read('/health', { field: 'status', signal });
  }

  async #read<T>(path: string, { signal: given, ...options }: ReadOptions): Promise<T> {
    const { data } = await this.#retrying((signal) => this.#transport.read<T>(path, { ...options, signal }), given);
    return data as T; // a 304 needs an entity tag
  }

  #send(path: string, { signal: given, ...options }: SendOptions): Promise<Response> {
    return this.#retrying((signal) => this.#transport.send(path, { ...options, signal }), given);
  }

  /** Calls `send` again after a failure that may pass. */
  #retrying<T>(send: (signal: AbortSignal) => Promise<T>, given: AbortSignal | undefined): Promise<T> {
    const signal = this.#signals(given);
    const attempt = () => send(signal);
    return this.#patience
      ? withPatience(attempt, signal, this.#patience.onOutage)
      : withRetries(attempt, signal, this.#service.retryUntil);
  }

  #signals(given: AbortSignal | undefined): AbortSignal {
    return AbortSignal.any([given, this.#service.signal, this.#patience?.signal].filter((each) => each !== undefined));
  }
}
