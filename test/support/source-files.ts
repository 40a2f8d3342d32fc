import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export const productFolders = ['clients', 'functions', 'infra', 'shared'] as const;

/** Returns the TypeScript files below a folder of the project, with their paths from its root. */
export const sourcesIn = (folder: string): { path: string; text: string }[] =>
  globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }).map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }));
