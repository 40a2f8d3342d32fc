import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { type Files, filesIn } from './files.ts';

/** Half the time of the package's own Brotli to inflate, for 13 % more bytes. Level 19 saves 9 % of them, in 100 s. */
const LEVEL = 12;
const params = { [constants.ZSTD_c_compressionLevel]: LEVEL }; // and no workers: Node then gives nothing for a large file

/**
 * Chromium with the shared libraries and fonts of its package, each file as zstd, and a package.json with its version. Kept
 * in `cache` once made: it takes ten seconds and changes with the package only.
 */
export const packedChromium = async (root: string, cache: string): Promise<Files> => {
  const require = createRequire(join(root, 'package.json'));
  const main = require.resolve('@sparticuz/chromium');
  const { version } = JSON.parse(await readFile(join(dirname(main), '..', 'package.json'), 'utf8'));
  const home = join(cache, `chromium-${version}-zstd${LEVEL}`);
  if (!existsSync(home)) await pack(main, version, home);
  return filesIn(home);
};

const pack = async (main: string, version: string, home: string): Promise<void> => {
  await mkdir(dirname(home), { recursive: true });
  const part = await mkdtemp(`${home}.part-`);
  const unpacked = join(part, 'unpacked');
  const packed = join(part, 'packed');
  try {
    await mkdir(unpacked, { recursive: true });
    const script = `const { default: chromium } = await import(${JSON.stringify(main)}); await chromium.executablePath();`;
    // The package unpacks to the temporary folder, and its shared libraries only where it believes to be on Lambda.
    const env = { PATH: process.env.PATH, HOME: part, TMPDIR: unpacked, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
    for (const name of await readdir(unpacked, { recursive: true })) {
      const from = join(unpacked, name);
      if (!(await stat(from)).isFile()) continue;
      const to = join(packed, `${relative(unpacked, from)}.zst`);
      await mkdir(dirname(to), { recursive: true });
      await writeFile(to, await promisify(zstdCompress)(await readFile(from), { params }));
    }
    await writeFile(join(packed, 'package.json'), JSON.stringify({ version }));
    await rename(packed, home);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
};
