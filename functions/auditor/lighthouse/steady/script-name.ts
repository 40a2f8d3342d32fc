import { matchKey } from '../../../../shared/explanation/addresses.ts';
import { cutText } from '../../../../shared/text.ts';

const MAX_NAME = 80;

/** Returns the name of a script, the same after a new build, without a query that may hold a secret. */
export const nameOfScript = (url: string, documentUrl: string): string =>
  cutText(matchKey(url.replace(/[?#].*$/s, ''), documentUrl), MAX_NAME);
