import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { type Files, filesIn } from './files.ts';

/**
 * At this level zstd inflates in half the time of the package's Brotli, with 15 % more bytes. Level 12 saves 1 % and
 * takes 2.5 times as long.
 */
const LEVEL = 9;
const params = { [constants.ZSTD_c_compressionLevel]: LEVEL }; // with workers, Node returns no data for a large file

/**
 * Returns Chromium with its shared libraries, each file as zstd, and a package.json with its version. Keeps
 * the files in `cache`, because packing takes five seconds.
 */
export const packedChromium = async (root: string, cache: string): Promise<Files> => {
  const require = createRequire(join(root, 'package.json'));
  const main = require.resolve('@sparticuz/chromium');
  const { version } = JSON.parse(await readFile(join(dirname(main), '..', 'package.json'), 'utf8'));
  const folder = join(cache, `chromium-${version}-fontless-zstd${LEVEL}`);
  if (!existsSync(folder)) await pack(main, version, folder);
  return filesIn(folder);
};

const pack = async (main: string, version: string, folder: string): Promise<void> => {
  await mkdir(dirname(folder), { recursive: true });
  const partial = await mkdtemp(`${folder}.partial-`);
  const unpacked = join(partial, 'unpacked');
  const packed = join(partial, 'packed');
  try {
    await mkdir(unpacked, { recursive: true });
    const script = `const { default: chromium } = await import(${JSON.stringify(main)}); await chromium.executablePath();`;
    // The package unpacks into the temporary folder. It unpacks its shared libraries only if these variables say
    // Lambda.
    const env = { PATH: process.env.PATH, HOME: partial, TMPDIR: unpacked, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
    for (const name of await readdir(unpacked, { recursive: true })) {
      const from = join(unpacked, name);
      if (!(await stat(from)).isFile() || name.startsWith('fonts/')) continue; // infra/bundle/fonts.ts has the fonts
      const to = join(packed, `${relative(unpacked, from)}.zst`);
      await mkdir(dirname(to), { recursive: true });
      await writeFile(to, await promisify(zstdCompress)(await readFile(from), { params }));
    }
    await writeFile(join(packed, 'package.json'), JSON.stringify({ version }));
    await rename(packed, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
};
