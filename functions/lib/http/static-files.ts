import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { ApiProblemError } from '../../../shared/problems.ts';
import type { Request } from './endpoint.ts';
import { acceptsGzip, matchesEtag } from './negotiation.ts';
import type { Reply } from './response.ts';
import { pageHeaders } from './security-headers.ts';

/** A file. `policy` is the content security policy of a page. */
export type StaticFile = { type: string; content: Buffer; policy?: string };

/**
 * An HTML page for each view, their files, and the content security policy of the pages. `version` is a hash of all
 * contents and a part of the URL of each file.
 */
export type Site = Record<'version' | 'policy', string> & Record<'pages' | 'files', ReadonlyMap<string, StaticFile>>;

export const css = 'text/css; charset=utf-8';
export const script = 'text/javascript; charset=utf-8';
export const markup = 'text/html; charset=utf-8';

/** Returns the site of these files. `htmlOf` returns the page of each view, which names its files by the version. */
export const siteOf = (
  files: ReadonlyMap<string, StaticFile>,
  htmlOf: (version: string) => ReadonlyMap<string, string>,
  policy: string,
): Site => {
  const hash = createHash('sha256').update(JSON.stringify([...htmlOf('')])); // the tag of the page must change with the page
  for (const { content, policy = '' } of files.values()) hash.update(content).update(policy);
  const version = hash.digest('hex').slice(0, 16);
  const pages = [...htmlOf(version)].map(
    ([view, html]) => [view, { type: markup, content: Buffer.from(html) }] as const,
  );
  return { version, policy, files, pages: new Map(pages) };
};

type SiteRequest = Pick<Request, 'headers'>;

/**
 * Returns functions that answer with the page, or with a file of a version. Browsers keep files for a year and ask for
 * the page each time. A process reads and compresses each file once.
 */
export const staticFiles = (read: () => Promise<Site>) => {
  let site: Promise<Site> | undefined;
  const compressed = new Map<string, Promise<Buffer>>();
  const load = () => {
    site ??= read();
    return site;
  };

  const reply = async (name: string, file: StaticFile, headers: Request['headers'], own: Record<string, string>) => {
    const gzipped = acceptsGzip(headers['accept-encoding']);
    const etag = `"${(await load()).version}-${name}${gzipped ? '-gzip' : ''}"`;
    const all = { etag, vary: 'Accept-Encoding', ...own };
    if (matchesEtag(headers['if-none-match'], etag)) return { status: 304, headers: all };
    if (gzipped && !compressed.has(name)) compressed.set(name, gzip(file.content));
    const body = (await (gzipped && compressed.get(name))) || file.content;
    const type = { 'content-type': file.type, ...(gzipped && { 'content-encoding': 'gzip' }) };
    return { status: 200, headers: { ...all, ...type }, body };
  };

  return {
    page: async ({ headers }: SiteRequest, view = 'home'): Promise<Reply> => {
      const { pages, policy } = await load();
      const page = pages.get(view);
      if (!page) throw new Error(`The build has no page of the view ${view}. Add it in infra/bundle/web.ts.`);
      return reply(`page-${view}`, page, headers, pageHeaders(policy));
    },
    file: async ({ params, headers }: SiteRequest & Pick<Request, 'params'>): Promise<Reply> => {
      const { version, files } = await load();
      const { file: name = '' } = params;
      const file = params.version === version ? files.get(name) : undefined;
      if (!file) throw new ApiProblemError('not-found', 'There is no such file. Reload the page that names it.');
      return reply(name, file, headers, {
        'cache-control': 'public, max-age=31536000, immutable',
        ...(file.policy && { 'content-security-policy': file.policy }),
      });
    },
  };
};

const gzip = promisify<Buffer, Buffer>(zlib.gzip);
