import type { CDPSession } from 'puppeteer-core';
import { emptyMainFrame, type MainFrame, newDocument } from './messages.ts';
import { LARGE_DOCUMENT_BYTES, MAX_DIALOGS, MAX_DOCUMENT_BYTES, MAX_FRAMES, MAX_NESTED_FRAMES } from './stop-rules.ts';

/** A `sandbox` directive without `allow-scripts`, in any of the policies of a Content-Security-Policy header. */
const SCRIPTLESS = /(?:^|[;,\n])\s*sandbox(?=[\s;,]|$)(?![^;,\n]*\ballow-scripts\b)/i;

/** Follows the main frame of a page; `onChange` gets the whole record each time it changes. Answers what gives it. */
export const watchMainFrame = async (
  session: CDPSession,
  onChange: (record: MainFrame) => void,
): Promise<() => MainFrame> => {
  let record = emptyMainFrame;
  let requestId: string | undefined;
  const earlierRequests = new Set<string>(); // asked for before the newest one: one of them may be shown, and still be on its way
  const change = (changes: Partial<MainFrame>) => {
    record = { ...record, ...changes };
    onChange(record);
  };

  let mainFrameId: string | undefined;
  let shownLoader: string | undefined; // the loader of the newest page: Lighthouse visits about: too
  let sandboxed = false;
  let refreshes = false;
  let bytes = 0;
  let dialogs = 0;
  const depths = new Map<string, number>(); // of each frame that the document has ever attached
  session.on('Network.requestWillBeSent', (event) => {
    if (event.type !== 'Document' || event.requestId !== event.loaderId || event.frameId !== mainFrameId) return;
    if (!/^https?:/.test(event.request.url)) return; // Lighthouse's own visits to about: and chrome:
    if (requestId && requestId !== event.requestId) earlierRequests.add(requestId); // a redirect keeps its id
    requestId = event.requestId;
    bytes = 0;
    const { url } = event.request;
    sandboxed = false;
    refreshes = false;
    change({ ...newDocument, url });
  });
  session.on('Network.responseReceived', (event) => {
    if (event.requestId !== requestId) return;
    const { status, mimeType, headers } = event.response;
    const header = (name: string) => Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
    const attachment = /^\s*attachment/i.test(header('content-disposition'));
    sandboxed = SCRIPTLESS.test(header('content-security-policy'));
    refreshes = header('refresh') !== '';
    change({ status, mimeType, attachment });
  });
  session.on('Network.responseReceivedExtraInfo', (event) => {
    // The only word of a response that has no content to show: 304 where nothing was cached.
    if (event.requestId === requestId && record.status === null) change({ status: event.statusCode });
  });
  session.on('Network.dataReceived', (event) => {
    if (event.requestId !== requestId) return;
    bytes += event.dataLength;
    if (bytes > LARGE_DOCUMENT_BYTES && !record.large) change({ large: true });
    if (bytes > MAX_DOCUMENT_BYTES && !record.tooMuch) change({ tooMuch: 'bytes' });
  });
  session.on('Page.frameAttached', ({ frameId, parentFrameId }) => {
    if (record.tooMuch) return;
    const depth = (depths.get(parentFrameId) ?? 0) + 1;
    depths.set(frameId, depth);
    if (depths.size > MAX_FRAMES) change({ tooMuch: 'frames' });
    else if (depth > MAX_NESTED_FRAMES) change({ tooMuch: 'nested frames' });
  });
  session.on('Page.javascriptDialogOpening', () => {
    if (++dialogs > MAX_DIALOGS && !record.tooMuch) change({ tooMuch: 'dialogs' });
  });
  session.on('Network.loadingFinished', (event) => {
    // A failed document finishes too: as the browser's own error page.
    if (event.requestId === requestId && !record.failure) {
      change({ finished: true, everFinished: true, empty: bytes === 0 && !refreshes });
    }
    if (earlierRequests.delete(event.requestId)) change({ everFinished: true });
  });
  session.on('Network.loadingFailed', (event) => {
    earlierRequests.delete(event.requestId);
    if (event.requestId === requestId) change({ failure: event.errorText.replace(/^net::/, '') });
  });
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId || !/^https?:/.test(frame.url)) return;
    shownLoader = frame.loaderId;
    depths.clear();
    dialogs = 0;
    const scriptless = sandboxed && shownLoader === requestId;
    change({ navigations: record.navigations + 1, loaded: false, painted: false, scriptless });
  });
  session.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
    if (frameId !== mainFrameId || loaderId !== shownLoader) return;
    if (name === 'load') change({ loaded: true });
    if (name === 'firstContentfulPaint') change({ painted: true });
  });
  session.on('Inspector.targetCrashed', () => change({ crashed: true }));

  const [tree] = await Promise.all([
    session.send('Page.getFrameTree'),
    session.send('Page.enable'),
    session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
    session.send('Network.enable'),
    session.send('Inspector.enable'),
  ]);
  mainFrameId = tree.frameTree.frame.id;
  return () => record;
};
