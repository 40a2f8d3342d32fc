/** Longest address that a run shows. The service accepts 2,048 characters, and an escaped character has up to nine. */
export const MAX_FINAL_URL_LENGTH = 9 * 2048;

/** The start of a character at the end of a text: a half escape, the bytes of an escaped character, or half a pair. */
const UNFINISHED = /(?:%[C-F][0-9A-F](?:%[89AB][0-9A-F])*)?(?:%[0-9A-F]?)?$|[\uD800-\uDBFF]$/i;

/** Returns a text of at most `max` characters. A cut text ends with `…`, and the cut never divides a character or an escape. */
export const cutText = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(UNFINISHED, '')}…`;

/**
 * Returns a text on one line, without the characters that steer a terminal or reorder its text. A URL, a warning or a
 * message may quote a hostile page.
 */
export const printable = (text: string): string => text.replace(/\s+/gu, ' ').replace(/\p{C}/gu, '\ufffd');

/** Returns a JSON value in which every text is printable, also the names of its fields. */
export const printableValue = <T>(value: T): T => {
  if (typeof value === 'string') return printable(value) as T;
  if (Array.isArray(value)) return value.map(printableValue) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [printable(name), printableValue(each)])) as T;
};

/**
 * Returns a number with commas between its thousands, as `toLocaleString('en')` does. `Intl` blocks a page for 30 ms when it
 * is first used.
 */
export const grouped = (value: number, digits = 3): string => {
  const [whole = '', fraction = ''] = value.toFixed(digits).split('.');
  const rest = fraction.replace(/0+$/, '');
  return whole.replace(/\B(?=(?:\d{3})+$)/g, ',') + (rest && `.${rest}`);
};

/** Returns the WHATWG form of a URL, in which spellings of the same URL are equal. */
export const canonicalUrl = (url: string): string => URL.parse(url)?.href ?? url;
