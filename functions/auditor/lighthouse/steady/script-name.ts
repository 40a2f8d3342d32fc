import { matchKey } from '../../../../shared/explanation/addresses.ts';
import { printable } from '../../../../shared/text.ts';

/** Characters of each end of a name. Both distinguish scripts: the host, and the file. */
const END = 40;

/** The document of a load, by which its scripts are named. `scrub` replaces the secrets of the audit. */
export type NamedBy = { documentUrl: string; scrub?: (text: string) => string };

/**
 * Returns the name of a script, the same after a new build, without a query that may hold a secret. The secrets of the audit
 * are replaced first, because a part of one may look like a hash, or be cut off.
 */
export const nameOfScript = (url: string, { documentUrl, scrub = (text) => text }: NamedBy): string => {
  const [scheme] = /^(?:data|blob):/i.exec(url) ?? [];
  if (scheme) return `${scheme.toLowerCase()} URL`; // the rest is the script itself, or differs at each load
  const name = printable(matchKey(scrub(url.replace(/[?#].*$/s, '')), documentUrl));
  return name.length <= 2 * END ? name : `${name.slice(0, END - 1)}…${name.slice(-END)}`;
};
