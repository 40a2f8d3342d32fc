import { type FileCookie, headerCookies } from './cookies.ts';
import { FaultyLoginError } from './fault.ts';

/** A header as a user writes it, and where: the start of a sentence, such as `The header 2` or `headers.txt:2`. */
export type HeaderLine = { text: string; place: string };

/** Returns the headers of some lines. A `Cookie` header becomes cookies of the page's host, because no other host gets them. */
export const headersFrom = (
  lines: readonly HeaderLine[],
): { headers: Record<string, string>; cookies: FileCookie[] } => {
  const headers: Record<string, string> = {};
  const cookies: FileCookie[] = [];
  const seen = new Set<string>();
  for (const { text, place } of lines) {
    const [, name, value = ''] = /^\s*([^:\s]+)\s*:(.*)$/s.exec(text) ?? [];
    if (name === undefined) {
      throw new FaultyLoginError(`${place} has no name and value. Write it as name: value.`);
    }
    if (name.toLowerCase() === 'cookie') cookies.push(...headerCookies(value, 'header Cookie'));
    else if (seen.has(name.toLowerCase()))
      throw new FaultyLoginError(`The header ${name} is given twice. Give it once.`);
    else headers[name] = value.trim();
    seen.add(name.toLowerCase());
  }
  return { headers, cookies };
};
