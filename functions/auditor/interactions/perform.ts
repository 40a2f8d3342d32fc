import { setTimeout as sleep } from 'node:timers/promises';
import type { ElementHandle, KeyInput, Page } from 'puppeteer-core';
import type { Place, Step, Where } from '../../../shared/interactions/interactions.ts';
import { pick } from '../../../shared/pick.ts';
import type { AuditOrder } from '../messages.ts';
import { find, usablePoint, type Wanted } from './target.ts';
import { choose, typeInto } from './typing.ts';

type Order = Pick<AuditOrder, 'url' | 'options' | 'secrets'>;

/** Performs a step with the input of a real user. Throws if its element is not found, or can't be used, until `signal` aborts. */
export const perform = async (page: Page, step: Step, order: Order, signal: AbortSignal): Promise<void> => {
  if ('press' in step) return press(page, step.press);
  if (isWheel(step)) return turnWheel(page, step.scroll);
  if ('click' in step) return click(page, step, await usablePoint(page, wantedOf(step.click, step), signal), order);
  if ('hover' in step) {
    const { x, y } = await usablePoint(page, wantedOf(step.hover, step), signal);
    return page.mouse.move(x, y);
  }
  if ('waitFor' in step) return void (await find(page, wantedOf(step.waitFor, step), signal));
  if ('scroll' in step) {
    const element = await find(page, wantedOf(step.scroll, step), signal);
    return step.to ? scrollInside(element, step.to) : element.scrollIntoView();
  }
  if ('select' in step) return choose(await find(page, wantedOf(step.select, step), signal), step.values);
  await typeInto(page, await find(page, wantedOf(step.type, step), signal), step.text, { order, signal });
};

const isWheel = (step: Step): step is { scroll: number } => 'scroll' in step && typeof step.scroll === 'number';

const wantedOf = (selector: string, { or = [], ...where }: Where & Pick<Wanted, 'offset'>): Wanted => ({
  ...pick(where, ['frame', 'offset']),
  selectors: [selector, ...or],
});

/** Clicks as the user of the device does: with a finger on a phone, else with the mouse. */
const click = async (
  page: Page,
  { times = 1, duration = 0 }: { times?: number | undefined; duration?: number | undefined },
  { x, y }: Place,
  { options }: Order,
): Promise<void> => {
  if (options.device !== 'mobile') return page.mouse.click(x, y, { count: times, delay: duration });
  for (let i = 0; i < times; i++) {
    const finger = await page.touchscreen.touchStart(x, y);
    if (duration > 0) await sleep(duration);
    await finger.end();
  }
};

const press = async ({ keyboard }: Page, key: string): Promise<void> => {
  const keys = key.split(/\+(?=.)/) as KeyInput[];
  const modifiers = keys.slice(0, -1);
  for (const modifier of modifiers) await keyboard.down(modifier);
  await keyboard.press(keys.at(-1) as KeyInput);
  for (const modifier of modifiers.reverse()) await keyboard.up(modifier);
};

/** Scrolls an element, or its document, to a place inside. */
const scrollInside = async (element: ElementHandle, to: Place): Promise<void> => {
  const isScroller = await element.evaluate((each, { x, y }) => {
    const scroller = each === document.documentElement ? (document.scrollingElement ?? each) : each;
    scroller.scrollTo({ left: x, top: y, behavior: 'instant' });
    return scroller.scrollHeight > scroller.clientHeight || scroller.scrollWidth > scroller.clientWidth;
  }, to);
  if (!isScroller) throw new Error('The element does not scroll.');
};

/** Turns the wheel where the pointer is, or in the middle of the screen if nothing scrolls there. Waits until all stands. */
const turnWheel = async (page: Page, deltaY: number): Promise<void> => {
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
