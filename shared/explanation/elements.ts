import { cutText, printable } from '../text.ts';
import type { NodeValue } from './report.ts';
import type { PageElement } from './schema.ts';

const MAX_SELECTOR = 160;
const MAX_SNIPPET = 200;

export type ElementFact = PageElement & { label: string | null };

const shown = (text: unknown, max: number): string | null =>
  typeof text === 'string' && text !== '' ? cutText(printable(text.slice(0, 2 * max)), max) : null;

/** Returns an element for an answer, or null if the value names none. */
export const elementOf = ({ selector, snippet, nodeLabel }: NodeValue): ElementFact | null => {
  const element = { selector: shown(selector, MAX_SELECTOR), snippet: shown(snippet, MAX_SNIPPET) };
  if (element.selector === null && element.snippet === null) return null;
  return { ...element, label: shown(nodeLabel, MAX_SELECTOR) };
};

/**
 * Returns true if two reports mean the same element. Two of selector, snippet and text agree then: a new element above
 * changes the selectors below it, and a new build changes the addresses in snippets.
 */
export const isSameElement = (a: ElementFact, b: ElementFact): boolean =>
  [a.selector === b.selector, a.snippet === b.snippet, a.label === b.label].filter((agrees) => agrees).length >= 2;

export const pageElement = ({ selector, snippet }: ElementFact): PageElement => ({ selector, snippet });

/** Returns the name of an element in a sentence: its selector without its ancestors, or its snippet. */
export const nameOfElement = ({ selector, snippet }: PageElement): string =>
  cutText(selector?.split(' > ').at(-1) ?? snippet ?? '', 60);
