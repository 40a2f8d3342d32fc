import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Contents of files by their paths in a folder. */
export type Files = Map<string, string | Uint8Array>;

export const filesIn = async (folder: string): Promise<Files> => {
  const files: Files = new Map();
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, name);
    if ((await stat(path)).isFile()) files.set(name, await readFile(path));
  }
  return files;
};

/** Writes files. With `flush` the data are on the disk afterwards, so that no crash of the machine leaves part of a file. */
export const writeFiles = async (folder: string, files: Files, { flush = false } = {}): Promise<void> => {
  for (const path of new Set([...files.keys()].map(dirname))) await mkdir(join(folder, path), { recursive: true });
  for (const [path, content] of files) {
    await writeFile(join(folder, path), content, { flush });
    await chmod(join(folder, path), 0o644); // independent of the umask, because Lambda runs as another user
  }
};

/** Returns the same files with paths in a folder. */
export const inFolder = (folder: string, files: Files): Files =>
  new Map([...files].map(([path, content]) => [join(folder, path), content]));

/** Returns the path and the size in bytes of each file. */
export const sizesOf = (files: Files): [string, number][] =>
  [...files].map(([path, content]) => [path, Buffer.byteLength(content)]);
