import type { CDPSession, HTTPRequest, Page, Protocol } from 'puppeteer-core';
import type { ScreenshotWatch } from '../lighthouse/screenshot-wait.ts';
import { elapsed, listened } from './own-time.ts';
import { openIsolatedWorld } from './page-probe.ts';

/** Time without a change after which a resized page is quiet, in milliseconds. */
const QUIET_MS = 200;
/** The same for a page that listens to `resize`. Such a page often draws itself again a quarter of a second later. */
const LISTENING_QUIET_MS = 500;

/** Requests of a page and of its frames. */
export type Requests = { inFlight: ReadonlySet<HTTPRequest>; begun: number };

/** Watches the requests of a page. A `data:` address is no request. */
export const watchRequests = (page: Page): Requests => {
  const inFlight = new Set<HTTPRequest>();
  const requests = { inFlight, begun: 0 };
  page.on('request', (request) => {
    if (request.url().startsWith('data:')) return;
    requests.begun++;
    inFlight.add(request);
  });
  page.on('requestfinished', (request) => inFlight.delete(request));
  page.on('requestfailed', (request) => inFlight.delete(request));
  return requests;
};

/** Time in which this process reads the events that came while it computed, in milliseconds. */
const READ_MS = 20;

type Options = { requests: Requests; now: () => number };

/**
 * Watches a page that Lighthouse resizes. The page is quiet if the browser showed no new frame for a while, no request is in
 * flight, and no animation runs or waits. A new frame can come from a script, a decoded image, a video or an inner frame.
 */
export const watchQuiet = (session: CDPSession, { requests, now }: Options): ScreenshotWatch => {
  const { begun } = requests;
  let changedAt = now();
  let isOver = false;
  /** Records a change at a time of the wall clock. This process may read it late. */
  const changed = (wallMs: number): void => {
    changedAt = Math.max(changedAt, now() - Math.max(0, Date.now() - wallMs));
  };
  const onFrame = ({ sessionId, metadata: { timestamp } }: Protocol.Page.ScreencastFrameEvent) => {
    changed(timestamp === undefined ? Date.now() : 1000 * timestamp);
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => {}); // the page has crashed
  };
  session.on('Page.screencastFrame', onFrame);
  const casting = session.send('Page.startScreencast', { format: 'jpeg', quality: 1, maxWidth: 32, maxHeight: 32 });
  const listening = listensToResize(session);
  const world = openIsolatedWorld(session);
  for (const answer of [casting, listening, world]) answer.catch(() => {}); // `untilQuiet` rejects

  const end = (): void => {
    if (isOver) return;
    isOver = true;
    session.off('Page.screencastFrame', onFrame);
    session.send('Page.stopScreencast').catch(() => {}); // the page has crashed
  };
  const untilQuiet = async (): Promise<boolean> => {
    const [evaluate, listens] = await Promise.all([world, listening, casting]);
    changed(Number(await evaluate(TWO_FRAMES)));
    const quietMs = listens ? LISTENING_QUIET_MS : QUIET_MS;
    for (let leftMs = quietMs; leftMs > 0; leftMs = quietMs - (now() - changedAt)) {
      await elapsed(leftMs);
      await listened(READ_MS);
      if (requests.inFlight.size > 0 || (await evaluate(IS_ANIMATED))) changed(Date.now());
      if (isOver || requests.begun > begun) return false;
    }
    end();
    return true;
  };
  return { untilQuiet, end };
};

/** Resolves with the time when the page has shown its new size. */
const TWO_FRAMES =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(Date.now()))))';
const IS_ANIMATED = 'document.getAnimations().some(({ playState }) => playState === "running")';

/** Returns true if the page itself listens to a change of its size. */
const listensToResize = async (session: CDPSession): Promise<boolean> => {
  const { result } = await session.send('Runtime.evaluate', { expression: 'window' });
  if (result.objectId === undefined) return true; // unknown
  const { listeners } = await session.send('DOMDebugger.getEventListeners', { objectId: result.objectId });
  return listeners.some(({ type }) => type === 'resize');
};
