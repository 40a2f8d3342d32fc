import { statSync } from 'node:fs';

/**
 * Returns a function that throws if the paths of open files lead to other files or none, for example after their folder was
 * moved. Writes to such files are lost for the next start.
 */
export const openedFiles = (paths: readonly string[]): (() => void) => {
  const identityOf = (path: string) => {
    const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
    return `${dev} ${ino}`;
  };
  const opened = paths.map((path) => [path, identityOf(path)] as const);
  return () => {
    const moved = opened.find(([path, identity]) => identityOf(path) !== identity);
    if (moved) throw new Error(`${moved[0]} was moved, removed or replaced while the service used it`);
  };
};
