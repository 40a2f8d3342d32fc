import type { ElementHandle, Frame, Page } from 'puppeteer-core';
import type { TypedText } from '../../../shared/interactions/interactions.ts';
import { belongsTo } from '../../../shared/options/secrets.ts';
import { registrableDomain } from '../../lib/targets/registrable-domain.ts';
import type { AuditOrder } from '../messages.ts';

type Order = Pick<AuditOrder, 'url' | 'secrets'>;

/** Replaces the text of a field. Types each character of a plain text, and inserts a secret one at once. */
export const typeInto = async (
  page: Page,
  field: ElementHandle,
  text: TypedText,
  { order, signal }: { order: Order; signal: AbortSignal },
): Promise<void> => {
  if (typeof text === 'object') return insertSecret(field, text.secret, order);
  const kind = await field.evaluate((element) => (element as HTMLInputElement).type);
  if (kind === 'select-one' || kind === 'select-multiple') return choose(field, [text]);
  const isFocused = await focusAll(field);
  const isLocked = await field.evaluate(
    (element) => (element as HTMLInputElement).readOnly || element.matches(':disabled'),
  );
  if (isLocked || !isFocused) throw new Error('The field takes no text.');
  if (UNTYPED.test(kind)) return setValue(field, text);
  if (text === '') await page.keyboard.press('Delete');
  for (const character of text) {
    if (signal.aborted) throw new Error('The page did not take the text in time.');
    await page.keyboard.type(character);
  }
};

/** Chooses options of a list. */
export const choose = async (list: ElementHandle, values: readonly string[]): Promise<void> => {
  const options = await list.evaluate((element) =>
    [...(element as HTMLSelectElement).options].map(({ value }) => value),
  );
  const missing = values.find((value) => !options.includes(value));
  if (missing !== undefined) throw new Error(`The list has no value ${JSON.stringify(missing)}.`);
  await list.select(...values);
};

/** Kinds of inputs in which a user chooses a value. */
const UNTYPED = /^(color|date|datetime-local|month|range|time|week)$/;

const setValue = async (field: ElementHandle, text: string): Promise<void> => {
  const isSet = await field.evaluate((element, value) => {
    const ofClass = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value'); // a framework may have its own one on the element
    ofClass?.set?.call(element, value);
    for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }));
    return (element as HTMLInputElement).value === value;
  }, text);
  if (!isSet) throw new Error('The element does not take this value.');
};

/**
 * Focuses a field and selects its text, so that the next input replaces it. Returns false if nothing took the focus. A page may
 * move the focus to another field.
 */
const focusAll = (field: ElementHandle): Promise<boolean> =>
  field.evaluate((element) => {
    const before = document.activeElement;
    const { isContentEditable } = element as HTMLElement;
    (element as HTMLElement).focus();
    if ('select' in element) (element as HTMLInputElement).select();
    else if (isContentEditable) getSelection()?.selectAllChildren(element);
    const { activeElement } = element.getRootNode() as Document | ShadowRoot;
    return isContentEditable || document.activeElement !== before || element.contains(activeElement);
  });

/**
 * Inserts a secret text as a password manager does. A page that sends each key would otherwise send parts of the text, which
 * nobody could distinguish from other texts. One task of the frame's isolated world asks for the document's origin and inserts the
 * text. So neither a script nor a navigation comes between.
 */
const insertSecret = async (field: ElementHandle, name: string, { url, secrets }: Order): Promise<void> => {
  const text = secrets?.secretTexts?.[name];
  if (text === undefined) throw new Error('The service does not have the secret text.'); // a create refuses it
  const own = await (field.frame as WithIsolatedRealm).isolatedRealm().adoptHandle(field);
  const origin = await own.evaluate(() => self.origin);
  requireOwnSite(origin, url);
  const fault = await own.evaluate(
    (element, value, expected) => {
      if (self.origin !== expected || element.ownerDocument !== document)
        return 'The element went to another document.';
      (element as HTMLElement).focus();
      if ('select' in element) (element as HTMLInputElement).select();
      return document.execCommand('insertText', false, value) ? null : 'The element takes no text.';
    },
    text,
    origin,
  );
  if (fault !== null) throw new Error(fault);
};

/** A part of Puppeteer's frame that its types leave out: a world of its own, in which no script of the page runs. */
type WithIsolatedRealm = Frame & {
  isolatedRealm: () => { adoptHandle: (handle: ElementHandle) => Promise<ElementHandle> };
};

/** Throws unless an origin belongs to the site of the check. The address of a frame proves nothing: another frame may have written its document. */
const requireOwnSite = (origin: string, url: string): void => {
  const own = new URL(url);
  const shown = URL.canParse(origin) ? new URL(origin) : undefined; // `null` is an opaque origin
  const isOwn = shown !== undefined && belongsTo(own.hostname, shown.hostname, registrableDomain);
  if (isOwn && (shown.protocol === own.protocol || shown.protocol === 'https:')) return;
  throw new Error(`The secret text is for the site of ${own.origin}, and the element belongs to ${origin}.`);
};
