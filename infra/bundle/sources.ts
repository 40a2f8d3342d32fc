import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filesIn } from './files.ts';

/** Returns a hash of everything that affects a build: its sources, the lockfile, the build scripts and the Node version. */
export const hashOfSources = async (root: string, folders: readonly string[]): Promise<string> => {
  const hash = createHash('sha256').update(process.version);
  hash.update(await readFile(join(root, 'package-lock.json')));
  for (const folder of folders) {
    for (const [path, content] of await filesIn(join(root, folder)))
      hash.update(`\n${folder}/${path}\n`).update(content);
  }
  return hash.digest('hex');
};
