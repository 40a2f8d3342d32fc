import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Secrets } from '../../shared/options/secrets.ts';

export type Tries = { target: string; names?: string[] }[];
/** A request that the site received. `origin` is where it was sent. */
export type Received = { origin: string; path: string; headers: IncomingMessage['headers']; upgrade: boolean };

const pem = readFileSync(new URL('test-certificate.pem', import.meta.url));
const exits = (name: string) => readFileSync(new URL(`../pages/exits/${name}`, import.meta.url));
const files = new Map(['exits.js', 'service-worker.js', 'shared-worker.js'].map((name) => [`/${name}`, exits(name)]));

/** The secrets with which the site shows its page. */
export const secretsFor = (origin: string) =>
  ({
    headers: { 'X-Preview-Token': 'preview "token" of 4711&more' },
    basicAuth: { username: 'visitor-of-staging', password: 'pass/word+0815' },
    cookies: [{ name: 'session', value: 'cookie-value-1234567890', domain: new URL(origin).hostname, httpOnly: true }],
    storageState: {
      cookies: [],
      origins: [
        {
          origin,
          localStorage: [{ name: 'login', value: '{"accessToken":"local.token.of-22-characters"}' }],
          sessionStorage: [{ name: 'tab', value: 'session-storage-value' }],
          indexedDB: [
            {
              name: 'logins',
              version: 3,
              stores: [
                {
                  name: 'users',
                  autoIncrement: false,
                  keyPath: 'id',
                  indexes: [],
                  records: [{ value: { id: 'me', token: 'database.token.of-24-char' } }],
                },
              ],
            },
          ],
        },
      ],
    },
  }) satisfies Secrets;

export type LoginSite = Awaited<ReturnType<typeof serveLogin>>;

/** Returns the secret values of the page. */
export const valuesOf = ({ headers, basicAuth, cookies }: ReturnType<typeof secretsFor>): string[] => [
  ...Object.values(headers),
  ...Object.values(basicAuth),
  `${basicAuth.username}:${basicAuth.password}`,
  ...cookies.map(({ value }) => value),
  'local.token.of-22-characters',
  'session-storage-value',
  'database.token.of-24-char',
];

/**
 * Serves a page behind a login on one origin, and third parties on another host, on another port of its host, and over TLS.
 * Records each request. The page tries the given ways to send requests, and shows its secrets in many places.
 */
export const serveLogin = async () => {
  const received: Received[] = [];
  const firstPage = Promise.withResolvers<void>();
  let tries: Tries = [];
  let quietSince = performance.now();
  let isDone = false;

  const answer = (origin: string) => (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    const send = (type: string, body: string | Buffer, status = 200, headers = {}) =>
      response.writeHead(status, { 'content-type': type, 'access-control-allow-origin': '*', ...headers }).end(body);
    const redirect = (to: string, status = 302) => send('text/plain', '', status, { location: to });
    const at = hostOf(request, origin);
    received.push({ origin: at, path: request.url ?? '', headers: request.headers, upgrade: false });
    quietSince = performance.now();
    request.on('data', (body) => {
      isDone ||= pathname === '/report' && String(body) === 'done';
    });

    const [, go, to = '', rest = ''] = /^\/(go)\/([^/]+)(.*)$/.exec(pathname) ?? [];
    const file = files.get(pathname);
    if (go) return redirect(decodeURIComponent(to) + rest);
    if (pathname === '/redirect') return redirect(searchParams.get('to') ?? '/', Number(searchParams.get('status')));
    if (file) return send('text/javascript', file);
    if (pathname === '/tries.json') return send('application/json', JSON.stringify({ tries, loads: [] }));
    if (pathname === '/own-ports') return send('application/json', '[]');
    if (pathname === '/start') return redirect(`${site.sso}/back`);
    if (pathname === '/back') return redirect(`${site.origin}/page`);
    if (pathname === '/login') return send('text/html', LOGIN);
    if (pathname === '/expired') return redirect('/login?next=/expired');
    if (pathname === '/page') firstPage.resolve();
    if (pathname === '/page' && !isAllowed(request.headers)) return refuse(response);
    if (pathname === '/page') return send('text/html', pageOf(request.headers));
    if (pathname === '/framed')
      return send('text/html', '<p>Framed</p><img src="/blocked.png" alt="">', 200, framedHeaders(searchParams));
    return send(/script|module|worklet|import/.test(pathname) ? 'text/javascript' : 'text/html', '');
  };

  const plain = [createServer(), createServer()] as const;
  const tls = createTlsServer({ key: pem, cert: pem });
  const servers = [...plain, tls];
  const ports: number[] = [];
  for (const server of servers) {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    ports.push(port);
    const origin = `${server === tls ? 'https' : 'http'}://127.0.0.1:${port}`;
    server.on('request', answer(origin)).on('upgrade', (request, socket) => {
      received.push({
        origin: hostOf(request, origin),
        path: request.url ?? '',
        headers: request.headers,
        upgrade: true,
      });
      socket.destroy();
    });
  }
  const site = {
    origin: `http://app.localhost:${ports[0]}`,
    otherPort: `http://app.localhost:${ports[1]}`,
    cdn: `http://cdn.localhost:${ports[1]}`,
    sso: `http://sso.localhost:${ports[1]}`,
    secure: `https://app.localhost:${ports[2]}`,
    received,
    /** Resolves when a browser requests the page. */
    firstPage: firstPage.promise,
    /** Sets which ways the page tries. */
    tries: (given: Tries): void => {
      tries = given;
    },
    /** Waits until the page has tried all ways, and no request has come for two seconds. */
    settled: async (): Promise<void> => {
      while (!isDone || performance.now() - quietSince < 2000) await sleep(100);
    },
    /** Returns an address prefix that redirects to the other origin. */
    via: (from: string, to: string): string => `${from}/go/${encodeURIComponent(to)}`,
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
  return site;
};

const hostOf = ({ headers }: IncomingMessage, origin: string): string =>
  `${new URL(origin).protocol}//${headers.host ?? new URL(origin).host}`;

const isAllowed = (headers: IncomingMessage['headers']): boolean =>
  headers['x-preview-token'] !== undefined &&
  headers.authorization === `Basic ${btoa('visitor-of-staging:pass/word+0815')}`;

const refuse = (response: ServerResponse) =>
  response
    .writeHead(401, { 'content-type': 'text/html', 'www-authenticate': 'Basic realm="staging"' })
    .end('<p>No</p>');

const framedHeaders = (parameters: URLSearchParams): Record<string, string> => ({
  ...(parameters.has('csp') && { 'content-security-policy': `img-src 'none'; report-uri ${parameters.get('csp')}` }),
  ...(parameters.has('link') && { link: `<${parameters.get('link')}>; rel=preload; as=image` }),
  ...(parameters.has('refresh') && { refresh: `0; url=${parameters.get('refresh')}` }),
});

const LOGIN = `<!doctype html><html lang="en"><head><title>Log in</title>
<meta name="viewport" content="width=device-width"></head><body><h1>Log in</h1>
<form><label>Password <input type="password"></label></form></body></html>`;

/** A careless page: it shows what it received in its texts, attributes, addresses, messages and titles. */
const pageOf = (headers: IncomingMessage['headers']): string => {
  const shown = JSON.stringify([headers['x-preview-token'], headers.authorization, headers.cookie]);
  const escaped = shown.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page of the staff</title>
<meta name="viewport" content="width=device-width"></head><body>
<h1>Page of the staff</h1>
<p id="shown" data-all="${escaped}" style="color: #aaa">${escaped}</p>
<img alt="" src="/echo.png?all=${encodeURIComponent(shown)}">
<a href="/plain?all=${encodeURIComponent(shown)}"></a>
<script>
const shown = ${shown};
const state = { local: localStorage.login, session: sessionStorage.tab };
console.error(...shown, JSON.stringify(state), btoa('and ' + shown[0]));
const opening = indexedDB.open('logins');
opening.onsuccess = () => {
  opening.result.transaction('users').objectStore('users').get('me').onsuccess = ({ target }) =>
    fetch('/state?' + new URLSearchParams({ ...state, database: target.result.token }));
};
fetch('/missing?token=' + btoa(shown[0]));
document.getElementById('shown').append(' ' + btoa(shown[0]) + ' ' + state.local + state.session);
</script>
<script src="/exits.js"></script></body></html>`;
};
