import type { ElementHandle, Frame, KeyInput, Page } from 'puppeteer-core';
import type { Step } from '../../../shared/interactions/interactions.ts';
import type { AuditOrder } from '../messages.ts';
import { typeInto } from './typing.ts';

/** Interval at which a step looks for its element, in milliseconds. */
const POLL_MS = 100;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Performs a step with the input of a real user. Throws if its element is not found, or can't be used, until `signal` aborts. */
export const perform = async (page: Page, step: Step, order: AuditOrder, signal: AbortSignal): Promise<void> => {
  if ('press' in step) return press(page, step.press);
  if ('scroll' in step && typeof step.scroll === 'number') return page.mouse.wheel({ deltaY: step.scroll });
  if ('click' in step) return (await usable(page, step.click, signal)).click();
  if ('hover' in step) return (await usable(page, step.hover, signal)).hover();
  if ('waitFor' in step) return void (await find(page, step.waitFor, signal));
  if ('scroll' in step) return (await find(page, step.scroll as string, signal)).scrollIntoView();
  if ('select' in step) return void (await (await find(page, step.select, signal)).select(...step.values));
  await typeInto(page, await find(page, step.type, signal), step.text, { order, signal });
};

const press = async ({ keyboard }: Page, key: string): Promise<void> => {
  const keys = key.split(/\+(?=.)/) as KeyInput[];
  const modifiers = keys.slice(0, -1);
  for (const modifier of modifiers) await keyboard.down(modifier);
  await keyboard.press(keys.at(-1) as KeyInput);
  for (const modifier of modifiers.reverse()) await keyboard.up(modifier);
};

/** Waits for a visible element in any frame. */
const find = async (page: Page, selector: string, signal: AbortSignal): Promise<ElementHandle> => {
  for (;;) {
    for (const frame of page.frames()) {
      const handle = await visibleIn(frame, selector);
      if (handle) return handle;
    }
    if (signal.aborted) throw new Error('The page has no such visible element.');
    await pause(POLL_MS);
  }
};

const visibleIn = async (frame: Frame, selector: string): Promise<ElementHandle | undefined> => {
  try {
    for (const handle of await frame.$$(selector)) if (await handle.isVisible()) return handle;
  } catch {
    return undefined; // the frame has gone elsewhere
  }
  return undefined;
};

/** Waits for an element that a user can click: it does not move, and no other element covers it. */
const usable = async (page: Page, selector: string, signal: AbortSignal): Promise<ElementHandle> => {
  for (;;) {
    const handle = await find(page, selector, signal);
    const fault = await faultOf(handle).catch(() => 'It is gone.');
    if (!fault) return handle;
    if (signal.aborted) throw new Error(fault);
    await pause(POLL_MS);
  }
};

/** Returns why a user can't click an element now, or null. */
const faultOf = async (handle: ElementHandle): Promise<string | null> => {
  await handle.scrollIntoView();
  return handle.evaluate(async (element) => {
    const boxOf = () => element.getBoundingClientRect();
    const before = boxOf();
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const { x, y, width, height } = boxOf();
    if (x !== before.x || y !== before.y || width !== before.width || height !== before.height) return 'It moves.';
    if (element.matches(':disabled')) return 'It is disabled.';
    const root = element.getRootNode() as Document | ShadowRoot;
    const top = root.elementFromPoint(x + width / 2, y + height / 2);
    if (!top || top === element || element.contains(top) || top.contains(element)) return null;
    if (top.closest('label')?.control === element) return null;
    return `It is covered by <${top.localName}${top.id && ` id="${top.id}"`}>.`;
  });
};
