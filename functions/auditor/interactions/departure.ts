import type { Target } from 'puppeteer-core';
import type { Watched } from '../child/main-frame.ts';
import type { FreshPage } from './fresh-page.ts';

/** Effects of an interaction beyond its page. */
export type Departure = {
  /** Another document to which the page went. Null if the page stayed. */
  to: string | null;
  /** Says where the page went, and which tab it opened. Null if it did neither. */
  text: string | null;
};

/** The empty document that a new tab has in its history. */
export const BLANK = 'about:blank';

/** Records where the page goes from now on. The returned function returns it. */
export const followPage = async ({ page, session, watched }: FreshPage): Promise<() => Promise<Departure>> => {
  const before = { ...watched };
  const { currentIndex } = await session.send('Page.getNavigationHistory');
  let opened: string | undefined;
  const onTarget = (target: Target) => {
    if (target.type() === 'page' && target.opener()) opened ??= target.url() || BLANK;
  };
  const browser = page.browser();
  browser.on('targetcreated', onTarget);
  return async () => {
    browser.off('targetcreated', onTarget);
    const history = await session.send('Page.getNavigationHistory');
    const isBlank = history.entries[history.currentIndex]?.url === BLANK; // `watched` leaves it out
    const left = leftSince(before, watched) ?? (isBlank ? { to: BLANK, failure: null } : null);
    const texts = [
      left && textOf(left, history.currentIndex < currentIndex),
      opened !== undefined && `The page opened a new tab, which the service closed: ${opened}`,
    ];
    return { to: left?.to ?? null, text: texts.filter(Boolean).join(' ') || null };
  };
};

/** Another document to which the page went, and the network's error if the browser could not show it. */
type Left = { to: string; failure: string | null };

/** Returns the document to which the page went since a moment, or null if it stayed. A download does not leave a page. */
const leftSince = (
  before: Pick<Watched, 'shown' | 'requestId'>,
  { shown, requestId, record }: Watched,
): Left | null => {
  const { url, failure } = record;
  if (requestId !== before.requestId && url !== null && failure !== null && failure !== 'ERR_ABORTED')
    return { to: url, failure };
  return shown && shown.loaderId !== before.shown?.loaderId ? { to: shown.url, failure: null } : null;
};

const textOf = ({ to, failure }: Left, isBack: boolean): string => {
  if (failure !== null) return `The page navigated to ${to}, which failed: ${failure}.`;
  return isBack
    ? `The page went back in its history to ${to}, as history.back() does.`
    : `The page navigated to ${to}.`;
};
