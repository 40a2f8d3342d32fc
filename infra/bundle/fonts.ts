import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FONT_CONFIG, fontConfig, fontRows } from '../../functions/auditor/host/font-rows.ts';
import type { Files } from './files.ts';

/** Returns the fonts of a deployed audit, and their settings. */
export const fontFiles = async (root: string): Promise<Files> => {
  const files: Files = new Map([[FONT_CONFIG, fontConfig]]);
  for (const [name, paths] of Object.entries(fontRows)) {
    for (const path of paths) files.set(basename(path), await readFile(join(root, 'node_modules', name, path)));
  }
  return files;
};
