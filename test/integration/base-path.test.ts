import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startFunctions } from '../support/gateway.ts';
import { startStrippingProxy } from '../support/stripping-proxy.ts';
import { webDir } from '../support/web-dir.ts';
import { startWorld, type World } from '../support/world.ts';

const PUBLIC_URL = 'https://tools.example.com/audit';
let world: World;
let api: Gateway;
let proxy: Awaited<ReturnType<typeof startStrippingProxy>>;
beforeAll(async () => {
  world = await startWorld({ PUBLIC_URL: `${PUBLIC_URL}/`, REGIONS: 'us-west1', WEB_DIR: await webDir() });
  api = await startFunctions();
  proxy = await startStrippingProxy(api.url, '/audit');
});
afterAll(async () => {
  await proxy.close();
  await api.close();
  await world.stop();
});

/** Requests an address as a browser of the public host does: relative to a page of the service. */
const get = (address: string, from = '/audit/', init: RequestInit = {}) => {
  const { pathname, search } = new URL(address, `https://tools.example.com${from}`);
  return fetch(proxy.origin + pathname + search, { redirect: 'manual', ...init });
};

test('the links of a check lie under the path of the service, and lead to it', async () => {
  const { check, run } = await world.finishedRun('{"a": 1}');
  const found = await (await get(`/audit/v1/checks/${check.id}`)).json();
  expect(found.links).toEqual({
    self: `/audit/v1/checks/${check.id}`,
    comparison: `/audit/v1/checks/${check.id}/comparison`,
    page: `/audit/checks/${check.id}`,
  });
  for (const link of [found.links.self, found.links.page]) expect((await get(link)).status).toBe(200);
  const { links } = found.runs.find(({ id }: { id: string }) => id === run.id);
  expect(links.report).toBe(`/audit/v1/checks/${check.id}/runs/${run.id}/report`);
  expect(await (await get(links.report)).json()).toEqual({ a: 1 });
  expect((await (await get('/audit/v1/checks')).json()).checks[0].links.self).toBe(found.links.self);
});

test('the headers of answers lie under the path of the service', async () => {
  const bodies = ['https://example.com/1', 'https://example.com/2'].map((url) =>
    JSON.stringify({ url, auditVersion: 'latest', regions: ['us-west1'], labels: { links: '/v1/a' } }),
  );
  const headers = { 'content-type': 'application/json' };
  const created = await Promise.all(
    bodies.map((body) => get('/audit/v1/checks', '/', { method: 'POST', headers, body })),
  );
  const location = created[0]?.headers.get('location') ?? '';
  expect(location).toMatch(/^\/audit\/v1\/checks\/[0-9a-f-]{36}$/);
  expect((await (await get(location)).json()).labels).toEqual({ links: '/v1/a' });
  const [, next = ''] =
    /^<(.+)>; rel="next"$/.exec((await get('/audit/v1/checks?limit=1')).headers.get('link') ?? '') ?? [];
  expect(next).toMatch(/^\/audit\/v1\/checks\?/);
  expect((await get(next)).status).toBe(200);
  const redirect = await get(location, '/', { headers: { prefer: 'wait=1' } });
  expect(redirect.status).toBe(307);
  expect((await get(redirect.headers.get('location') ?? '', location)).status).toBe(200);
});

test('a share link and the OpenAPI document begin with the public URL', async () => {
  const { check } = await world.finishedRun('{}');
  const link = await (await get(`/audit/v1/checks/${check.id}/links`, '/', { method: 'POST' })).json();
  expect(link.url).toContain(`${PUBLIC_URL}/checks/${check.id}#share=`);
  expect((await (await get('/audit/v1/openapi.json')).json()).servers).toEqual([{ url: PUBLIC_URL }]);
});

test.each(['/audit/', '/audit/checks/b0a1ab5f-6d3e-4b45-a5c4-9b8a5d8f3d11', '/audit/docs', '/audit/none'])(
  'all files and links of the page %s are found under the path',
  async (path) => {
    const page = await (await get(path, '/', { headers: { accept: 'text/html' } })).text();
    const addresses = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses.length).toBeGreaterThan(4);
    for (const address of addresses) expect([address, (await get(address, path)).status]).toEqual([address, 200]);
    expect(page).not.toContain('BASE');
    expect(proxy.outside).toEqual([]);
  },
);
