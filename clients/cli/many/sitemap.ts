import { cutText, printable } from '../../../shared/text.ts';
import { counted } from '../../words/numbers.ts';
import { InterruptedError, UsageError } from '../exit-codes.ts';
import { decodedText, unzipped } from './sitemap-file.ts';
import { FaultyTextError, type Location, locationsIn } from './sitemap-text.ts';

const MiB = 2 ** 20;

/** Limits of what the command reads. The protocol of sitemaps allows 50 MiB for a file. */
export const sitemapLimits = { fileBytes: 50 * MiB, bytes: 100 * MiB, files: 100, depth: 3, seconds: 120 };
type Limits = typeof sitemapLimits;

const MAX_REDIRECTS = 5;
/** Longest address that the service accepts. */
const MAX_URL_LENGTH = 2048;

type Options = {
  /** Most pages. The command stops reading after them. */
  limit: number;
  signal: AbortSignal;
  /** Sent to the origin of the sitemap only. */
  headers?: Readonly<Record<string, string>> | undefined;
  limits?: Limits;
  /** The host whose pages are audited under the same paths on the host of the sitemap, or `all` other hosts. */
  moved?: string | undefined;
};

type Found = { urls: string[]; notes: string[] };

/**
 * Returns the pages of a sitemap, or of the sitemaps in an index, in their order. Reads from the host of the sitemap only,
 * and leaves out or moves the pages of other hosts. A note says what is left out or moved, and which further sitemap can't be
 * read.
 */
export const readSitemap = (url: string, options: Options): Promise<Found> => new Reader(url, options).read();

/** A sitemap that can't be read. Its message is a sentence. */
class FaultySitemapError extends Error {}

class Reader {
  readonly #start: URL;
  readonly #options: Options;
  readonly #limits: Limits;
  readonly #signal: AbortSignal;
  readonly #pages = new Set<string>();
  readonly #visited = new Set<string>();
  readonly #notes: string[] = [];
  readonly #otherHosts = new Map<string, number>();
  readonly #movedHosts = new Set<string>();
  #unusable = 0;
  #bytes = 0;

  constructor(url: string, options: Options) {
    this.#start = new URL(url);
    this.#options = options;
    this.#limits = options.limits ?? sitemapLimits;
    this.#signal = AbortSignal.any([options.signal, AbortSignal.timeout(this.#limits.seconds * 1000)]);
  }

  async read(): Promise<Found> {
    try {
      await this.#readFile(this.#start, 1);
    } catch (error) {
      if (!(error instanceof FaultySitemapError)) throw error;
      throw new UsageError(`${error.message} Correct --sitemap, or list the pages in a file for --urls-file.`);
    }
    const notes = [...this.#notes, ...this.#leftOut()];
    if (this.#pages.size === 0) {
      throw new UsageError([`The sitemap ${shown(this.#start)} names no page to audit.`, ...notes].join(' '));
    }
    return { urls: [...this.#pages], notes };
  }

  /** Adds the pages of a file, and those of the sitemaps that it names. */
  async #readFile(url: URL, depth: number): Promise<void> {
    this.#visited.add(url.href);
    for await (const { text, isPage } of this.#locations(url)) {
      const named = this.#usable(text, url);
      if (!named) continue;
      if (isPage) this.#pages.add(named.href);
      else await this.#readNamed(named, depth + 1);
      if (this.#pages.size >= this.#options.limit) return;
    }
  }

  /** Reads a sitemap that an index names. One that can't be read is a note, because the others have pages too. */
  async #readNamed(url: URL, depth: number): Promise<void> {
    if (this.#visited.has(url.href)) return; // an index may name itself
    if (depth > this.#limits.depth) throw new FaultySitemapError(`${shown(url)} is in too many indexes of indexes.`);
    if (this.#visited.size >= this.#limits.files) {
      throw new FaultySitemapError(`The sitemap has more than ${this.#limits.files} files.`);
    }
    try {
      await this.#readFile(url, depth);
    } catch (error) {
      if (!(error instanceof FaultySitemapError) || this.#bytes > this.#limits.bytes) throw error;
      this.#notes.push(`Left out: ${error.message}`);
    }
  }

  /** Returns an address on the sitemap's host, or undefined. */
  #usable(text: string, file: URL): URL | undefined {
    const url = URL.canParse(text, file.href) ? new URL(text, file.href) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.href.length > MAX_URL_LENGTH || url.username || url.password) {
      this.#unusable += 1;
      return undefined;
    }
    url.hash = '';
    if (siteOf(url) === siteOf(this.#start)) return url;
    const { moved } = this.#options;
    if (moved === 'all' || moved === siteOf(url)) {
      this.#movedHosts.add(url.host);
      const here = new URL(this.#start.origin);
      here.pathname = url.pathname;
      here.search = url.search;
      return here;
    }
    const known = this.#otherHosts.size < 3 || this.#otherHosts.has(url.host) ? url.host : 'other hosts';
    this.#otherHosts.set(known, (this.#otherHosts.get(known) ?? 0) + 1);
    return undefined;
  }

  #leftOut(): string[] {
    const moved = [...this.#movedHosts].slice(0, 3).join(', ');
    const hosts = [...this.#otherHosts].map(([host, count]) => `${counted(count, 'URL')} of ${host}`);
    return [
      ...(moved === '' ? [] : [`The pages of ${moved} are audited under the same paths on ${this.#start.host}.`]),
      ...(hosts.length > 0
        ? [
            `Left out: ${hosts.join(', ')}. A sitemap is for its own host, ${this.#start.host}. To audit the same paths there, use --sitemap-host same.`,
          ]
        : []),
      ...(this.#unusable > 0
        ? [
            `Left out: ${counted(this.#unusable, 'URL')} that no browser opens as a page, or with more than ${MAX_URL_LENGTH} characters.`,
          ]
        : []),
    ];
  }

  async *#locations(url: URL): AsyncGenerator<Location> {
    try {
      yield* locationsIn(this.#text(url));
    } catch (error) {
      throw this.#explained(url, error);
    }
  }

  #explained(url: URL, error: unknown): unknown {
    if (this.#options.signal.aborted) return this.#options.signal.reason;
    if (error instanceof FaultySitemapError || error instanceof InterruptedError) return error;
    if (error instanceof FaultyTextError) return new FaultySitemapError(`${shown(url)} ${error.message}`);
    if (this.#signal.aborted) {
      return new FaultySitemapError(`${shown(url)} was not read within ${this.#limits.seconds} s.`);
    }
    const { code, message, cause } = error as NodeJS.ErrnoException;
    const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? code ?? message;
    return new FaultySitemapError(`${shown(url)} can't be read (${printable(reason)}).`);
  }

  /** Yields the text of a file as it arrives. */
  async *#text(url: URL): AsyncGenerator<string> {
    const { body, headers } = await this.#answer(url);
    if (body) yield* decodedText(this.#counted(url, body), headers.get('content-type'));
  }

  /** Yields the unzipped bytes of a file, and throws when they are too many. */
  async *#counted(url: URL, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let fileBytes = 0;
    for await (const bytes of unzipped(body)) {
      fileBytes += bytes.length;
      this.#bytes += bytes.length;
      if (fileBytes > this.#limits.fileBytes || this.#bytes > this.#limits.bytes) {
        throw new FaultySitemapError(`${shown(url)} is larger than a sitemap may be.`);
      }
      yield bytes;
    }
  }

  /** Requests a file, and follows redirects on its own host. */
  async #answer(url: URL): Promise<Response> {
    let at = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const own = at.origin === this.#start.origin ? this.#options.headers : {};
      const headers = { 'accept-encoding': 'identity', ...own }; // fetch fails if a text stands behind a gzip
      const response = await fetch(at, { redirect: 'manual', headers, signal: this.#signal });
      if (response.ok) return response;
      await response.body?.cancel();
      const target = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || target === null) {
        throw new FaultySitemapError(`${shown(at)} answered ${response.status}.`);
      }
      const next = this.#redirected(at, target);
      this.#visited.add(next.href);
      at = next;
    }
    throw new FaultySitemapError(`${shown(url)} redirects more than ${MAX_REDIRECTS} times.`);
  }

  #redirected(from: URL, target: string): URL {
    const next = URL.canParse(target, from.href) ? new URL(target, from.href) : undefined;
    if (next && /^https?:$/.test(next.protocol) && siteOf(next) === siteOf(this.#start)) return next;
    throw new FaultySitemapError(`${shown(from)} redirects to another host, ${printable(cutText(target, 200))}.`);
  }
}

/** Returns the host of a site, which may name its pages with or without `www.`. */
export const siteOf = ({ host }: URL): string => host.replace(/^www\./, '');

const shown = ({ href }: URL): string => printable(cutText(href, 200));
