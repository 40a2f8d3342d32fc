import type { Browser, CDPSession, Page, Protocol } from 'puppeteer-core';
import { type Cookie, isExpired, type StorageState } from '../../../shared/options/secrets.ts';
import { pick } from '../../../shared/pick.ts';
import type { AuditOrder, UnusedSecrets } from '../messages.ts';
import { databaseScript } from './indexed-db.ts';
import { sendHeaders } from './origin-headers.ts';

/**
 * Gives a new browser the secrets of its audit, before its page loads anything. Returns the names of those that it could not
 * use, or undefined if the audit has no secrets.
 */
export const useSecrets = async (
  browser: Browser,
  page: Page,
  { url, secrets }: Pick<AuditOrder, 'url' | 'secrets'>,
): Promise<UnusedSecrets | undefined> => {
  if (!secrets) return undefined;
  const unused = await storeSecrets(page, { url, secrets });
  await sendHeaders(await browser.target().createCDPSession(), url, secrets);
  return unused;
};

/** Stores the cookies and the storage of an audit. Returns the names of those that the browser could not use. */
export const storeSecrets = async (
  page: Page,
  { url, secrets = {} }: Pick<AuditOrder, 'url' | 'secrets'>,
): Promise<UnusedSecrets> => {
  const session = await page.createCDPSession();
  const refusedDatabases = await fillStorage(session, page, secrets.storageState?.origins ?? []);
  const cookies = [...(secrets.storageState?.cookies ?? []), ...(secrets.cookies ?? [])];
  const isOld = (cookie: Cookie) => isExpired(cookie, Date.now());
  const refusedCookies = await setCookies(
    session,
    url,
    cookies.filter((cookie) => !isOld(cookie)),
  );
  await session.detach();
  return { refusedCookies, expiredCookies: cookies.filter(isOld).map(({ name }) => name), refusedDatabases };
};

/**
 * Fills the storage of origins in the tab of the audit, because sessionStorage belongs to a tab. Reaches no server. Returns the
 * names of the databases that the browser refused.
 */
const fillStorage = async (session: CDPSession, page: Page, origins: StorageState['origins']): Promise<string[]> => {
  if (origins.length === 0) return [];
  const refused: string[] = [];
  await answerWithEmptyPages(session);
  for (const { origin, localStorage, sessionStorage = [], indexedDB = [] } of origins) {
    await page.goto(`${origin}/`);
    const { exceptionDetails } = await session.send('Runtime.evaluate', {
      expression: `${settersOf('localStorage', localStorage)} ${settersOf('sessionStorage', sessionStorage)}`,
    });
    if (exceptionDetails) throw new Error(`Could not fill the storage of ${origin}.`);
    if (indexedDB.length === 0) continue;
    const expression = databaseScript(indexedDB);
    const { result } = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    refused.push(...(result.value as string[]));
  }
  await page.goto('about:blank');
  await session.send('Fetch.disable');
  await session.send('Page.resetNavigationHistory');
  return refused;
};

/** Answers each request of a tab with an empty page, so that it reaches no server. */
export const answerWithEmptyPages = async (session: CDPSession): Promise<void> => {
  session.on('Fetch.requestPaused', ({ requestId }) => {
    session.send('Fetch.fulfillRequest', { requestId, ...EMPTY_PAGE }).catch(() => {}); // the page has moved on
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
};

const EMPTY_PAGE = {
  responseCode: 200,
  responseHeaders: [{ name: 'content-type', value: 'text/html' }],
  body: '',
};

const settersOf = (storage: string, entries: StorageState['origins'][number]['localStorage']): string =>
  `for (const { name, value } of ${JSON.stringify(entries)}) ${storage}.setItem(name, value);`;

const setCookies = async (session: CDPSession, url: string, cookies: readonly Cookie[]): Promise<string[]> => {
  const refused: string[] = [];
  for (const cookie of cookies) {
    const { success } = await session
      .send('Network.setCookie', cookieParameters(cookie, url))
      .catch(() => ({ success: false })); // the browser accepts no such cookie
    if (!success) refused.push(cookie.name);
  }
  return refused;
};

/** Returns a cookie for the browser. A domain without a dot in front is one host, which only an address can name. */
export const cookieParameters = (
  { domain, path = '/', secure = false, expires = -1, ...given }: Cookie,
  pageUrl: string,
): Protocol.Network.SetCookieRequest => {
  const cookie = pick(given, ['name', 'value', 'httpOnly', 'sameSite']); // a file of Playwright may have more fields
  const protocol = secure ? 'https:' : new URL(pageUrl).protocol;
  return {
    ...cookie,
    path,
    secure,
    ...(expires >= 0 && { expires }),
    ...(domain.startsWith('.') ? { domain } : { url: `${protocol}//${domain}${path}` }),
  };
};
