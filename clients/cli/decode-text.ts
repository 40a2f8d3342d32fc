/** Returns the text of a file of the user without a byte order mark. PowerShell writes UTF-16. */
export const decodeText = (bytes: Uint8Array): string =>
  new TextDecoder(markedEncoding(bytes) ?? 'utf-8').decode(bytes);

/** Returns the encoding that a byte order mark names, or undefined without one. */
export const markedEncoding = ([first, second, third]: Uint8Array): string | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
};
