import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import katex from 'katex';
import { extraFolder } from '../support/extra-packages.ts';
import { busyFiles } from './busy-pages.ts';
import { changedFiles } from './changed-pages.ts';
import { root } from './children.ts';
import { resizingFiles } from './resizing-pages.ts';

/** A file that the site serves, uncompressed. */
export type File = { type: string; body: Buffer };

/*
 * The pages of the bench: files of npm packages, pages of our own around them, and pages of our own (site/). Each has a
 * folder, `/<name>/`, and requests only this origin. No page depends on the time or on chance.
 */
const ownPages = join(import.meta.dirname, 'site');
const packages = join(root, 'node_modules');
const extra = extraFolder('bench');

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Returns every file by its path. */
export const siteFiles = (): Map<string, File> => {
  const files = new Map<string, File>();
  const add = (path: string, body: Buffer | string) => {
    const type = types[extname(path)];
    if (!type) throw new Error(`The bench has no content type for ${path}. Add one to \`types\`.`);
    files.set(path.replace(/index\.html$/, ''), { type, body: Buffer.from(body) });
  };
  const addFolder = (to: string, from: string) => {
    for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !types[extname(entry.name)]) continue; // source maps and type files
      const file = join(entry.parentPath, entry.name);
      add(`${to}${file.slice(from.length)}`, readFileSync(file));
    }
  };
  const addOwn = (page: string, ...names: string[]) => {
    add(`/${page}/index.html`, fillIn(textOf(ownPages, `${page}.html`)));
    for (const name of ['plain.css', 'disc.svg', ...names]) add(`/${page}/${name}`, readFileSync(join(ownPages, name)));
  };

  add('/robots.txt', 'User-agent: *\nAllow: /\n');
  addOwn('small', 'small.js');
  addOwn('long');
  addOwn('shift', 'shift.js');

  const boilerplate = join(extra, 'html5-boilerplate/dist');
  addFolder('/static', boilerplate);
  for (const name of ['favicon.ico', 'icon.svg']) add(`/${name}`, readFileSync(join(boilerplate, name)));

  addFolder('/images', join(extra, 'startbootstrap-creative/dist'));
  add('/images/index.html', withoutRemoteFiles(textOf(extra, 'startbootstrap-creative/dist/index.html')));
  add('/images/js/bootstrap.bundle.min.js', textOf(extra, 'bootstrap/dist/js/bootstrap.bundle.min.js'));

  for (const page of ['fonts', 'script']) {
    addOwn(page);
    addFolder(`/${page}/fonts`, join(packages, 'katex/dist/fonts'));
    add(`/${page}/katex.min.css`, textOf(packages, 'katex/dist/katex.min.css'));
  }
  add('/script/katex.min.js', textOf(packages, 'katex/dist/katex.min.js'));
  add('/script/formulas.js', `const formulas = ${JSON.stringify(formulas(300))};`);
  add('/script/script.js', textOf(ownPages, 'script.js'));

  // Pinned below 5.18, because later releases have a dependency that reports installations.
  addFolder('/app', join(packages, 'swagger-ui-dist'));
  add('/app/swagger-initializer.js', textOf(ownPages, 'swagger-initializer.js'));
  add('/app/openapi.json', JSON.stringify(sampleApi()));

  addOwn('requests', 'requests.js');
  addFolder('/requests/zod/v4', join(packages, 'zod/v4'));
  for (const [path, text] of busyFiles()) add(path, text);
  for (const [path, body] of [...changedFiles(), ...resizingFiles()]) add(path, body);
  return files;
};

const textOf = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8');

/** Fills the placeholders of our own HTML. */
const fillIn = (html: string): string =>
  html
    .replace(/<!--sections:(\d+)-->/, (_, count) => sections(Number(count)))
    .replace('<!--formulas-->', () =>
      formulas(60)
        .map((formula) => `<p>${katex.renderToString(formula, { displayMode: true })}</p>`)
        .join('\n'),
    );

/** Removes the files of other origins from the page. Bootstrap's script comes from its package instead. */
const withoutRemoteFiles = (html: string): string =>
  html
    .replace(/https:\/\/[^"]*(?=bootstrap\.bundle\.min\.js)/, 'js/')
    .replace(/<link href="https:[^>]*>|<script src="https:[^>]*><\/script>/g, '');

const sections = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) =>
      `<h2>Part ${i + 1}</h2><p>${'The same few words again, so that there is something to lay out. '.repeat(6)}</p>`,
  ).join('\n');

/** Returns formulas of several kinds in turn. They use most of KaTeX's fonts. */
const formulas = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => formulaTemplates[i % formulaTemplates.length]?.(i) ?? '');
const formulaTemplates = [
  (i: number) => `\\int_0^{${i}} \\frac{x^{${i % 9}}}{1 + \\sqrt{x}}\\,dx = \\sum_{k=1}^{\\infty} \\frac{1}{k^{${i}}}`,
  (i: number) => `\\mathcal{L}\\{f\\}(s) = \\int_0^\\infty e^{-${i}st} f(t)\\,dt, \\quad \\mathbf{s} \\in \\mathbb{C}`,
  (i: number) =>
    `\\begin{pmatrix} a_{${i}} & \\mathfrak{b} \\\\ \\mathsf{c} & \\mathtt{d} \\end{pmatrix}^{-1} \\neq \\boldsymbol{\\alpha}`,
  (i: number) =>
    `\\left\\lbrace \\frac{\\partial^2 u}{\\partial t^2} = c^2 \\nabla^2 u \\;\\middle|\\; \\mathscr{H}_{${i}} \\right\\rbrace`,
  (i: number) =>
    `\\overbrace{x + \\cdots + x}^{${i}\\text{ times}} \\lesssim \\underbrace{\\textit{some} + \\textbf{more}}_{\\ge 0}`,
];

/** Returns an OpenAPI document of eight resources with four operations each. */
const sampleApi = () => {
  const resources = ['orders', 'customers', 'invoices', 'parcels', 'products', 'prices', 'shops', 'users'];
  const operation = (tag: string, summary: string, more: object = {}) => ({
    tags: [tag],
    summary,
    responses: {
      200: {
        description: 'Done',
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${tag}` } } },
      },
      404: { description: 'There is no such thing' },
    },
    ...more,
  });
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };
  const schema = {
    type: 'object',
    properties: { id: { type: 'string' }, name: { type: 'string' }, count: { type: 'integer' } },
  };
  return {
    openapi: '3.0.3',
    info: { title: 'A shop', version: '1.0.0', description: 'An API to look at; it is not there.' },
    paths: Object.fromEntries(
      resources.flatMap((name) => [
        [`/${name}`, { get: operation(name, `List ${name}`), post: operation(name, `Add one to ${name}`) }],
        [
          `/${name}/{id}`,
          {
            get: operation(name, `Read one of ${name}`, { parameters: [id] }),
            delete: operation(name, `Delete one of ${name}`, { parameters: [id] }),
          },
        ],
      ]),
    ),
    components: { schemas: Object.fromEntries(resources.map((name) => [name, schema])) },
  };
};
