import type { CDPSession } from 'puppeteer-core';
import { emptyMainFrame, type MainFrame, newDocument } from './messages.ts';
import { LARGE_DOCUMENT_BYTES, MAX_DIALOGS, MAX_DOCUMENT_BYTES, MAX_FRAMES, MAX_NESTED_FRAMES } from './stop-rules.ts';

/** Matches a `sandbox` directive without `allow-scripts` in any policy of a Content-Security-Policy header. */
const SCRIPTLESS = /(?:^|[;,\n])\s*sandbox(?=[\s;,]|$)(?![^;,\n]*\ballow-scripts\b)/i;

/**
 * Matches a Content-Disposition header whose type is not `inline`. RFC 6266 treats an unknown type as `attachment`.
 * Browsers ignore a header without a type.
 */
export const ATTACHMENT = /^\s*(?!inline\s*(?:;|$))[^\s;=]+\s*(?:;|$)/i;

/** The values that the handlers of network events and of page events share. */
type Watched = {
  record: MainFrame;
  change: (changes: Partial<MainFrame>) => void;
  mainFrameId?: string;
  /** Request of the newest main document. A redirect keeps its id. */
  requestId?: string;
  /** True if the policy of the newest main document blocks all scripts. */
  sandboxed: boolean;
};

/** Watches the main frame. Calls `onChange` with the record at each change. Resolves with a getter of the record. */
export const watchMainFrame = async (
  session: CDPSession,
  onChange: (record: MainFrame) => void,
): Promise<() => MainFrame> => {
  const watched: Watched = {
    record: emptyMainFrame,
    change: (changes) => {
      watched.record = { ...watched.record, ...changes };
      onChange(watched.record);
    },
    sandboxed: false,
  };
  watchDocuments(session, watched);
  watchPage(session, watched);
  session.on('Inspector.targetCrashed', () => watched.change({ crashed: true }));

  const [tree] = await Promise.all([
    session.send('Page.getFrameTree'),
    session.send('Page.enable'),
    session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
    session.send('Network.enable'),
    session.send('Inspector.enable'),
  ]);
  watched.mainFrameId = tree.frameTree.frame.id;
  return () => watched.record;
};

/** Follows the requests of main documents. */
const watchDocuments = (session: CDPSession, watched: Watched): void => {
  const earlierRequests = new Set<string>(); // the browser may still show one of them while it loads
  let refreshes = false;
  let bytes = 0;
  session.on('Network.requestWillBeSent', ({ type, requestId, loaderId, frameId, request }) => {
    if (type !== 'Document' || requestId !== loaderId || frameId !== watched.mainFrameId) return;
    if (!isWebPage(request.url)) return;
    if (watched.requestId && watched.requestId !== requestId) earlierRequests.add(watched.requestId);
    watched.requestId = requestId;
    watched.sandboxed = false;
    refreshes = false;
    bytes = 0;
    watched.change({ ...newDocument, url: request.url });
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
    if (requestId === watched.requestId) watched.change({ failure: errorText.replace(/^net::/, '') });
  });
};

/** Follows what the page does in the main frame. */
const watchPage = (session: CDPSession, watched: Watched): void => {
  let shownLoader: string | undefined;
  let dialogs = 0;
  const depths = new Map<string, number>(); // of all frames that the shown document has attached
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId || !isWebPage(frame.url)) return;
    shownLoader = frame.loaderId;
    depths.clear();
    dialogs = 0;
    const scriptless = watched.sandboxed && shownLoader === watched.requestId;
    watched.change({ navigations: watched.record.navigations + 1, loaded: false, painted: false, scriptless });
  });
  session.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
    if (frameId !== watched.mainFrameId || loaderId !== shownLoader) return;
    if (name === 'load') watched.change({ loaded: true });
    if (name === 'firstContentfulPaint') watched.change({ painted: true });
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
  });
};

/** Returns false for the addresses about: and chrome:, which Lighthouse visits itself. */
const isWebPage = (url: string): boolean => /^https?:/.test(url);
