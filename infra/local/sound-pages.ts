import { setPriority } from 'node:os';
import { argv } from 'node:process';
import { DatabaseSync } from 'node:sqlite';

const LOWEST_PRIORITY = 19;

/** Throws if the pages of a database are damaged. */
export const requireSound = (path: string): void => {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const [first] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
    if (first?.quick_check !== 'ok')
      throw new Error(`it is damaged (${first?.quick_check.replace(/^\*\*\*.*\n/, '').replaceAll('\n', ', ')})`);
  } finally {
    db.close();
  }
};

// As a program, it checks the database of its argument.
if (import.meta.main) {
  setPriority(LOWEST_PRIORITY);
  try {
    requireSound(argv[2] as string);
  } catch (error) {
    const { message } = error as Error;
    console.error(
      /damaged/.test(message) ? message : message.includes('malformed') ? `it is damaged (${message})` : message,
    );
    process.exitCode = 1;
  }
}
