export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns true for a variable of the command, such as its key. */
export const isOwnVariable = (name: string): boolean => /^PAGE_AUDIT_/i.test(name);

/** Returns the variables of the user without those of the command. Processes that it starts need none of them. */
export const withoutOwn = (env: Environment): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !isOwnVariable(name)));
