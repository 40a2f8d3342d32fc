import type { KeyInput, Page } from 'puppeteer-core';
import { expect } from 'vitest';

/** Returns the focused element: its name, its tag, and true if a person sees that it has the focus. */
export const focusOf = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement;
    const { top, bottom } = element.getBoundingClientRect();
    const { outlineStyle } = getComputedStyle(element);
    const name = element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? element.textContent ?? '';
    const visible = outlineStyle !== 'none' && bottom > 0 && top < innerHeight;
    return { name: name.trim().replaceAll(/\s+/g, ' '), tag: element.tagName, visible };
  });

/** Presses Tab until the element with this name has the focus. Each element on the way shows its focus. */
export const tabTo = async (page: Page, name: string | RegExp, { back = false } = {}): Promise<void> => {
  const passed: string[] = [];
  for (let i = 0; i < 80; i++) {
    if (back) await page.keyboard.down('Shift');
    await page.keyboard.press('Tab');
    if (back) await page.keyboard.up('Shift');
    const focus = await focusOf(page);
    passed.push(focus.name);
    expect(focus).toMatchObject({ name: focus.name, visible: true });
    if (typeof name === 'string' ? focus.name.startsWith(name) : name.test(focus.name)) return;
  }
  throw new Error(`Tab does not reach ${name}. It passes ${passed.join(', ')}.`);
};

/** Moves the focus to an element with Tab, and presses a key on it. */
export const pressOn = async (
  page: Page,
  name: string | RegExp,
  key: KeyInput = 'Enter',
  options = {},
): Promise<void> => {
  await tabTo(page, name, options);
  await page.keyboard.press(key);
};

/** Waits until the heading of a view has the focus. */
export const untilHeading = async (page: Page, text: string): Promise<void> => {
  await page.waitForFunction(
    (wanted) => document.activeElement?.tagName === 'H1' && document.activeElement.textContent?.includes(wanted),
    {},
    text,
  );
  expect(await focusOf(page)).toMatchObject({ tag: 'H1', visible: false }); // a script has moved the focus
};
