import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer-core';
import type { Watched } from './main-frame.ts';
import { isMoving, SETTLE_MS } from './motion.ts';
import { PROBE_TIMEOUT_MS } from './stop-rules.ts';

const POLL_MS = 50;

/**
 * Waits until the page stays on a document, and keeps it there, so that all audits see the document that is measured. Does
 * nothing for the empty pages and the second visits of Lighthouse.
 */
export const keepDocument = async (session: CDPSession, watched: Watched): Promise<void> => {
  if (!watched.shown || watched.hold !== 'ahead') return;
  await settle(watched);
  await Promise.race([hold(session, watched), sleep(PROBE_TIMEOUT_MS)]); // a hung page may not answer
};

/**
 * Returns the request id of the held document for the id of a document that the page has left. After a reload Lighthouse
 * asks for the content of the earlier document, which the browser may have dropped.
 */
export const heldDocument = ({ hold, shown, earlierLoaders }: Watched, requestId: unknown): unknown =>
  hold === 'on' && shown && earlierLoaders.has(String(requestId)) ? shown.loaderId : requestId;

/** Waits until the page stays on a document: a redirect by script or by a refresh is over, and its target has loaded. */
const settle = async (watched: Watched): Promise<void> => {
  const end = performance.now() + SETTLE_MS;
  while (performance.now() < end && isMoving(watched.record, watched.motion(), performance.now())) await sleep(POLL_MS);
};

/**
 * Keeps the page on its document until Lighthouse leaves it. The page remains usable: the browser drops the navigation, as
 * it does for a response with status 204.
 */
const hold = async (session: CDPSession, watched: Watched): Promise<void> => {
  const { shown, before, record } = watched;
  if (!shown) return;
  watched.hold = 'on';
  const note = (to: string) => watched.change({ held: watched.record.held ?? { url: shown.url, to } });
  session.on('Fetch.requestPaused', ({ requestId, frameId, request }) => {
    const isHeld = watched.hold === 'on' && frameId === watched.mainFrameId && /^https?:/.test(request.url);
    if (isHeld) note(request.url);
    const reply = isHeld
      ? session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
      : session.send('Fetch.continueRequest', { requestId });
    reply.catch(() => {}); // the request has ended meanwhile
  });
  await Promise.all([
    session.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Request' }] }),
    session.send('Network.setBypassServiceWorker', { bypass: true }), // its answers don't pass `Fetch`
  ]);
  if (!before || watched.hold !== 'on') return;
  watched.requestId = shown.loaderId; // the page keeps its document, so the record describes this document again
  const { url, status, mimeType, attachment, failure, finished, empty, large } = before;
  watched.change({ url, status, mimeType, attachment, failure, finished, empty, large });
  note(record.url ?? '');
  await session.send('Page.stopLoading');
};
