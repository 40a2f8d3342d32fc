/**
 * Returns what is wrong with the spelling of a URL, or undefined. The URL parser would repair these spellings without a
 * word, so the service would audit another URL than the client sent.
 */
export const syntaxFault = (url: string): string | undefined => {
  const [, beforeQuery = '', host = ''] = /^([^/\\?#]*[/\\]*([^/\\?#]*)[^?#]*)/.exec(url) ?? [];
  const fault = faults.find(({ isIn }) => isIn({ url, beforeQuery, host }));
  return fault && `The URL ${fault.message}`;
};

/** `host` includes a user name and a port. */
type Parts = { url: string; beforeQuery: string; host: string };
type Fault = { message: string; isIn: (parts: Parts) => boolean };

const faults: readonly Fault[] = [
  { message: 'must not start or end with blanks. Remove them.', isIn: ({ url }) => url.trim() !== url },
  {
    message: 'must start with http:// or https:// and a host, such as https://example.com/.',
    isIn: ({ url }) => !/^https?:\/\/[^/\\?#]/i.test(url),
  },
  {
    message: 'must not contain a tab, a line break or another control character. Percent-encode it, such as %09.',
    isIn: ({ url }) => /\p{Cc}/u.test(url),
  },
  {
    message:
      'must not contain half of a surrogate pair. Send the character in full, or percent-encode its UTF-8 bytes.',
    isIn: ({ url }) => !url.isWellFormed(),
  },
  {
    message: 'must not contain a backslash in its host or path. Use a slash, or percent-encode the backslash as %5C.',
    isIn: ({ beforeQuery }) => beforeQuery.includes('\\'),
  },
  { message: 'must not contain a user name or a password.', isIn: ({ host }) => host.includes('@') },
  {
    message: 'must not contain an invisible character in its host, such as a zero-width space. Remove it.',
    isIn: ({ host }) => INVISIBLE.test(host),
  },
  {
    message: 'must not contain a percent sign in its host. Send the host as text, such as https://münchen.de/.',
    isIn: ({ host }) => host.includes('%'),
  },
];

/** Characters that the URL parser drops from a host. It keeps or refuses the joiners U+200C and U+200D by their context. */
const INVISIBLE = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/u;
