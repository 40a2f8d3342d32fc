import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Protocol } from 'puppeteer-core';
import { PROBE_TIMEOUT_MS } from '../stop-rules.ts';
import { ATTACHMENT, type Watched } from './main-frame.ts';
import { isMoving, SETTLE_MS } from './motion.ts';
import { listened } from './own-time.ts';

const POLL_MS = 50;
/** Time for the response to a navigation that the page starts, in milliseconds. */
const ANSWER_MS = 2000;

/**
 * Waits until the page stops navigating, then blocks navigation. All audits then see one document. Does nothing for the
 * empty pages and the second visits of Lighthouse.
 */
export const keepDocument = async (session: CDPSession, watched: Watched): Promise<void> => {
  if (!watched.shown || watched.hold !== 'ahead') return;
  await settle(watched);
  await Promise.race([hold(session, watched), listened(PROBE_TIMEOUT_MS)]); // a hung page may not answer
};

/**
 * Returns the request id of the held document for the id of a document that the page has left. After a reload Lighthouse
 * asks for the content of the earlier document, which the browser may have dropped.
 */
export const heldDocument = ({ hold, shown, earlierLoaders }: Watched, requestId: unknown): unknown =>
  hold === 'on' && shown && earlierLoaders.has(String(requestId)) ? shown.loaderId : requestId;

/** Waits until the page stops navigating: each redirect by script or by a refresh has ended, and its target has loaded. */
const settle = async (watched: Watched): Promise<void> => {
  const { now, motion } = watched;
  const end = now() + SETTLE_MS;
  while (now() < end && isMoving(watched.record, motion(), now())) await sleep(POLL_MS);
};

/**
 * Keeps the page on its document until Lighthouse leaves it. The page remains usable: the browser drops the navigation, as
 * it does for a response with status 204.
 */
const hold = async (session: CDPSession, watched: Watched): Promise<void> => {
  watched.hold = 'on';
  session.on('Fetch.requestPaused', (paused) => answerPaused(session, watched, paused));
  await Promise.all([
    session.send('Fetch.enable', {
      patterns: [{ resourceType: 'Document', requestStage: 'Request' }],
    }),
    session.send('Network.setBypassServiceWorker', { bypass: true }), // its answers don't pass `Fetch`
    holdSpeculations(session, watched),
  ]);
  if (watched.hold === 'on') await stay(session, watched);
};

/** Stops a move to another document. The record describes the document that the page keeps again. */
const stay = async (session: CDPSession, watched: Watched): Promise<void> => {
  const { shown, before, record } = watched;
  if (!shown || !before) return;
  watched.requestId = shown.loaderId;
  watched.before = undefined;
  const { url, status, mimeType, attachment, failure, finished, empty, large, standsAlone } = before;
  watched.change({ url, status, mimeType, attachment, failure, finished, empty, large, standsAlone });
  note(watched, record.url ?? '');
  await session.send('Page.stopLoading');
};

/** Keeps a page on its document if the server of the next one does not answer. Lighthouse would wait for it. */
export const stayUnlessAnswered = (session: CDPSession, watched: Watched): void => {
  const check = (requestId: string): void => {
    const { hold, record, before } = watched;
    const isUnanswered = hold === 'ahead' && watched.requestId === requestId && before && record.status === null;
    if (isUnanswered) stay(session, watched).catch(() => {}); // the page has crashed
  };
  session.on('Network.requestWillBeSent', ({ requestId }) => {
    if (requestId === watched.requestId && watched.record.standsAlone) setTimeout(check, SETTLE_MS, requestId);
  });
};

/** Records where the page tried to go first. */
const note = ({ shown, record, change }: Watched, to: string): void => {
  if (shown && !record.held) change({ held: { url: shown.url, to } });
};

/** Ends the hold when Lighthouse leaves the document. A navigation that was dropped then would drop Lighthouse's own one. */
export const releaseDocument = (watched: Watched): void => {
  if (watched.hold !== 'on') return;
  if (watched.leavingTo !== undefined) note(watched, watched.leavingTo);
  watched.hold = 'over';
};

/** Drops a navigation of the main frame, unless its response shows that the page stays: a download, or no content. */
const answerPaused = (session: CDPSession, watched: Watched, paused: Protocol.Fetch.RequestPausedEvent): void => {
  const { requestId, frameId, request } = paused;
  const isLeaving = watched.hold === 'on' && frameId === watched.mainFrameId && /^https?:/.test(request.url);
  const isAnswered = paused.responseStatusCode !== undefined || paused.responseErrorReason !== undefined;
  const asks = isLeaving && !isAnswered && request.method === 'GET';
  const drops = isLeaving && !asks && !keepsPage(paused);
  if (isLeaving) watched.leavingTo = asks ? request.url : undefined;
  if (drops) note(watched, request.url);
  const reply = drops
    ? session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    : session.send('Fetch.continueRequest', { requestId, ...(asks && { interceptResponse: true }) });
  reply.catch(() => {}); // the request has ended meanwhile
  if (asks) setTimeout(dropUnanswered, ANSWER_MS, session, watched, request.url);
};

const dropUnanswered = (session: CDPSession, watched: Watched, to: string): void => {
  if (watched.hold !== 'on' || watched.leavingTo !== to) return;
  watched.leavingTo = undefined;
  note(watched, to);
  session.send('Page.stopLoading').catch(() => {}); // the page has crashed
};

/** Returns true for a response that the browser does not show. A redirect is followed by another request. */
const keepsPage = ({ responseStatusCode = 0, responseHeaders = [] }: Protocol.Fetch.RequestPausedEvent): boolean =>
  [204, 205].includes(responseStatusCode) ||
  (responseStatusCode >= 300 && responseStatusCode < 400) ||
  responseHeaders.some(({ name, value }) => /^content-disposition$/i.test(name) && ATTACHMENT.test(value));

const WORLD = 'page-audit-hold';
const BINDING = 'pageAuditHeld';
/** Cancels every navigation of the document to another one, before the browser starts it. */
const CANCEL_NAVIGATIONS = `navigation.addEventListener('navigate', (event) => {
  const { destination, downloadRequest } = event;
  if (!event.cancelable || destination.sameDocument || downloadRequest !== null) return;
  event.preventDefault();
  ${BINDING}(destination.url);
}, { capture: true })`;

/**
 * Holds a page with speculation rules from the inside: `Fetch` never sees a navigation to a document that was prefetched or
 * prerendered. The browser also reports the rules that the page had before.
 */
const holdSpeculations = async (session: CDPSession, watched: Watched): Promise<void> => {
  session.on('Runtime.bindingCalled', ({ name, payload }) => {
    if (name === BINDING && watched.hold === 'on') note(watched, payload);
  });
  session.once('Preload.ruleSetUpdated', async () => {
    try {
      const frameId = watched.mainFrameId as string;
      const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
        frameId,
        worldName: WORLD,
      });
      await session.send('Runtime.addBinding', { name: BINDING, executionContextName: WORLD });
      await session.send('Runtime.evaluate', { expression: CANCEL_NAVIGATIONS, contextId });
    } catch {
      // The page has gone elsewhere meanwhile.
    }
  });
  await session.send('Preload.enable');
};
