import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { oncePerRun } from './once-per-run.ts';

const root = join(import.meta.dirname, '../..');

/** Packages with a lockfile of their own in `test/<name>/`, because `npm ci` of the project leaves them out. */
export type ExtraPackages = 'bench' | 'generators' | 'lighthouse-ci' | 'page-speed';

/** Folder with the packages after `installExtra`. */
export const extraFolder = (name: ExtraPackages): string => join(root, 'dist', name, 'node_modules');

/** Installs the packages, unless those of the lockfile are there. The first time needs the registry. */
export const installExtra = async (name: ExtraPackages): Promise<void> => {
  await oncePerRun(`packages-${name}`, () => install(name)); // two test files may need them at the same time
};

const install = async (name: ExtraPackages): Promise<void> => {
  const installed = join(extraFolder(name), '.installed-lock.json');
  const wanted = join(root, 'test', name, 'package-lock.json');
  const isThere = existsSync(installed) && (await readFile(wanted)).equals(await readFile(installed));
  if (isThere) return;
  const folder = join(root, 'dist', name);
  await mkdir(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    await copyFile(join(root, 'test', name, file), join(folder, file));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await promisify(execFile)('npm', ['ci', ...options], { cwd: folder });
  await copyFile(wanted, installed);
};
