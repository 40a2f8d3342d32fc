import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { basePathOf } from './base-path.ts';
import type { Request } from './endpoint.ts';
import { viewerPolicy } from './security-headers.ts';
import { css, markup, type Site, type StaticFile, script, siteOf } from './static-files.ts';

const types: Readonly<Record<string, string>> = {
  '.js': script,
  '.css': css,
  '.svg': 'image/svg+xml',
  '.html': markup,
};

/** Ending of a page that preloads the modules of a view. */
const PAGE = '.page';

/** The build writes the files of the page beside the code of the function. */
const beside = fileURLToPath(new URL('./web', import.meta.url));

type WebSettings = Partial<Record<'WEB_DIR' | 'REPORT_ORIGIN' | 'PUBLIC_URL' | 'REGION_PLACE', string | undefined>>;

/**
 * Returns the web page and its files from the folder that `infra/bundle/web.ts` fills. Browsers load large reports from the
 * bucket, if they can reach it.
 */
export const readWeb = async (settings: WebSettings = {}): Promise<Site> => {
  const { WEB_DIR: folder = beside, REPORT_ORIGIN: reportOrigin, PUBLIC_URL, REGION_PLACE = '' } = settings;
  const base = basePathOf(PUBLIC_URL);
  const place = REGION_PLACE.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const names = (await readdir(folder)).sort();
  const all = new Map<string, Buffer>();
  for (const name of names) all.set(name, await readFile(join(folder, name))); // in turn, because a process may have few free file descriptors
  const isPage = (name: string) => extname(name) === PAGE;
  const views = new Map(names.filter(isPage).map((name) => [basename(name, PAGE), `${all.get(name)}`]));
  const files = new Map(
    [...all]
      .filter(([name]) => !isPage(name))
      .map(([name, content]): [string, StaticFile] => {
        const file = { type: types[extname(name)] as string, content };
        return [name, file.type === markup ? { ...file, policy: framePolicy(reportOrigin) } : file];
      }),
  );
  return siteOf(
    files,
    (version) => {
      const texts: Record<string, string> = { BASE: base, PLACE: place, VERSION: version };
      return new Map(
        [...views].map(([view, page]) => [
          view,
          page.replaceAll(/BASE|PLACE|VERSION/g, (name) => texts[name] as string),
        ]),
      );
    },
    webPolicy(`${views.values().next().value}`, reportOrigin),
  );
};

/** Returns the policy of the empty page that shows a report. A large report loads its data from the bucket. */
const framePolicy = (reportOrigin: string | undefined): string =>
  reportOrigin ? `${viewerPolicy}; connect-src ${reportOrigin}` : viewerPolicy;

/**
 * Returns the content security policy of the page. The page has no inline script, one inline style, and connects to this host
 * only. If browsers can reach the bucket of reports, it downloads large reports from there.
 */
const webPolicy = (page: string, reportOrigin?: string): string => {
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "img-src 'self' data: blob:",
    `connect-src ${["'self'", reportOrigin].filter(Boolean).join(' ')}`,
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
};

type PageRequest = Pick<Request, 'path' | 'params' | 'rawQuery'>;

/** Returns the view of an address, whose modules the page preloads. */
export const viewOf = ({ path, params, rawQuery }: PageRequest): string => {
  if (params.pair) return 'comparison';
  if (params.runId) return 'run';
  if (params.checkId) return 'check';
  if (path.endsWith('/schedules')) return 'schedules';
  if (path.endsWith('/webhooks')) return 'webhooks';
  if (!path.endsWith('/pages')) return 'home';
  return new URLSearchParams(rawQuery).has('url') ? 'trend' : 'pages';
};
