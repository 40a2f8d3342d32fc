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
  if (typeof text === 'object') return insert(field, secretFor(field.frame, text.secret, order));
  const kind = await field.evaluate((element) => (element as HTMLInputElement).type);
  if (kind === 'select-one' || kind === 'select-multiple') return void (await field.select(text));
  if (UNTYPED.test(kind)) return setValue(field, text);
  await focusAll(field);
  if (text === '') await page.keyboard.press('Delete');
  for (const character of text) {
    if (signal.aborted) throw new Error('The page did not take the text in time.');
    await page.keyboard.type(character);
  }
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

/** Focuses a field and selects its text, so that the next input replaces it. */
const focusAll = async (field: ElementHandle): Promise<void> => {
  await field.focus();
  await field.evaluate((element) => {
    if ('select' in element) (element as HTMLInputElement).select();
  });
};

/**
 * Inserts a text as a password manager does. A page that sends each key would otherwise send parts of the text, which nobody
 * could tell from other texts. Nothing can move the focus to another frame meanwhile.
 */
const insert = async (field: ElementHandle, text: string): Promise<void> => {
  await focusAll(field);
  const isTaken = await field.evaluate(
    (element, value) => element.ownerDocument.execCommand('insertText', false, value),
    text,
  );
  if (!isTaken) throw new Error('The element takes no text.');
};

/** Returns a secret text for a frame. Throws if the frame belongs to another site than the check. */
const secretFor = (frame: Frame, name: string, { url, secrets }: Order): string => {
  const text = secrets?.secretTexts?.[name];
  if (text === undefined) throw new Error('The service does not have the secret text.'); // a create refuses it
  const shown = new URL(addressOf(frame));
  const own = new URL(url);
  const isOwn = belongsTo(own.hostname, shown.hostname, registrableDomain);
  if (isOwn && (shown.protocol === own.protocol || shown.protocol === 'https:')) return text;
  throw new Error(`The secret text is for the site of ${own.origin}, and the element belongs to ${shown.origin}.`);
};

/** Returns the address of a frame. A frame without an own address shows what its parent wrote. */
const addressOf = (frame: Frame): string => {
  const parent = frame.parentFrame();
  return /^about:/.test(frame.url()) && parent ? addressOf(parent) : frame.url();
};
