import type { CDPSession } from 'puppeteer-core';
import { emptyMainFrame, type MainFrame, newDocument } from '../messages.ts';
import { LARGE_DOCUMENT_BYTES, MAX_DIALOGS, MAX_DOCUMENT_BYTES, MAX_FRAMES, MAX_NESTED_FRAMES } from '../stop-rules.ts';
import type { Motion } from './motion.ts';

/** Matches a `sandbox` directive without `allow-scripts` in any policy of a Content-Security-Policy header. */
const SCRIPTLESS = /(?:^|[;,\n])\s*sandbox(?=[\s;,]|$)(?![^;,\n]*\ballow-scripts\b)/i;

/**
 * Matches a Content-Disposition header whose type is not `inline`. RFC 6266 treats an unknown type as `attachment`.
 * Browsers ignore a header without a type.
 */
export const ATTACHMENT = /^\s*(?!inline\s*(?:;|$))[^\s;=]+\s*(?:;|$)/i;

/** The values that the handlers of network events and of page events share. */
export type Watched = {
  record: MainFrame;
  change: (changes: Partial<MainFrame>) => void;
  /** The clock of all times. It stands still while the browser is starved. */
  now: () => number;
  motion: () => Motion;
  /** Whether the page must stay on its document: not yet, now, or no longer, because Lighthouse leaves it. */
  hold: 'ahead' | 'on' | 'over';
  /** Address of a navigation whose response will show whether the page leaves its document. */
  leavingTo?: string | undefined;
  mainFrameId?: string;
  /** Request of the newest main document. A redirect keeps its id. */
  requestId?: string;
  /** True if the policy of the newest main document blocks all scripts. */
  sandboxed: boolean;
  /** The record before the request of a main document that is on its way. */
  before?: MainFrame | undefined;
  /** The document that the main frame shows, with the address that a browser would display. */
  shown?: { loaderId: string; url: string; status: number | null };
  /** Loader ids of the documents that the main frame has shown earlier. */
  earlierLoaders: Set<string>;
  /** Time at which the shown document committed, loaded or painted, the latest of them. */
  changedAt: number;
  /** Time at which the page will refresh itself. */
  refreshAt?: number | undefined;
};

/** Watches the main frame. Calls `onChange` with the record at each change. Resolves when the browser sends all events. */
export const watchMainFrame = async (
  session: CDPSession,
  onChange: (record: MainFrame) => void,
  now = () => performance.now(),
): Promise<Watched> => {
  const watched: Watched = {
    record: emptyMainFrame,
    change: (changes) => {
      watched.record = { ...watched.record, ...changes };
      onChange(watched.record);
    },
    now,
    motion: () => ({
      isRequested: watched.before !== undefined,
      changedAt: watched.changedAt,
      refreshAt: watched.refreshAt,
    }),
    hold: 'ahead',
    sandboxed: false,
    earlierLoaders: new Set(),
    changedAt: 0,
  };
  watchDocuments(session, watched);
  watchPage(session, watched);
  watchRefreshes(session, watched);
  session.on('Inspector.targetCrashed', () => watched.change({ crashed: true }));

  const [tree] = await Promise.all([
    session.send('Page.getFrameTree'),
    session.send('Page.enable'),
    session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
    session.send('Network.enable'),
    session.send('Inspector.enable'),
  ]);
  watched.mainFrameId = tree.frameTree.frame.id;
  return watched;
};

/** Follows the requests of main documents. */
const watchDocuments = (session: CDPSession, watched: Watched): void => {
  const earlierRequests = new Set<string>(); // the browser may still show one of them while it loads
  let refreshes = false;
  let bytes = 0;
  session.on('Network.requestWillBeSent', ({ type, requestId, loaderId, frameId, request }) => {
    if (type !== 'Document' || requestId !== loaderId || frameId !== watched.mainFrameId) return;
    if (!isWebPage(request.url) || watched.hold === 'on') return;
    watched.before ??= watched.record;
    const standsAlone = watched.hold === 'ahead' && hasBeenRead(watched);
    if (watched.requestId && watched.requestId !== requestId) earlierRequests.add(watched.requestId);
    watched.requestId = requestId;
    watched.sandboxed = false;
    refreshes = false;
    bytes = 0;
    watched.change({ ...newDocument, url: request.url, standsAlone });
  });
  session.on('Network.responseReceived', ({ requestId, response: { status, mimeType, headers } }) => {
    if (requestId !== watched.requestId) return;
    const header = (name: string) => Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
    const attachment = ATTACHMENT.test(header('content-disposition'));
    watched.sandboxed = SCRIPTLESS.test(header('content-security-policy'));
    refreshes = header('refresh') !== '';
    watched.change({ status, mimeType, attachment });
  });
  session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
    // Chromium sends no other event for a response without content, for example a 304 without a cached document.
    if (requestId === watched.requestId && watched.record.status === null) watched.change({ status: statusCode });
  });
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    if (requestId !== watched.requestId) return;
    bytes += dataLength;
    if (bytes > LARGE_DOCUMENT_BYTES && !watched.record.large) watched.change({ large: true });
    if (bytes > MAX_DOCUMENT_BYTES && !watched.record.tooMuch) watched.change({ tooMuch: 'bytes' });
  });
  session.on('Network.loadingFinished', ({ requestId }) => {
    // A failed document finishes too, as the browser's own error page.
    if (requestId === watched.requestId && !watched.record.failure) {
      watched.change({ finished: true, everFinished: true, empty: bytes === 0 && !refreshes });
    }
    if (earlierRequests.delete(requestId)) watched.change({ everFinished: true });
  });
  session.on('Network.loadingFailed', ({ requestId, errorText }) => {
    earlierRequests.delete(requestId);
    if (requestId !== watched.requestId) return;
    watched.before = undefined;
    watched.change({ failure: errorText.replace(/^net::/, '') });
  });
};

/** Returns true if the shown document is a page, not a redirect: it had loaded and painted for a while. */
const hasBeenRead = ({ record: { loaded, painted }, now, changedAt }: Watched): boolean =>
  loaded && painted && now() - changedAt >= REDIRECT_MS;
/** Time after the load and the first paint within which a move to another document is a redirect, in milliseconds. */
const REDIRECT_MS = 1000;

/** Follows what the page does in the main frame. */
const watchPage = (session: CDPSession, watched: Watched): void => {
  let dialogs = 0;
  const depths = new Map<string, number>(); // of all frames that the shown document has attached
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId) return;
    const { hold } = watched;
    if (hold === 'on') watched.hold = 'over'; // Lighthouse leaves the document, or the page escaped
    watched.before = undefined;
    if (!isWebPage(frame.url)) return;
    const { record, shown, requestId } = watched;
    const departure = shown && { url: shown.url, status: shown.status, to: frame.url };
    const url = frame.url + (frame.urlFragment ?? '');
    if (shown) watched.earlierLoaders.add(shown.loaderId);
    watched.shown = { loaderId: frame.loaderId, url, status: record.status };
    depths.clear();
    dialogs = 0;
    const scriptless = watched.sandboxed && frame.loaderId === requestId;
    watched.changedAt = watched.now();
    watched.change({
      navigations: record.navigations + 1,
      loaded: false,
      painted: false,
      scriptless,
      ...(departure && hold === 'ahead' && { left: [...(record.left ?? []), departure].slice(-MAX_LEFT) }),
      ...(hold === 'on' && { escapedTo: frame.url }),
    });
  });
  session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
    if (frameId === watched.mainFrameId && watched.shown) watched.shown.url = url;
  });
  session.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
    if (frameId !== watched.mainFrameId || loaderId !== watched.shown?.loaderId) return;
    if (name !== 'load' && name !== 'firstContentfulPaint') return;
    watched.changedAt = watched.now();
    watched.change(name === 'load' ? { loaded: true } : { painted: true });
  });
  session.on('Page.frameAttached', ({ frameId, parentFrameId }) => {
    if (watched.record.tooMuch) return;
    const depth = (depths.get(parentFrameId) ?? 0) + 1;
    depths.set(frameId, depth);
    if (depths.size > MAX_FRAMES) watched.change({ tooMuch: 'frames' });
    else if (depth > MAX_NESTED_FRAMES) watched.change({ tooMuch: 'nested frames' });
  });
  session.on('Page.javascriptDialogOpening', () => {
    if (++dialogs > MAX_DIALOGS && !watched.record.tooMuch) watched.change({ tooMuch: 'dialogs' });
    session.send('Page.handleJavaScriptDialog', DIALOG_ANSWER).catch(() => {}); // Lighthouse was faster
  });
};

/**
 * Lighthouse's answer to a dialog. Lighthouse itself gives it only until it ends its session, and it does not wait for the
 * second visit: a dialog that opens later would block the page forever.
 */
const DIALOG_ANSWER = { accept: true, promptText: 'Lighthouse prompt response' };

/** Number of documents that the record names. */
const MAX_LEFT = 5;

/** Follows the refreshes that the page announces by a `meta` element or a header. */
const watchRefreshes = (session: CDPSession, watched: Watched): void => {
  session.on('Page.frameScheduledNavigation', ({ frameId, delay, reason }) => {
    const isRefresh = reason === 'metaTagRefresh' || reason === 'httpHeaderRefresh';
    if (frameId === watched.mainFrameId && isRefresh) watched.refreshAt = watched.now() + delay * 1000;
  });
  session.on('Page.frameClearedScheduledNavigation', ({ frameId }) => {
    if (frameId === watched.mainFrameId) watched.refreshAt = undefined;
  });
};

/** Returns false for the addresses about: and chrome:, which Lighthouse visits itself. */
const isWebPage = (url: string): boolean => /^https?:/.test(url);

/** Returns the HTTP status of the shown document. A failed document, for example a download, is not shown. */
export const statusOf = ({ status, failure }: MainFrame) => (failure ? null : status);
