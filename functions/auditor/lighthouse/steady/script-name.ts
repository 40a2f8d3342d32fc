import { matchKey } from '../../../../shared/explanation/addresses.ts';

/** Characters of each end of a name. Both tell scripts apart: the host, and the file. */
const END = 40;

/** Returns the name of a script, the same after a new build, without a query that may hold a secret. */
export const nameOfScript = (url: string, documentUrl: string): string => {
  const name = matchKey(url.replace(/[?#].*$/s, ''), documentUrl);
  return name.length <= 2 * END ? name : `${name.slice(0, END - 1)}…${name.slice(-END)}`;
};
