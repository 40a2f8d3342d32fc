import { statSync } from 'node:fs';

/**
 * Returns a function that throws if the paths of files that are open now lead to other files or none, for example because
 * someone has moved their folder. Writes to such files are lost for the next start.
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
