import type { MainFrame } from '../messages.ts';
import { isErrorStatus } from './observation.ts';

/** Returns where the page went after its first document, as a sentence for an error message, or nothing. */
export const moveSentence = ({ left = [] }: MainFrame): string => {
  const last = left.at(-1);
  return last ? ` ${sentenceOf({ url: left[0]?.url ?? '', to: last.to })}` : '';
};

/** Returns the warnings about a page that navigated by itself. Lighthouse itself names a redirect to another address. */
export const warningsOfMoves = ({ left = [], held }: MainFrame): string[] => {
  const errors = left.filter(({ status }) => isErrorStatus(status));
  const reloaded = left.length > 0 && errors.length === 0 && left.every(isReload);
  return [
    ...errors.map((each) => `${each.url} answered with status ${each.status}. ${sentenceOf(each)}`),
    ...(reloaded ? ['The page reloaded itself before it was measured.'] : []),
    ...(held ? [heldWarning(held)] : []),
  ];
};

const sentenceOf = (move: Move): string =>
  isReload(move) ? 'The page then reloaded itself.' : `The page then went to ${move.to} by itself.`;

const heldWarning = (held: Move): string => {
  const move = isReload(held) ? 'reloaded itself' : `navigated to ${held.to}`;
  return `The page ${move} while it was being audited. The service stopped this, so all results describe ${held.url}.`;
};

type Move = { url: string; to: string };
const isReload = ({ url, to }: Move): boolean => withoutFragment(url) === withoutFragment(to);
const withoutFragment = (url: string): string => url.replace(/#.*/, '');
