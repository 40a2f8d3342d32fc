import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { FONT_CONFIG, fontConfig, fontRows } from './font-rows.ts';

/** Folder of a deployed function with the fonts. Without it the npm packages are used. */
const deployedDir = join(import.meta.dirname, 'fonts');

/** Folder from which a deployed function reads the fonts. Elsewhere undefined, because each user must be able to read them. */
export const deployedFonts = (): string | undefined => (existsSync(deployedDir) ? deployedDir : undefined);

/** Returns a text that changes with the fonts of the npm packages and their settings. */
export const versionOfPackages = (): Promise<string> => fingerprint(fontFiles(), fontConfig);

/** Returns the same text for a folder with these fonts. */
export const fingerprintOf = async (folder: string): Promise<string> => {
  const names = (await readdir(folder)).filter((name) => name !== FONT_CONFIG);
  const settings = await readFile(join(folder, FONT_CONFIG), 'utf8');
  return fingerprint(
    names.map((name) => join(folder, name)),
    settings,
  );
};

const fingerprint = async (paths: readonly string[], settings: string): Promise<string> => {
  const hash = createHash('sha256').update(settings);
  const files = await Promise.all(paths.map(async (path) => `\n${basename(path)} ${(await stat(path)).size}`));
  return files
    .sort()
    .reduce((all, file) => all.update(file), hash)
    .digest('hex')
    .slice(0, 8);
};

/** Copies the fonts of the npm packages to a folder, with their settings. */
export const copyFonts = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  for (const path of fontFiles()) await copyFile(path, join(folder, basename(path)));
  await writeFile(join(folder, FONT_CONFIG), fontConfig);
};

/** Returns the variable that lets Chromium see the fonts of a folder, and none of the machine's own. */
export const onlyFontsOf = (folder: string): Record<string, string> => ({
  FONTCONFIG_FILE: join(folder, FONT_CONFIG),
});

const fontFiles = (): string[] =>
  Object.entries(fontRows).flatMap(([name, files]) => {
    const packageFile = findPackageJSON(name, import.meta.url);
    if (!packageFile) throw new Error(`The npm package ${name} is missing. Run npm ci.`);
    return files.map((file) => join(dirname(packageFile), file));
  });
