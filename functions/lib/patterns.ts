import { RE2JS, RE2JSException } from 're2js';

/* RE2 takes a time that is linear in the URL, so that no pattern of a client can occupy a function. */

const compile = (pattern: string): RE2JS => RE2JS.compile(RE2JS.translateRegExp(pattern));

/** Returns true if a part of the URL matches a pattern. */
export const matchesPattern = (pattern: string, url: string): boolean => compile(pattern).matcher(url).find();

/** Returns why a pattern is refused, or undefined for one that matches can use. */
export const faultOfPattern = (pattern: string): string | undefined => {
  try {
    compile(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `The pattern is no regular expression of RE2: ${error.message.replace('error parsing regexp: ', '')}. RE2 has no lookahead, lookbehind and back reference. Write a pattern without them.`;
  }
};
