import type { Page } from 'puppeteer-core';

/** Records from the next address on what a screen reader announces. Returns a function that returns these texts. */
export const announcementsOf = async (page: Page) => {
  await page.evaluateOnNewDocument(() => {
    const texts: string[] = [];
    Object.assign(globalThis, { announced: texts });
    const live = '[aria-live=polite], [role=status], [role=alert]';
    new MutationObserver((changes) => {
      const changed = changes.map(({ target }) => (target instanceof Element ? target : target.parentElement));
      const added = changes.flatMap(({ addedNodes }) =>
        [...addedNodes].flatMap((node) => (node instanceof Element ? [...node.querySelectorAll('[role=alert]')] : [])),
      );
      const regions = new Set([...changed.map((each) => each?.closest(live)), ...added]);
      for (const region of regions) if (region?.textContent?.trim()) texts.push(region.textContent.trim());
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { announced: string[] }).announced);
};
