import type { CDPSession } from 'puppeteer-core';
import type { Secrets, StorageEntry } from '../../../shared/options/secrets.ts';

/** Returns the cookies of a login as they are now. A server may replace a cookie at each load, and refuse the earlier one. */
export const currentCookies = async (session: CDPSession, { cookies = [], storageState }: Secrets) => {
  const names = new Set([...cookies, ...(storageState?.cookies ?? [])].map(({ name }) => name));
  const { cookies: current } = await session.send('Network.getAllCookies');
  return current.filter(({ name }) => names.has(name));
};

/** Returns a login with its entries of storage as they are now in the page. Other frames keep the given ones. */
export const withCurrentStorage = async (session: CDPSession, secrets: Secrets): Promise<Secrets> => {
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
