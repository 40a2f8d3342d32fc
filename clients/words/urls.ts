/** Returns the URL that a text means, with the scheme that people leave out. Every client takes URLs so. */
export const withScheme = (text: string): string => {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  return `${isThisMachine(text) ? 'http' : 'https'}://${text}`;
};

/** Returns whether a URL without its scheme names this machine, whose servers have no certificate as a rule. */
const isThisMachine = (host: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\]|[\w.-]+\.localhost)(?=[:/?#]|$)/i.test(host);

/** Returns true for an address that leads each reader to the reader's own machine. */
export const isLoopback = (url: string): boolean =>
  /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
