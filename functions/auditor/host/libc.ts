import { createRequire } from 'node:module';

type Call = (...values: unknown[]) => number;

/** Returns the libraries that this process has loaded, for system calls that Node can't make. Throws if the package is missing. */
export const loadedLibraries = (): { func: (declaration: string) => Call; errno: () => number } => {
  const koffi = createRequire(import.meta.url)(`@koromix/koffi-linux-${process.arch}`);
  const own = koffi.load(null);
  return { func: (declaration) => own.func(declaration), errno: () => koffi.errno() };
};
