import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readWeb } from '../../functions/lib/http/web-files.ts';
import { fetchDocumented } from '../support/documented.ts';
import { type Gateway, startFunctions } from '../support/gateway.ts';
import { problemOf } from '../support/problem.ts';
import { webDir } from '../support/web-dir.ts';

let api: Gateway;
beforeAll(async () => {
  process.env.REGIONS = 'us-west1';
  process.env.WEB_DIR = await webDir();
  api = await startFunctions();
});
afterAll(() => api.close());

const get = (path: string, headers: Record<string, string> = {}) => fetchDocumented(`${api.url}${path}`, { headers });
const asBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const id = '71cce6bf-0000-4000-8000-000000000000';
/** An address of each view. */
const views = {
  home: '/',
  check: `/checks/${id}`,
  run: `/checks/${id}/runs/${id}`,
  comparison: `/comparisons/${id}...${id}`,
  trend: '/pages?url=x',
  pages: '/pages',
  schedules: '/schedules',
  webhooks: '/webhooks',
};
const urlsIn = (page: string) => [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, url = '']) => url);

test('every address of the page answers with the page and its own modules, which the browser asks for each time', async () => {
  const withoutModules = (page: string) => page.replaceAll(/<link rel="modulepreload"[^>]+>/g, '');
  const home = withoutModules(await (await get('/')).text());
  const tags = new Set<string | null>();
  for (const [view, path] of Object.entries(views)) {
    const answer = await get(path);
    const page = await answer.text();
    expect([path, answer.status, withoutModules(page)]).toEqual([path, 200, home]);
    const preloaded = Object.keys(views).filter((each) =>
      new RegExp(`modulepreload[^>]+/${each}-\\w+\\.js"`).test(page),
    );
    expect(preloaded).toEqual([view]);
    tags.add(answer.headers.get('etag'));
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect((await get(path, { 'if-none-match': answer.headers.get('etag') ?? '' })).status).toBe(304);
  }
  expect(tags.size).toBe(Object.keys(views).length);
});

test('the page loads files of its own host only, and its policy allows one inline style, and no script', async () => {
  const answer = await get('/');
  const page = await answer.text();
  const [[all, style = ''] = [''], ...others] = page.matchAll(/<style>(.*?)<\/style>/gs);
  expect([style.length > 10_000, others]).toEqual([true, []]);
  const hash = createHash('sha256').update(style).digest('base64');
  expect(answer.headers.get('content-security-policy')).toBe(
    `default-src 'none'; script-src 'self'; style-src 'self' 'sha256-${hash}'; img-src 'self' data: blob:; connect-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'`,
  );
  expect(page.replace(all, '')).not.toMatch(/https?:|<script>|<style|style=| on\w+=/);
  for (const url of urlsIn(page)) {
    const file = await get(url);
    expect([url, file.status, file.headers.get('cache-control')]).toEqual([
      url,
      200,
      'public, max-age=31536000, immutable',
    ]);
    expect((await get(url, { 'if-none-match': file.headers.get('etag') ?? '' })).status).toBe(304);
  }
});

test('the frame of a report has the policy of a report: an origin of its own, and no requests', async () => {
  const [url = ''] = urlsIn(await (await get('/')).text());
  const frame = await get(url.replace(/[\w.]+$/, 'report-frame.html'));
  expect([frame.status, frame.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(frame.headers.get('content-security-policy')).toBe(
    "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  );
  expect(frame.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

test('the frame of a report loads from the bucket, if browsers can reach it', async () => {
  const { files } = await readWeb({ WEB_DIR: await webDir(), REPORT_ORIGIN: 'https://bucket.example' });
  expect(files.get('report-frame.html')?.policy).toMatch(/; connect-src https:\/\/bucket.example$/);
});

test('each module of the page imports only modules that exist, by their names beside it', async () => {
  const { files } = await readWeb({ WEB_DIR: await webDir() });
  const imports = [...files].flatMap(([name, { content }]) =>
    [...content.toString().matchAll(/(?:(?<!["'])\bfrom ?|\bimport\()["']([^"'\n]+)["']/g)].map(([, url = '']) => [
      name,
      url,
    ]),
  );
  expect(imports.length).toBeGreaterThan(20);
  expect(imports.filter(([, url = '']) => !url.startsWith('./') || !files.has(url.slice(2)))).toEqual([]);
});

test('the first load of each view is below 45 KB, compressed, in few files', async () => {
  for (const [view, path] of Object.entries(views)) {
    const page = await (await get(path)).text();
    const files = await Promise.all([...new Set(urlsIn(page))].map(async (url) => (await get(url)).arrayBuffer()));
    const bytes = [Buffer.from(page), ...files.map((file) => Buffer.from(file))].map((each) => gzipSync(each).length);
    expect(page).toMatch(/modulepreload[^>]+\/app\.js"/);
    expect(page).toMatch(new RegExp(`modulepreload[^>]+/${view}-\\w+\\.js"`));
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(45_000);
    expect([view, files.length < 13]).toEqual([view, true]); // each file has headers, and compresses alone
  }
});

test('a file is compressed for a browser that accepts gzip', async () => {
  const [url = ''] = urlsIn(await (await get('/')).text());
  const plain = await (await get(url, { 'accept-encoding': 'identity' })).text();
  const headers = { 'accept-encoding': 'gzip' };
  const { default: http } = await import('node:http');
  const body = await new Promise<Buffer>((resolve) => {
    http.get(`${api.url}${url}`, { headers }, async (answer) => {
      expect(answer.headers['content-encoding']).toBe('gzip');
      resolve(Buffer.concat(await answer.toArray()));
    });
  });
  expect(gunzipSync(body).toString()).toBe(plain);
});

test('the page is read by a process that may open few files', async () => {
  const module = import.meta.resolve('../../functions/lib/http/web-files.ts');
  const script = `const { readWeb } = await import('${module}'); console.log((await readWeb(process.env)).files.size)`;
  const limited = ['-c', 'ulimit -n 40; exec "$0" --input-type=module -e "$1"', process.execPath, script];
  const { stdout } = await promisify(execFile)('sh', limited);
  expect(Number(stdout)).toBeGreaterThan(30);
});

test('a file of another version is a 404', async () => {
  const [url = ''] = urlsIn(await (await get('/')).text());
  await problemOf(await get(url.replace(/assets\/\w+/, 'assets/0000')), 404, 'not-found');
  await problemOf(await get(url.replace(/[\w.]+$/, 'home.page')), 404, 'not-found');
});

test('an unknown path is the page in a browser, and a problem document for everyone else', async () => {
  const answer = await get('/nothing', { ...asBrowser, 'if-none-match': '*' });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(await answer.text()).toBe(await (await get('/')).text());
  await problemOf(await get('/nothing'), 404, 'not-found');
  await problemOf(await get('/v1/nothing', asBrowser), 404, 'not-found');
});
