import type { Browser } from 'puppeteer-core';
import type { Secrets } from '../../../shared/options/secrets.ts';
import { answerWithEmptyPages } from '../child/login.ts';

/**
 * Reads the databases of a login as they are now. Keeps them in a tab for each origin, because the messages of the browser
 * can't carry all kinds of values. The returned function writes the values back to the records with the same keys.
 */
export const holdDatabases = async (browser: Browser, secrets: Secrets | undefined): Promise<() => Promise<void>> => {
  const origins = (secrets?.storageState?.origins ?? []).filter(({ indexedDB = [] }) => indexedDB.length > 0);
  const held = await Promise.all(
    origins.map(async ({ origin, indexedDB = [] }) => {
      const tab = await browser.newPage();
      await tab.setBypassServiceWorker(true); // the load may have left one
      await answerWithEmptyPages(await tab.createCDPSession());
      await tab.goto(`${origin}/`);
      const unread = indexedDB.map(({ name }) => ({ name, records: [] }));
      return { tab, databases: await tab.evaluateHandle(exchangeRecords, unread) };
    }),
  );
  return async () => {
    for (const { tab, databases } of held) {
      await databases.evaluate(exchangeRecords);
      await tab.close();
    }
  };
};

type Held = { name: string; records: { store: string; key: IDBValidKey; value: unknown }[] };

/** Runs in a page. Gives each record of these databases its held value, if there is one. Returns the records as they were. */
const exchangeRecords = (databases: Held[]): Promise<Held[]> => {
  const exchange = ({ name, records: held }: Held) =>
    new Promise<Held>((resolve) => {
      const records: Held['records'] = [];
      const opening = indexedDB.open(name);
      opening.onupgradeneeded = () => opening.transaction?.abort(); // it is missing, so that this would make it
      opening.onerror = () => resolve({ name, records });
      opening.onsuccess = () => {
        const { result: database } = opening;
        const end = () => {
          database.close();
          resolve({ name, records });
        };
        const stores = [...database.objectStoreNames];
        if (stores.length === 0) return end();
        const transaction = database.transaction(stores, 'readwrite');
        for (const store of stores) {
          const reading = transaction.objectStore(store).openCursor();
          reading.onsuccess = () => {
            const { result: cursor } = reading;
            if (!cursor) return;
            const { primaryKey: key, value } = cursor;
            const known = held.find((each) => each.store === store && indexedDB.cmp(each.key, key) === 0);
            if (known) cursor.update(known.value);
            records.push({ store, key, value });
            cursor.continue();
          };
        }
        transaction.oncomplete = transaction.onabort = end;
      };
    });
  return Promise.all(databases.map(exchange));
};
