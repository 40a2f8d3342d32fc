import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { auditors } from '../../../functions/auditor/parent/auditors.ts';
import type { Interaction } from '../../../shared/interactions/interactions.ts';
import type { Secrets } from '../../../shared/options/secrets.ts';
import { auditorDir } from '../../support/auditor-dir.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { secretsFor, serveLogin } from '../../support/login-site.ts';
import { anOrder } from '../../support/order.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const button = (id: string, more = '') => `<button id="${id}" ${more}>${id}</button>`;
const banner = (id: string, stored: string, store: string) =>
  `<script>{ if (!(${stored})) document.write('${button(id)}'); ${store} }</script>`;
/** Each load accepts all banners, so that only a fresh load finds them. */
const banners = `${banner('local', 'localStorage.ok', 'localStorage.ok = 1')}
  ${banner('session', 'sessionStorage.ok', 'sessionStorage.ok = 1')}
  ${banner('cookie', "document.cookie.includes('ok')", "document.cookie = 'ok=1; max-age=9999'")}`;
const pages: Record<string, string> = {
  '/banners': `${banners}<iframe src="http://other.localhost:PORT/framed"></iframe>`,
  '/framed': banner('framed', 'localStorage.ok', 'localStorage.ok = 1'),
  '/tabs': `${button('popup', `onclick="window.open('/framed?popup')"`)}<a id="tab" target="_blank" href="/framed?tab">Tab</a>
    ${button('back', 'onclick="history.back()"')}`,
  '/hostile': `${banners}<script>navigator.serviceWorker.register('/worker.js');
    const keep = (at) => { const opening = indexedDB.open('kept'); opening.onsuccess = () => { globalThis['db' + at] = opening.result; }; };
    for (let i = 0; i < 9; i++) keep(i);
    addEventListener('pagehide', () => { localStorage.ok = 1; document.cookie = 'ok=1; max-age=9999'; });
    for (let i = 0; i < 150; i++) document.body.append(Object.assign(document.createElement('iframe'),
      { src: 'http://f' + i + '.localhost:' + location.port + '/framed' }));</script>`,
  '/endless': `${button('works')}<img src="/never.png" alt=""><iframe src="/never.html"></iframe><script async src="/never.js"></script>`,
  '/rotating': `<script>fetch('/token?value=' + localStorage.token).then((answer) => answer.text()).then((token) => {
    localStorage.token = token;
    document.body.innerHTML = token === 'refused' ? 'Refused' : '<button id="inside">Inside</button>';
  });</script>`,
  '/database': `<p>The page</p><script>indexedDB.open('logins').onsuccess = ({ target: { result: database } }) => {
    const users = (mode) => database.transaction('users', mode).objectStore('users');
    users().getAll().onsuccess = async ({ target: { result } }) => {
      const token = await (await fetch('/token?of=database&value=' + result.find(({ id }) => id === 'me').token)).text();
      const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, false, ['encrypt']);
      const isAgain = result.some(({ id, key }) => id === 'me' && key instanceof CryptoKey);
      users('readwrite').put({ id: 'me', token, key });
      users('readwrite').put({ id: 'banner' });
      await (await caches.open('banners')).put('/cached', new Response(''));
      if (!isAgain || token === 'refused') return;
      if (!result.some(({ id }) => id === 'banner')) document.body.innerHTML += '${button('stored')}';
      if (!wasCached) document.body.innerHTML += '${button('cached')}';
    };
  }; let wasCached; caches.has('banners').then((is) => { wasCached = is; });</script>`,
  '/single': `<script>fetch('/token?of=single&value=' + localStorage.token).then((answer) => answer.text()).then((answer) => {
    document.body.innerHTML = answer === 'refused' ? '<input type="password">' : '<button id="inside">Inside</button>';
  });</script>`,
  '/inside': button('inside'),
  '/login': '<input type="password">',
};
/** Tokens that the site accepts. It replaces one at its use. */
const valid = {
  cookie: 'first-cookie',
  stored: 'first-stored',
  database: 'first-database',
  single: 'a-token',
  once: 'only-once',
};
const replace = (name: keyof typeof valid) => {
  valid[name] = randomUUID();
  return valid[name];
};
const type = (path: string) => (path.endsWith('.png') ? 'image/png' : 'text/html');
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  const sent = request.headers.cookie ?? '';
  const lead = (location: string, cookie?: string) =>
    void response.writeHead(302, { location, ...(cookie && { 'set-cookie': cookie }) }).end();
  if (pathname.startsWith('/never'))
    return void response.writeHead(200, { 'content-type': type(pathname) }).write('<p>');
  if (pathname === '/rotating' && sent !== `session=${valid.cookie}`) return lead('/login');
  if (pathname === '/rotating') response.setHeader('set-cookie', `session=${replace('cookie')}; HttpOnly`);
  if (pathname === '/token') {
    const name = (searchParams.get('of') ?? 'stored') as keyof typeof valid;
    return void response.end(searchParams.get('value') === valid[name] ? replace(name) : 'refused');
  }
  if (pathname === '/once')
    return searchParams.get('token') === valid.once ? lead('/inside', `visitor=${replace('once')}`) : lead('/login');
  if (pathname === '/inside' && !sent.includes('visitor=')) return lead('/login');
  if (pathname === '/worker.js')
    return void response
      .writeHead(200, { 'content-type': 'text/javascript' })
      .end("oninstall = () => skipWaiting(); onfetch = (event) => event.respondWith(new Response('The worker.'));");
  const body = pages[pathname]?.replace('PORT', String((server.address() as AddressInfo).port));
  response.writeHead(body ? 200 : 404, { 'content-type': 'text/html' });
  response.end(`<!doctype html><title>Page</title><meta name="viewport" content="width=device-width"><body>${body}`);
});
let pool: ReturnType<typeof auditors>;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const targets = { targets: 'local', ports: [] } as const;
  pool = auditors({ targets, ...testChromium(), auditorDir: await auditorDir(), timedAtOnce: 2 });
});
afterAll(async () => {
  await pool.close();
  server.closeAllConnections();
  server.close();
});

/** Returns the results of interactions by their names. */
const audited = async (url: string, asked: Record<string, Interaction['steps']>, secrets?: Secrets) => {
  const interactions = Object.entries(asked).map(([name, steps]) => ({ name, steps }));
  const given = { url, auditVersion: '13.5.0', interactions, skipOptionalParts: true } as const;
  const order = { ...anOrder({ ...given, categories: ['seo'] }), ...(secrets && { secrets }) };
  const result = await pool.audit(order, new AbortController().signal);
  if (result.state !== 'succeeded') throw new Error(JSON.stringify(result));
  return Object.fromEntries((result.interactions ?? []).map((each) => [each.name, each]));
};
const at = (path: string) => `http://app.localhost:${(server.address() as AddressInfo).port}${path}`;

const clicks = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, [{ click: `#${id}` }]]));

test('interactions find the banners that the load has accepted, in a frame of another site too', async () => {
  const of = await audited(at('/banners'), clicks('local', 'session', 'cookie', 'framed'));
  for (const each of Object.values(of)) expect(each).toMatchObject({ inp: expect.any(Number), reason: null });
});

test('a page whose worker answers, whose databases stay open and that stores as it goes does not keep its banners', async () => {
  const of = await audited(at('/hostile'), clicks('local', 'session', 'cookie'));
  for (const each of Object.values(of)) expect(each).toMatchObject({ inp: expect.any(Number), reason: null });
});

test('the login of the load is that of the interactions', async () => {
  await using site = await serveLogin();
  const of = await audited(`${site.origin}/page`, { shown: [{ click: '#shown' }] }, secretsFor(site.origin));
  expect(of.shown).toMatchObject({ navigatedTo: null, reason: null });
  const own = site.received.filter(({ origin }) => origin === site.origin);
  const visits = own.filter(({ path }) => path === '/page');
  expect(visits.map(({ headers }) => headers.cookie)).toEqual(Array(2).fill('session=cookie-value-1234567890'));
  const states = own.flatMap(({ path }) => (path.startsWith('/state') ? [path] : []));
  expect(states).toHaveLength(2);
  expect(new Set(states).size).toBe(1);
  expect(own.filter(({ path }) => path === '/')).toEqual([]); // the storage is filled without the server
});

test('a new tab and a way back in the history are named', async () => {
  const { popup, tab, back, after } = await audited(at('/tabs'), {
    ...clicks('popup', 'tab', 'back'),
    after: [{ click: '#popup' }],
  });
  const opened = (path: string) => `The page opened a new tab, which the service closed: ${at(path)}`;
  expect(popup).toMatchObject({ navigatedTo: null, reason: opened('/framed?popup') });
  expect(tab).toMatchObject({ navigatedTo: null, reason: opened('/framed?tab') });
  const text = 'The page went back in its history to about:blank, as history.back() does.';
  expect(back).toMatchObject({ navigatedTo: 'about:blank', reason: text });
  expect(after?.reason).toBe('The page went to about:blank in the interaction back.');
});

test('interactions run on a page with a picture, a frame and a script that never end', async () => {
  const of = await audited(at('/endless'), { first: [{ click: '#works' }], second: [{ click: '#works' }] });
  for (const each of Object.values(of)) expect(each).toMatchObject({ inp: expect.any(Number), reason: null });
});

test('a login that the site replaces at each load is the new one in the second load', async () => {
  const { origin, hostname } = new URL(at('/'));
  const localStorage = [{ name: 'token', value: valid.stored }];
  const of = await audited(at('/rotating'), clicks('inside'), {
    cookies: [{ name: 'session', value: valid.cookie, domain: hostname }],
    storageState: { cookies: [], origins: [{ origin, localStorage }] },
  });
  expect(of.inside).toMatchObject({ inp: expect.any(Number), reason: null });
});

test('a record of a database that the page replaces at each load is the new one, and no other record or cache stays', async () => {
  const { origin } = new URL(at('/'));
  const records = [{ value: { id: 'me', token: valid.database } }];
  const stores = [{ name: 'users', autoIncrement: false, keyPath: 'id', indexes: [], records }];
  const indexedDB = [{ name: 'logins', version: 1, stores }];
  const of = await audited(at('/database'), clicks('stored', 'cached'), {
    storageState: { cookies: [], origins: [{ origin, localStorage: [], indexedDB }] },
  });
  for (const each of Object.values(of)) expect(each).toMatchObject({ inp: expect.any(Number), reason: null });
});

test('a login form in the place of the page is named, and not measured', async () => {
  const { origin } = new URL(at('/'));
  const localStorage = [{ name: 'token', value: valid.single }];
  const { inside } = await audited(at('/single'), clicks('inside'), {
    storageState: { cookies: [], origins: [{ origin, localStorage }] },
  });
  expect(inside?.inp).toBeNull();
  expect(inside?.reason).toBe(
    `The page did not load again: ${at('/single')} asks for a login, and the first load was not asked. A secret that works only once is used up. Send one that works twice.`,
  );
});

test('a login that works only once is named, and its login page is not measured', async () => {
  const { inside } = await audited(at(`/once?token=${valid.once}`), clicks('inside'));
  expect(inside).toMatchObject({ inp: null, navigatedTo: null });
  expect(inside?.reason).toBe(
    `The page did not load again: ${at('/login')} asks for a login, and the first load was not asked. A secret that works only once is used up. Send one that works twice.`,
  );
});
