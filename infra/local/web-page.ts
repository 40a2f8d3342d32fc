import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stop } from 'esbuild';
import type { Files } from '../bundle/files.ts';
import { webFiles } from '../bundle/web.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles the web page, and then ends the bundler's process. */
export const bundlePage = async (): Promise<Files> => {
  try {
    return await webFiles(root);
  } finally {
    await stop();
  }
};

/** Writes the files of the web page to the data folder. Returns their folder. */
export const writePage = async (dataDir: string, files: Files): Promise<string> => {
  const folder = join(dataDir, 'web-page');
  await rm(folder, { recursive: true, force: true }); // of an earlier start
  await mkdir(folder);
  for (const [name, content] of files) await writeFile(join(folder, name), content);
  return folder;
};
