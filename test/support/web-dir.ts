import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeFiles } from '../../infra/build/files.ts';
import { webFiles } from '../../infra/build/web.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: Promise<string> | undefined;

/** Bundles the web page once per process. Returns the folder of its files, which ends with the process. */
export const webDir = (): Promise<string> => {
  folder ??= bundled();
  return folder;
};

const bundled = async (): Promise<string> => {
  const dir = mkdtempSync(join(tmpdir(), 'page-audit-web-files-'));
  process.on('exit', () => rmSync(dir, { recursive: true }));
  await writeFiles(dir, await webFiles(root));
  return dir;
};
