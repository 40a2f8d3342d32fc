import { RE2JS, RE2JSException } from 're2js';
import { MAX_PATTERN_LENGTH } from '../../shared/assertions/sets.ts';

/* RE2 takes a time that is linear in the URL, so that no pattern of a client can occupy a function. */

const compile = (pattern: string): RE2JS => RE2JS.compile(RE2JS.translateRegExp(pattern));

/** Returns true if a part of the URL matches a pattern. */
export const matchesPattern = (pattern: string, url: string): boolean => compile(pattern).test(url);

/** Returns why a pattern is refused, or undefined for one that matches can use. */
export const faultOfPattern = (pattern: string): string | undefined => {
  if (writtenLength(pattern) > MAX_PATTERN_LENGTH)
    return `The pattern has more than ${MAX_PATTERN_LENGTH} characters when its counts are written out, and each Unicode class as ${CLASS_LENGTH}. Use smaller counts, or * and +.`;
  try {
    compile(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `The pattern is no regular expression of RE2: ${error.message.replace('error parsing regexp: ', '')}. RE2 has no lookahead, lookbehind and back reference. Write a pattern without them.`;
  }
};

const TOKEN = /\\Q.*?(?:\\E|$)|\\[xpP]\{\w+\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gs;

/** Number of characters that cost as much as a Unicode class, which has hundreds of ranges. */
const CLASS_LENGTH = 20;
const lengthOf = (token: string): number => 1 + (CLASS_LENGTH - 1) * (token.match(/\\[pP]/g)?.length ?? 0);

/** Returns how many characters and groups a pattern has when its counts are written out, because RE2 compiles each of them. */
const writtenLength = (pattern: string): number => {
  const groups = [0]; // the length of each group that has not ended
  let last = 0; // the length of the part to which a count belongs
  for (const [token, least, most] of pattern.matchAll(TOKEN)) {
    if (token === '(') {
      groups.push(0);
      continue;
    }
    const count = least === undefined ? 0 : Math.max(Number(least), Number(most ?? 0), 1);
    const before = last;
    if (count > 0) last *= count;
    else last = token === ')' && groups.length > 1 ? 1 + (groups.pop() ?? 0) : lengthOf(token);
    groups.push((groups.pop() ?? 0) + (count > 0 ? last - before : last));
  }
  return groups.reduce((sum, length) => sum + length);
};
