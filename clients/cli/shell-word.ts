/** Returns a text as one word of a shell, because users copy it from a message. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
