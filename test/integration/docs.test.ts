import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchDocumented } from '../support/documented.ts';
import { type Gateway, startFunctions } from '../support/gateway.ts';
import { problemOf } from '../support/problem.ts';

let api: Gateway;
beforeAll(async () => {
  Object.assign(process.env, { REGIONS: 'us-west1', TABLE_NAME: 'none', HOME_REGION: 'us-west-2' });
  api = await startFunctions();
});
afterAll(() => api.close());

const get = (path: string, headers: Record<string, string> = {}) => fetchDocumented(`${api.url}${path}`, { headers });

test('the page of the API loads files of its own host only, and its policy allows no inline script', async () => {
  const answer = await get('/docs');
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'; ");
  const page = await answer.text();
  const urls = [...page.matchAll(/(?:href|src)="(docs\/[^"]+)"/g)].map(([, url]) => `/${url}`);
  expect(urls).toHaveLength(5);
  expect(page).toContain('href="./"');
  expect(page).not.toMatch(/https?:|<script>|<style| on\w+=/);
  for (const url of urls) {
    const file = await get(url, { 'accept-encoding': 'gzip' });
    expect([url, file.status, file.headers.get('cache-control')]).toEqual([
      url,
      200,
      'public, max-age=31536000, immutable',
    ]);
    expect([...Buffer.from(await file.arrayBuffer())].length).toBeGreaterThan(50);
    expect(
      (await get(url, { 'if-none-match': file.headers.get('etag') ?? '', 'accept-encoding': 'gzip' })).status,
    ).toBe(304);
  }
});

test('a file of another version or name is a 404', async () => {
  const [, file = ''] = /src="([^"]+)"/.exec(await (await get('/docs')).text()) ?? [];
  const url = `/${file}`;
  const [, , version] = url.split('/');
  for (const path of [
    url.replace(version as string, '0000'),
    `/docs/${version}/package.json`,
    `/docs/${version}/..%2fx`,
  ]) {
    await problemOf(await get(path), 404, 'not-found');
  }
});

test('an OpenAPI document that the client has is a 304', async () => {
  const answer = await get('/v1/openapi.json');
  expect(await answer.json()).toMatchObject({ openapi: '3.1.1' });
  expect((await get('/v1/openapi.json', { 'if-none-match': answer.headers.get('etag') ?? '' })).status).toBe(304);
});
