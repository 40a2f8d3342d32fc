/** Returns whether a URL without its scheme names this machine, whose servers have no certificate as a rule. */
export const isThisMachine = (host: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\]|[\w.-]+\.localhost)(?=[:/?#]|$)/i.test(host);
