import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'puppeteer-core';
import { storeSecrets } from '../child/login.ts';
import { type Watched, watchMainFrame } from '../child/main-frame.ts';
import type { AuditOrder } from '../messages.ts';
import { holdDatabases } from './current-databases.ts';
import { currentCookies, withCurrentStorage } from './current-login.ts';

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
