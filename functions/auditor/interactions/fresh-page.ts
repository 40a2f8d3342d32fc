import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'puppeteer-core';
import type { Secrets, StorageEntry } from '../../../shared/options/secrets.ts';
import { storeSecrets } from '../child/login.ts';
import { type Watched, watchMainFrame } from '../child/main-frame.ts';
import type { AuditOrder } from '../messages.ts';
import { holdDatabases } from './current-databases.ts';

export type FreshPage = { page: Page; session: CDPSession; watched: Watched };

/** Time for the old tab to close, in milliseconds. A page that hangs may keep it. */
const CLOSE_MS = 5000;

/**
 * Opens a tab as the load had it: with the secrets of the audit, and without anything else that the load stored, such as the
 * answer to a cookie banner. A secret that the load replaced is the new one. Closes the old tab before, because its page could store something again.
 */
export const openFreshPage = async (old: Page, order: Pick<AuditOrder, 'url' | 'secrets'>): Promise<FreshPage> => {
  const page = await old.browser().newPage(); // session storage belongs to a tab
  const session = await page.createCDPSession();
  const given = order.secrets;
  const current = given && withCurrentStorage(await old.createCDPSession(), given);
  const secrets = await Promise.race([current, sleep(CLOSE_MS, given)]);
  await Promise.race([old.close(), sleep(CLOSE_MS)]);
  const cookies = secrets && [...(secrets.cookies ?? []), ...(await currentCookies(session, secrets))];
  const restoreDatabases = await holdDatabases(page.browser(), given);
  // One command for all origins, so that it costs the same for a page with a thousand frames.
  await session.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' });
  await session.send('Network.clearBrowserCookies');
  await storeSecrets(page, { url: order.url, secrets: { ...secrets, cookies } });
  await restoreDatabases();
  return { page, session, watched: await watchMainFrame(session, () => {}) };
};

/** Returns the cookies of a login as they are now. A server may replace a cookie at each load, and refuse the earlier one. */
const currentCookies = async (session: CDPSession, { cookies = [], storageState }: Secrets) => {
  const names = new Set([...cookies, ...(storageState?.cookies ?? [])].map(({ name }) => name));
  const { cookies: current } = await session.send('Network.getAllCookies');
  return current.filter(({ name }) => names.has(name));
};

/** Returns a login with its entries of storage as they are now in the page. Other frames keep the given ones. */
const withCurrentStorage = async (session: CDPSession, secrets: Secrets): Promise<Secrets> => {
  const { storageState } = secrets;
  if (!storageState) return secrets;
  const origins = await Promise.all(
    storageState.origins.map(async ({ localStorage, sessionStorage = [], ...origin }) => {
      const read = (entries: readonly StorageEntry[], isLocalStorage: boolean) =>
        currentEntries(session, { securityOrigin: origin.origin, isLocalStorage }, entries);
      return {
        ...origin,
        localStorage: await read(localStorage, true),
        sessionStorage: await read(sessionStorage, false),
      };
    }),
  );
  return { ...secrets, storageState: { ...storageState, origins } };
};

const currentEntries = async (
  session: CDPSession,
  storageId: { securityOrigin: string; isLocalStorage: boolean },
  given: readonly StorageEntry[],
): Promise<StorageEntry[]> => {
  const { entries } = await session
    .send('DOMStorage.getDOMStorageItems', { storageId })
    .catch(() => ({ entries: [] as string[][] })); // the page has no frame of this origin
  const current = new Map(entries as [string, string][]);
  return given.map(({ name, value }) => ({ name, value: current.get(name) ?? value }));
};
