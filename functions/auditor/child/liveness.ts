import type { Browser, CDPSession } from 'puppeteer-core';
import { membersOf, partOf } from '../host/processes.ts';
import { busyMsByThread } from '../host/run-queue.ts';
import type { FrozenPart } from '../messages.ts';
import { IDLE_SHARE, LIVENESS_MS } from '../stop-rules.ts';
import { askPage, isSilent } from './page-probe.ts';

/**
 * Reports a browser or a page that does not respond although it is idle. Returns a function that ends this. `isShown` returns
 * whether the main frame shows a document and requests no other: the browser suspends all commands to a page during that.
 */
export const watchLiveness = (
  browser: Pick<Browser, 'version'>,
  session: CDPSession,
  isShown: () => boolean,
  onFrozen: (part: FrozenPart) => void,
): (() => void) => {
  let isProbing = false;
  const probe = async (): Promise<void> => {
    const before = readBusyMs();
    const startedAt = performance.now();
    const [isBrowserSilent, isPageSilent] = await Promise.all([
      isSilent(browser.version()),
      isShown() && isSilent(askPage(session)),
    ]);
    if (!isBrowserSilent && !isPageSilent) return;
    const after = readBusyMs();
    const windowMs = performance.now() - startedAt;
    const isIdle = (part: FrozenPart) => after[part] - before[part] < IDLE_SHARE * windowMs; // false if unknown
    if (isBrowserSilent && isIdle('browser')) onFrozen('browser');
    else if (isPageSilent && isShown() && isIdle('page')) onFrozen('page');
  };
  const timer = setInterval(async () => {
    if (isProbing) return;
    isProbing = true;
    await probe().catch(() => {}); // the browser has exited
    isProbing = false;
  }, LIVENESS_MS);
  return () => clearInterval(timer);
};

/** Reads how long the browser's main process and its renderers were busy, in milliseconds. NaN if the machine hides them. */
const readBusyMs = (): Record<FrozenPart, number> => {
  const busy: Partial<Record<FrozenPart, number>> = {};
  for (const pid of membersOf(process.pid)) {
    const part = partOf(pid);
    if (!part || pid === process.pid) continue;
    const threads = busyMsByThread(pid);
    const ms = threads.length > 0 ? threads.reduce((sum, [, each]) => sum + each, 0) : Number.NaN;
    busy[part] = (busy[part] ?? 0) + ms;
  }
  return { browser: Number.NaN, page: Number.NaN, ...busy };
};
