import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import type { Secrets } from '../../../shared/options/secrets.ts';
import { cookieHeader } from '../../login/cookie-header.ts';
import { withScheme } from '../../words/urls.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { readSecrets, type SecretOptions } from '../login/secrets.ts';
import { decodeText, MAX_FILE_BYTES, tooLarge } from '../text-file.ts';
import { DEFAULT_LIMIT } from './limits.ts';
import { faultOfUrl } from './page-urls.ts';
import { readSitemap, siteOf } from './sitemap.ts';

/** Options of `run` that name many pages, by the names of their flags. */
export type ManyOptions = { urlsFile?: string; sitemap?: string; sitemapHost?: 'same'; limit?: number };

const MAX_FAULTS = 5;

export const namesManyPages = ({ urlsFile, sitemap }: ManyOptions): boolean =>
  urlsFile !== undefined || sitemap !== undefined;

/** Returns the pages of the arguments, the file and the sitemap, each once. Notes what it leaves out. */
export const pagesFrom = async (
  context: Context,
  given: readonly string[],
  options: ManyOptions & SecretOptions & { baseUrl?: string },
): Promise<string[]> => {
  const { urlsFile, sitemap, limit } = options;
  if (limit === 0) throw new UsageError('--limit 0 leaves no page. Use 1 or more.');
  const listed = urlsFile === undefined ? [] : await readList(context, urlsFile);
  const first = [...new Set([...given, ...listed])];
  const pages = sitemap === undefined ? first : [...first, ...(await readPagesOf(context, sitemap, first, options))];
  const all = [...new Set(pages)];
  if (limit === undefined || all.length <= limit) return all;
  context.note(`The command audits ${limit} of ${all.length} pages. Use --limit for another number.`);
  return all.slice(0, limit);
};

const readPagesOf = async (
  context: Context,
  given: string,
  first: readonly string[],
  { limit = DEFAULT_LIMIT, sitemapHost, baseUrl, ...options }: ManyOptions & SecretOptions & { baseUrl?: string },
): Promise<string[]> => {
  const sitemap = withScheme(given);
  const fault = faultOfUrl(sitemap, 'a sitemap');
  if (fault) throw new UsageError(fault);
  const left = limit - first.length;
  if (left <= 0) return [];
  const { signal, note, env } = context;
  const headers = headersFor(sitemap, readSecrets(options, env)(sitemap).secrets);
  const base = baseUrl !== undefined && URL.canParse(baseUrl) ? siteOf(new URL(baseUrl)) : undefined;
  const moved = sitemapHost === 'same' ? 'all' : base; // a preview names the pages of production
  const { urls, notes } = await readSitemap(sitemap, { limit: left, signal, headers, moved });
  for (const line of notes) note(line);
  if (urls.length === left) note(`The command audits the first ${left} pages of the sitemap. Use --limit for more.`);
  return urls;
};

/** A preview behind a login needs the same headers and cookies for its sitemap as for its pages. */
const headersFor = (url: string, { headers, basicAuth, cookies = [], storageState }: Secrets) => ({
  ...headers,
  ...cookieHeader([...(storageState?.cookies ?? []), ...cookies], new URL(url)),
  ...(basicAuth && {
    authorization: `Basic ${Buffer.from(`${basicAuth.username}:${basicAuth.password}`).toString('base64')}`,
  }),
});

/** Reads a file with one URL on each line. Blank lines and lines that begin with `#` are comments. */
const readList = async (context: Context, file: string): Promise<string[]> => {
  const name = file === '-' ? 'standard input' : file;
  const lines = (await readText(context, file, name)).split(/\r?\n/);
  const entries = lines
    .map((line, i) => ({ line: line.trim(), number: i + 1 }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, number }) => ({ url: withScheme(line), number }));
  const faults = entries.flatMap(({ url, number }) => {
    const fault = faultOfUrl(url, 'a web page');
    return fault ? [`${name}:${number}: ${fault}`] : [];
  });
  if (faults.length > 0) {
    const more = faults.length - MAX_FAULTS;
    throw new UsageError([...faults.slice(0, MAX_FAULTS), ...(more > 0 ? [`${more} more.`] : [])].join('\n'));
  }
  if (entries.length === 0) throw new UsageError(`${name} names no page. Write one URL on each line.`);
  return entries.map(({ url }) => url);
};

const readText = async ({ signal, stdin }: Context, file: string, name: string): Promise<string> => {
  try {
    if (file !== '-' && (await stat(file)).isDirectory()) throw new UsageError(`${name} is a folder. Name a file.`);
    const input = file === '-' ? stdin() : createReadStream(file);
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of addAbortSignal(signal, input)) {
      parts.push(part);
      bytes += part.length;
      if (bytes > MAX_FILE_BYTES) throw new UsageError(tooLarge(name));
    }
    return decodeText(Buffer.concat(parts));
  } catch (error) {
    signal.throwIfAborted();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT')
      throw new UsageError(`${name} does not exist. Name a readable file, or - for standard input.`);
    throw error;
  }
};
