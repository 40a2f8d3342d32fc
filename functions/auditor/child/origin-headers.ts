import type { CDPSession, Protocol } from 'puppeteer-core';
import type { Secrets } from '../../../shared/options/secrets.ts';

/** Headers that the browser adds again by itself. As part of `headers`, they would survive a redirect to another origin. */
const BY_BROWSER: readonly string[] = ['cookie', 'referer'];

/**
 * Sends the headers with each request to the origin of `url` and with no other request. The session is that of the browser,
 * so the requests of all frames and workers pass here. Without headers, no request is intercepted.
 */
export const sendHeaders = async (session: CDPSession, url: string, secrets: Secrets): Promise<void> => {
  const headers = headersOf(secrets);
  if (headers.length === 0) return;
  const { origin } = new URL(url);
  session.on('Fetch.requestPaused', (paused) => {
    session.send('Fetch.continueRequest', continuationOf(paused, origin, headers)).catch(() => {}); // the page has gone
  });
  // Other origins too: a redirect would carry the headers there.
  await session.send('Fetch.enable', { patterns: [{ urlPattern: 'http*', requestStage: 'Request' }] });
};

/** Returns the headers of the secrets, with names in lower case. */
export const headersOf = ({ headers = {}, basicAuth }: Secrets): Protocol.Fetch.HeaderEntry[] => {
  const named = Object.entries(headers).map(([name, value]) => ({ name: name.toLowerCase(), value }));
  if (!basicAuth || named.some(({ name }) => name === 'authorization')) return named;
  const credentials = Buffer.from(`${basicAuth.username}:${basicAuth.password}`).toString('base64');
  return [...named, { name: 'authorization', value: `Basic ${credentials}` }];
};

type Paused = Pick<Protocol.Fetch.RequestPausedEvent, 'requestId' | 'redirectedRequestId'> & {
  request: Pick<Protocol.Network.Request, 'url' | 'headers'>;
};

/**
 * Returns how the browser continues a request. The browser changes the headers of a redirected request only if it also gets
 * an address, so the address stays the same.
 */
export const continuationOf = (
  { requestId, redirectedRequestId, request }: Paused,
  origin: string,
  headers: readonly Protocol.Fetch.HeaderEntry[],
): Protocol.Fetch.ContinueRequestRequest => {
  const sent = new Map(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const isRedirected = redirectedRequestId !== undefined;
  const isOwn = new URL(request.url).origin === origin;
  if (!isOwn && !isRedirected) return { requestId };
  const next = isOwn ? withHeaders(sent, headers) : new Map(sent);
  if (!isOwn) for (const { name } of headers) next.delete(name);
  const isChanged = headers.some(({ name }) => next.get(name) !== sent.get(name));
  if (!isChanged) return { requestId };
  for (const name of BY_BROWSER) next.delete(name);
  return {
    requestId,
    headers: [...next].map(([name, value]) => ({ name, value })),
    ...(isRedirected && { url: request.url }),
  };
};

/** Adds the headers. The page may have credentials of its own for a request. */
const withHeaders = (sent: ReadonlyMap<string, string>, headers: readonly Protocol.Fetch.HeaderEntry[]) => {
  const added = headers.filter(({ name }) => !(name === 'authorization' && sent.has(name)));
  return new Map([...sent, ...added.map(({ name, value }) => [name, value] as const)]);
};
