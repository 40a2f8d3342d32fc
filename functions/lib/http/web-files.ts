import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, parse } from 'node:path';
import { viewerPolicy } from './security-headers.ts';
import { css, markup, type Site, type StaticFile, script, siteOf } from './static-files.ts';

const types: Readonly<Record<string, string>> = { '.js': script, '.css': css, '.svg': 'image/svg+xml' };

/** Files of packages that the page loads, by their names in the browser. */
const libraries = {
  'preact.js': 'preact',
  'hooks.js': 'preact/hooks',
  'htm.js': 'htm',
  'uplot.js': 'uplot/dist/uPlot.iife.min.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
} as const;

/** Style sheets of the page. The browser loads them as one file, `page.css`. */
const styles = ['page.css', 'forms.css', 'results.css', 'run.css', 'print.css'];

/** Returns how to read the web page, and its policy. Browsers load large reports from the bucket, if they can reach it. */
export const webSite = (reportOrigin?: string) => ({
  read: () => readWeb(reportOrigin),
  policy: webPolicy(reportOrigin),
});

/** Returns the web page and its files: those of clients/web, and those of its libraries. */
export const readWeb = async (reportOrigin?: string): Promise<Site> => {
  const { resolve } = createRequire(import.meta.url);
  const folder = dirname(resolve('#web/index.html')); // package.json says where, and the build writes one for the function
  const own = (await readdir(folder, { recursive: true })).filter((path) => ['.js', '.svg'].includes(extname(path)));
  const paths = [
    ...own.sort().map((path): [string, string] => [parse(path).base, join(folder, path)]),
    ...Object.entries(libraries).map(([name, path]): [string, string] => [name, asEsModule(resolve(path))]),
  ];
  const sheets = await Promise.all(styles.map((name) => readFile(join(folder, name))));
  const files = new Map([
    fileOf('page.css', Buffer.concat(sheets)),
    ['report-frame.html', await reportFrame(folder, reportOrigin)],
    ...(await Promise.all(paths.map(async ([name, path]) => fileOf(name, await readFile(path))))),
  ]);
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  const modules = ['app.js', 'home.js', ...modulesOf(files, 'app.js'), ...modulesOf(files, 'home.js')];
  const preloads = [...new Set(modules)].map((name) => `<link rel="modulepreload" href="/assets/VERSION/${name}">`);
  const page = html.replace('<!-- modules -->', preloads.join(''));
  return siteOf(files, (version) => page.replaceAll('VERSION', version));
};

/** Returns the empty page that shows a report. A large report loads its data from the bucket. */
const reportFrame = async (folder: string, reportOrigin: string | undefined): Promise<StaticFile> => ({
  type: markup,
  content: await readFile(join(folder, 'report-frame.html')),
  policy: reportOrigin ? `${viewerPolicy}; connect-src ${reportOrigin}` : viewerPolicy,
});

/** Returns the modules that a module imports before it runs. The browser loads them at once, not one after the other. */
const modulesOf = (files: ReadonlyMap<string, StaticFile>, name: string, found = new Set<string>()): Set<string> => {
  const text = files.get(name)?.content.toString() ?? '';
  for (const [, imported = ''] of text.matchAll(/\bfrom ?["']\.\/([^"'\n]+)["']/g)) {
    if (!found.has(imported)) modulesOf(files, imported, found.add(imported));
  }
  return found;
};

/** Returns the ES module of a package that gives `require` a CommonJS file beside it. */
const asEsModule = (path: string): string => path.replace(/htm\.js$/, 'htm.mjs');

const fileOf = (name: string, content: Buffer): [string, StaticFile] => {
  const type = types[extname(name)] as string;
  return [name, { type, content: type === script ? Buffer.from(asModule(name, content.toString())) : content }];
};

/**
 * Returns a module as the browser loads it. All files are in one folder there, so each import becomes the name of a file.
 * A content security policy without inline scripts allows no import map.
 */
const asModule = (name: string, text: string): string => {
  if (name === 'uplot.js') return `${text}\nexport default uPlot;\n`; // the package's own module is not minified
  return text
    .replaceAll(/(\bfrom ?|\bimport\()(["'])([^"'\n]+)\2/g, (_, before, quote, specifier) => {
      return `${before}${quote}./${parse(specifier).name}.js${quote}`;
    })
    .replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
};

/**
 * Returns the content security policy of the page. The page has no inline script, and connects to this host only. If
 * browsers can reach the bucket of reports, it downloads large reports from there.
 */
const webPolicy = (reportOrigin?: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    `connect-src ${["'self'", reportOrigin].filter(Boolean).join(' ')}`,
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
