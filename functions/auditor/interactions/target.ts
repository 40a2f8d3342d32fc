import { setTimeout as sleep } from 'node:timers/promises';
import type { ElementHandle, Frame, Page } from 'puppeteer-core';
import type { Place } from '../../../shared/interactions/interactions.ts';

/** Interval at which a step looks for its element, in milliseconds. */
const POLL_MS = 100;
/** Time after which an element that moves in place, such as a pulsing button, is used while it moves. */
const IN_PLACE_MS = 1000;
/** Time for the pictures that a look at an element needs, in milliseconds. A page may paint none. */
const LOOK_MS = 5000;

/** An element that a step wants: selectors in their order, and its frame. Without a frame, all are searched. */
export type Wanted = {
  selectors: readonly string[];
  frame?: readonly number[] | undefined;
  offset?: Place | undefined;
};

const framesOf = (page: Page, indices: Wanted['frame']): Frame[] => {
  if (!indices) return page.frames();
  const frame = indices.reduce<Frame | undefined>((outer, i) => outer?.childFrames()[i], page.mainFrame());
  return frame ? [frame] : [];
};

/** Waits for a visible element. */
export const find = async (page: Page, wanted: Wanted, signal: AbortSignal): Promise<ElementHandle> => {
  for (;;) {
    for (const selector of wanted.selectors) {
      for (const frame of framesOf(page, wanted.frame)) {
        const handle = await visibleIn(frame, selector);
        if (handle) return handle;
      }
    }
    if (signal.aborted) throw new Error('The page has no such visible element.');
    await sleep(POLL_MS);
  }
};

const visibleIn = async (frame: Frame, selector: string): Promise<ElementHandle | undefined> => {
  try {
    for (const handle of await frame.$$(selector))
      if ((await handle.isVisible()) || (await handle.evaluate(isShownByContents))) return handle;
  } catch {
    return undefined; // the frame has gone elsewhere
  }
  return undefined;
};

/** Returns true for an element that has no box, and whose content is visible. */
const isShownByContents = (element: Element): boolean => {
  const { display, visibility } = getComputedStyle(element);
  if (display !== 'contents' || visibility !== 'visible') return false;
  const range = document.createRange();
  range.selectNodeContents(element);
  const { width, height } = range.getBoundingClientRect();
  return width > 0 && height > 0;
};

/** Waits for an element that a user can click. Returns the place for the click. */
export const usablePoint = async (page: Page, wanted: Wanted, signal: AbortSignal): Promise<Place> => {
  let moved: { box: Box; since: number } | undefined;
  for (;;) {
    const handle = await find(page, wanted, signal);
    const looked = await Promise.race<Looked>([
      handle.evaluate(look, wanted.offset).catch(() => ({ fault: 'It is gone.' })),
      sleep(LOOK_MS, { fault: 'The page paints nothing.' }),
    ]);
    let { fault } = looked;
    if (looked.point) {
      if (!looked.moves) return onScreen(handle, looked.point);
      const now = performance.now();
      moved ??= { box: looked.box, since: now };
      if (now - moved.since >= IN_PLACE_MS) {
        if (isIn(moved.box, looked.point)) return onScreen(handle, looked.point);
        moved = { box: looked.box, since: now };
      }
      fault = 'It moves.';
    }
    if (signal.aborted) throw new Error(fault);
    await sleep(POLL_MS);
  }
};

type Box = Place & { width: number; height: number };
type Looked = { fault: string; point?: undefined } | { fault?: undefined; point: Place; box: Box; moves: boolean };

const isIn = ({ x, y, width, height }: Box, point: Place): boolean =>
  point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height;

/** Returns the place on the screen for a place in the frame of an element. */
const onScreen = async (handle: ElementHandle, { x, y }: Place): Promise<Place> => {
  const root = await handle.frame.$(':root');
  const outer = await root?.boundingBox();
  const inner = await root?.evaluate((element) => element.getBoundingClientRect().toJSON());
  return { x: x + (outer?.x ?? 0) - (inner?.x ?? 0), y: y + (outer?.y ?? 0) - (inner?.y ?? 0) };
};

/** Runs in the page. Returns where a user can click an element now, or why nowhere. Scrolls the element into view. */
const look = async (element: Element, offset: Place | undefined): Promise<Looked> => {
  if (element.matches(':disabled')) return { fault: 'It is disabled.' };
  const root = element.getRootNode() as Document | ShadowRoot;
  const content = document.createRange();
  content.selectNodeContents(element);
  const hasNoBox = getComputedStyle(element).display === 'contents';
  const boxOf = (): Box => {
    const shown = hasNoBox ? content : element;
    const rects = [...shown.getClientRects()].filter(({ width, height }) => width >= 1 && height >= 1);
    return (rects[0] ?? shown.getBoundingClientRect()).toJSON();
  };
  /** Returns the middle of the part on the screen, and four places around it. */
  const pointsIn = (box: Box): Place[] => {
    const [left, top] = [Math.max(0, box.x), Math.max(0, box.y)];
    const width = Math.min(innerWidth, box.x + box.width) - left;
    const height = Math.min(innerHeight, box.y + box.height) - top;
    const at = { x: box.x + (offset?.x ?? Number.NaN), y: box.y + (offset?.y ?? Number.NaN) };
    const isInside = at.x >= left && at.x <= left + width && at.y >= top && at.y <= top + height; // a smaller screen may have a smaller element
    const parts = [[0.5, 0.5], ...[0.2, 0.8].flatMap((across) => [0.2, 0.8].map((down) => [across, down]))].map(
      ([across = 0, down = 0]) => ({ x: left + width * across, y: top + height * down }),
    );
    return isInside ? [at, ...parts] : parts;
  };
  const takes = (top: Element | null): boolean =>
    top !== null &&
    (element.contains(top) || top.contains(element) || top.closest('label')?.control === (element as Element | null));
  let fault = 'It is outside of the screen.';
  // The screen shows a part of a frame only, so that a frame always scrolls.
  for (const block of [...(self === self.top ? [undefined] : []), 'center', 'end', 'start'] as const) {
    const scrolled = hasNoBox ? (element.firstElementChild ?? element.parentElement) : element;
    if (block) scrolled?.scrollIntoView({ block, inline: 'center', behavior: 'instant' });
    const before = boxOf();
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const box = boxOf();
    const points = pointsIn(box);
    const point = points.find(({ x, y }) => takes(root.elementFromPoint(x, y)));
    if (point) return { point, box, moves: JSON.stringify(before) !== JSON.stringify(box) };
    const [{ x, y } = { x: 0, y: 0 }] = points;
    const cover = root.elementFromPoint(x, y);
    if (cover) fault = `It is covered by <${cover.localName}${cover.id && ` id="${cover.id}"`}>.`;
  }
  return { fault };
};
