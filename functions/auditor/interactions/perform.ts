import type { KeyInput, Page } from 'puppeteer-core';
import type { Step } from '../../../shared/interactions/interactions.ts';
import type { AuditOrder } from '../messages.ts';
import { find, type Point, usablePoint } from './target.ts';
import { choose, typeInto } from './typing.ts';
import { turnWheel } from './wheel.ts';

type Order = Pick<AuditOrder, 'url' | 'options' | 'secrets'>;

/** Performs a step with the input of a real user. Throws if its element is not found, or can't be used, until `signal` aborts. */
export const perform = async (page: Page, step: Step, order: Order, signal: AbortSignal): Promise<void> => {
  if ('press' in step) return press(page, step.press);
  if ('scroll' in step && typeof step.scroll === 'number') return turnWheel(page, step.scroll);
  if ('click' in step) return click(page, await usablePoint(page, step.click, signal), order);
  if ('hover' in step) {
    const { x, y } = await usablePoint(page, step.hover, signal);
    return page.mouse.move(x, y);
  }
  if ('waitFor' in step) return void (await find(page, step.waitFor, signal));
  if ('scroll' in step) return (await find(page, step.scroll as string, signal)).scrollIntoView();
  if ('select' in step) return choose(await find(page, step.select, signal), step.values);
  await typeInto(page, await find(page, step.type, signal), step.text, { order, signal });
};

/** Clicks as the user of the device does: with a finger on a phone, else with the mouse. */
const click = async (page: Page, { x, y }: Point, { options }: Order): Promise<void> =>
  options.device === 'mobile' ? page.touchscreen.tap(x, y) : page.mouse.click(x, y);

const press = async ({ keyboard }: Page, key: string): Promise<void> => {
  const keys = key.split(/\+(?=.)/) as KeyInput[];
  const modifiers = keys.slice(0, -1);
  for (const modifier of modifiers) await keyboard.down(modifier);
  await keyboard.press(keys.at(-1) as KeyInput);
  for (const modifier of modifiers.reverse()) await keyboard.up(modifier);
};
