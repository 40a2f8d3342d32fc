import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importApi, startGateway } from '../../infra/local/gateway.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let api: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  world = await startWorld();
  api = await startGateway({ port: 0, functions: await importApi() });
});
afterAll(async () => {
  await api.close();
  await world.stop();
});

const get = (path: string, headers: Record<string, string>, method = 'GET') =>
  fetch(`${api.url}${path}`, { redirect: 'manual', method, headers: { 'accept-encoding': 'gzip', ...headers } });
const asHtml = { accept: 'text/html' };
const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

test('a report is a page for whoever asks for HTML, in a sandbox and with its type taken at its word', async () => {
  const { path, run } = await world.finishedRun(JSON.stringify({ text: '</script><script>alert(1)</script>' }));
  for (const each of [path, `/v1/audit/runs/${run.id}/report`]) {
    const answer = await get(each, asHtml);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox allow-scripts [^;]*; default-src 'none'; /);
    expect(answer.headers.get('content-security-policy')).not.toContain('allow-same-origin');
    const page = await answer.text();
    expect(page).toContain('__LIGHTHOUSE_JSON__ = {"text":"\\u003c/script>\\u003cscript>alert(1)\\u003c/script>"}');
    expect(page).toContain('__initLighthouseReport__');
  }
});

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/json, text/html', 'application/json'],
  ['text/html;q=0.5, application/json', 'application/json'],
  ['image/png', 'application/json'],
  ['nonsense', 'application/json'],
  [browserAccept, 'text/html; charset=utf-8'],
  ['application/json;q=0.5, text/html', 'text/html; charset=utf-8'],
  ['text/*', 'text/html; charset=utf-8'],
])('who accepts %s gets %s', async (accept, type) => {
  const { path } = await world.finishedRun('{}');
  const answer = await get(path, accept ? { accept } : {});
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
});

test('each form of a report has its own tag, and says what it depends on', async () => {
  const { path } = await world.finishedRun('{}');
  const forms = [asHtml, { accept: 'application/json' }].flatMap((accept) =>
    ['gzip', 'identity'].map((encoding) => ({ ...accept, 'accept-encoding': encoding })),
  );
  const tags: string[] = [];
  for (const form of forms) {
    const answer = await get(path, form);
    expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect(answer.headers.get('content-encoding')).toBe(form['accept-encoding'] === 'gzip' ? 'gzip' : null);
    tags.push(answer.headers.get('etag') as string);
    const again = await get(path, { ...form, 'if-none-match': tags.at(-1) as string });
    expect(again.status).toBe(304);
    // A browser puts the headers of a 304 in the place of those that it kept.
    expect(again.headers.get('content-security-policy')).toBe(answer.headers.get('content-security-policy'));
  }
  expect(new Set(tags).size).toBe(4);
});

test('HEAD tells of a page what GET would', async () => {
  const { path } = await world.finishedRun('{}');
  const [head, answer] = [await get(path, asHtml, 'HEAD'), await get(path, asHtml)];
  for (const name of ['etag', 'content-type', 'content-security-policy', 'vary']) {
    expect(head.headers.get(name)).toBe(answer.headers.get(name));
  }
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('a page too large for an answer is the redirect to its JSON, and small enough once gzipped it is sent', async () => {
  const compressible = await world.finishedRun(JSON.stringify({ text: 'a'.repeat(5 * 2 ** 20) }));
  expect((await get(compressible.path, asHtml)).status).toBe(200);
  const plain = await get(compressible.path, { ...asHtml, 'accept-encoding': 'identity' });
  expect([plain.status, plain.headers.get('location')]).toEqual([303, expect.stringContaining('X-Amz-Expires=300')]);

  const json = JSON.stringify({ text: randomBytes(6 * 2 ** 20).toString('base64') });
  const tooLarge = await get((await world.finishedRun(json)).path, asHtml);
  expect(tooLarge.status).toBe(303);
  const stored = Buffer.from(await (await fetch(tooLarge.headers.get('location') as string)).arrayBuffer());
  expect((stored[0] === 0x1f ? gunzipSync(stored) : stored).toString()).toBe(json);
});

test('a report too large to make a page of is not tried', async () => {
  const json = JSON.stringify({ text: 'a'.repeat(33 * 2 ** 20) });
  const { path } = await world.finishedRun(json, { gzip: gzipSync('{"cut": "short"}') });
  expect((await get(path, asHtml)).status).toBe(303);
});
