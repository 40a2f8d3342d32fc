import { onLambda } from './free-resources.ts';
import { loadedLibraries } from './libc.ts';

const RLIMIT_CORE = 4;

/**
 * Keeps this process and its browsers from writing core files. The core file of a crashed browser may have gigabytes, and the
 * secrets of a check.
 */
export const writeNoCoreFiles = (): void => {
  if (onLambda()) return;
  try {
    const setLimit = loadedLibraries().func('int setrlimit(int resource, void *limit)');
    setLimit(RLIMIT_CORE, Buffer.alloc(16)); // two numbers of 8 bytes: the limit, and the highest that a process may set
  } catch {
    // The package is missing. The file is then in the work folder of the audit, which is deleted.
  }
};
