import type { ElementHandle, Page } from 'puppeteer-core';
import type { Place } from '../../../shared/interactions/interactions.ts';

/** Scrolls an element, or its document, to a place inside. */
export const scrollInside = async (element: ElementHandle, to: Place): Promise<void> => {
  const isScroller = await element.evaluate((each, { x, y }) => {
    const scroller = each === document.documentElement ? (document.scrollingElement ?? each) : each;
    scroller.scrollTo({ left: x, top: y, behavior: 'instant' });
    return scroller.scrollHeight > scroller.clientHeight || scroller.scrollWidth > scroller.clientWidth;
  }, to);
  if (!isScroller) throw new Error('The element does not scroll.');
};

/** Turns the wheel where the pointer is, or in the middle of the screen if nothing scrolls there. Waits until all stands. */
export const turnWheel = async (page: Page, deltaY: number): Promise<void> => {
  for (const isMiddle of [false, true]) {
    if (isMiddle) {
      const { x, y } = await page.evaluate(() => ({ x: innerWidth / 2, y: innerHeight / 2 }));
      await page.mouse.move(x, y);
    }
    const turn = await page.evaluateHandle(watchWheel);
    await page.mouse.wheel({ deltaY });
    if (await turn.evaluate((watch) => watch.untilStands())) return;
  }
  throw new Error('Nothing scrolls: neither the page nor the element in the middle of the screen has more to show.');
};

/** Runs in the page. Watches the elements under the next turn of the wheel. */
const watchWheel = () => {
  let turned: WheelEvent | undefined;
  let scrollers: Element[] = [];
  let before = '';
  const shown = () => scrollers.map(({ scrollTop, scrollHeight }) => [scrollTop, scrollHeight]).join();
  const note = (event: WheelEvent): void => {
    turned = event;
    const inside = event.composedPath().filter((node) => node instanceof Element);
    scrollers = [...inside, ...(document.scrollingElement ? [document.scrollingElement] : [])];
    before = shown();
  };
  // A passive listener would let the page scroll before the call.
  addEventListener('wheel', note, { capture: true, once: true, passive: false });
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  /** Returns false if nothing has more to show, and no script took the turn. */
  const untilStands = async (): Promise<boolean> => {
    let last = before;
    for (let waited = 0, still = 0; waited < 3000 && still < 500; waited += 50) {
      await pause(50);
      const now = shown();
      still = now === last ? still + 50 : 0;
      last = now;
    }
    if (!turned || turned.defaultPrevented || last !== before) return true; // an inner frame took it
    return scrollers.some((each) => {
      const isScroller = each === document.scrollingElement || /auto|scroll/.test(getComputedStyle(each).overflowY);
      return isScroller && each.scrollHeight > each.clientHeight + 1;
    });
  };
  return { untilStands };
};
