export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns true for a variable of the command, such as its key. */
export const isOwnVariable = (name: string): boolean => /^(PAGE_AUDIT_|LHCI_TOKEN$)/i.test(name);

/**
 * Returns the service that the variables name, the variable with its URL, and its key. Those of Lighthouse CI count where the
 * command's own are not set, so that a workflow changes only its command.
 */
export const serviceOf = (env: Environment) => {
  const { PAGE_AUDIT_URL, PAGE_AUDIT_KEY, LHCI_SERVER_BASE_URL, LHCI_TOKEN } = env;
  const key = PAGE_AUDIT_KEY || undefined;
  if (PAGE_AUDIT_URL) return { url: PAGE_AUDIT_URL, variable: 'PAGE_AUDIT_URL', key };
  if (!LHCI_SERVER_BASE_URL) return { url: undefined, variable: 'PAGE_AUDIT_URL', key };
  return { url: LHCI_SERVER_BASE_URL, variable: 'LHCI_SERVER_BASE_URL', key: key ?? (LHCI_TOKEN || undefined) };
};

/** Returns the variables of the user without those of the command. Processes that it starts need none of them. */
export const withoutOwn = (env: Environment): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !isOwnVariable(name)));
