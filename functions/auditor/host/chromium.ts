import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createZstdDecompress } from 'node:zlib';
import { removeStale } from './processes.ts';

/** A Chromium that starts on this machine: its binary, and what its environment needs beyond the ordinary. */
export type Chromium = { executable: string; env: Record<string, string> };

/** Where a deployed function has Chromium: each of its files as zstd. Elsewhere it comes out of its package. */
const packedDir = join(import.meta.dirname, 'chromium');

/**
 * Unpacks Chromium once, and finds how it starts here: with the machine's shared libraries, or with those that its
 * package brings. Throws an error that names the missing library where neither does.
 */
export const prepareChromium = async (dir = tmpdir(), signal?: AbortSignal): Promise<Chromium> => {
  const packageFile = existsSync(packedDir)
    ? join(packedDir, 'package.json')
    : new URL('../package.json', import.meta.resolve('@sparticuz/chromium'));
  const { version } = JSON.parse(await readFile(packageFile, 'utf8')) as { version: string };
  const home = join(dir, `chromium-${version}`);
  if (!existsSync(home)) await unpack(home, signal);
  await makeReadable(home).catch(() => {}); // another user's: then it is as open as it is
  const executable = join(home, 'chromium');
  const fonts: Record<string, string> = existsSync('/etc/fonts/fonts.conf')
    ? {}
    : { FONTCONFIG_PATH: join(home, 'fonts') };

  const error = await startError(executable, fonts);
  if (!error) return { executable, env: fonts };
  const bundled = { ...fonts, LD_LIBRARY_PATH: join(home, 'al2023', 'lib') };
  const bundledError = await startError(executable, bundled);
  if (!bundledError) return { executable, env: bundled };
  const library = bundledError.match(/loading shared libraries: (\S+?):/)?.[1];
  throw new Error(
    library
      ? `Chromium needs the shared library ${library}, which this machine lacks. On Debian or Ubuntu: apt-get install libnss3 libnspr4 libexpat1 libdbus-1-3 (or "apt-file search ${library}" for its package).`
      : `Chromium does not start on this machine: ${bundledError.slice(0, 500)}`,
  );
};

/** Unpacks in a folder that only this process knows; the folder's rename is the moment from which others see it. */
const unpack = async (home: string, signal: AbortSignal | undefined): Promise<void> => {
  await mkdir(dirname(home), { recursive: true });
  await removeStale(dirname(home), `${basename(home)}.part-`);
  const part = `${home}.part-${process.pid}`;
  await mkdir(part, { recursive: true });
  try {
    await (existsSync(packedDir) ? inflate(packedDir, part, signal) : unpackPackage(part, signal));
    await writeFile(join(part, 'fonts', 'fonts.conf'), fontConfig(join(home, 'fonts'))); // the package's names /tmp/fonts
    await rename(part, home).catch((error) => {
      if (!existsSync(home)) throw error; // else another process was quicker, and its copy is as good
    });
  } catch (error) {
    throw new Error(`Chromium could not be unpacked to ${home}: ${(error as Error).message}`, { cause: error });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
};

/** Auditors run as users of their own. */
const makeReadable = async (folder: string): Promise<void> => {
  for (const name of ['', ...(await readdir(folder, { recursive: true }))]) await chmod(join(folder, name), 0o755);
};

const inflate = async (from: string, to: string, signal: AbortSignal | undefined): Promise<void> => {
  const names = await readdir(from, { recursive: true });
  const files = names.filter((name) => name.endsWith('.zst')).map((name) => name.slice(0, -'.zst'.length));
  await Promise.all(
    files.map(async (file) => {
      await mkdir(dirname(join(to, file)), { recursive: true });
      await pipeline(
        createReadStream(join(from, `${file}.zst`), { highWaterMark: CHUNK }),
        createZstdDecompress({ chunkSize: CHUNK }),
        createWriteStream(join(to, file), { mode: 0o755, highWaterMark: CHUNK }),
        { ...(signal && { signal }) },
      );
    }),
  );
};
const CHUNK = 1024 * 1024;

/** By the package itself, which unpacks to the temporary folder: of a process of its own, as that is one for all. */
const unpackPackage = async (to: string, signal: AbortSignal | undefined): Promise<void> => {
  const script = `
    const { default: chromium } = await import(${JSON.stringify(import.meta.resolve('@sparticuz/chromium'))});
    await chromium.executablePath();
  `;
  // The package unpacks its shared libraries only where it believes to be on Lambda.
  const env = { PATH: process.env.PATH, HOME: to, TMPDIR: to, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
  const unpacker = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(signal && { signal }),
  });
  let stderr = '';
  unpacker.stderr.on('data', (data) => {
    stderr += data;
  });
  unpacker.once('error', () => {}); // told by `close` too
  const [code] = await once(unpacker, 'close');
  if (code !== 0) throw new Error(stderr.slice(-500));
};

const fontConfig = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}</dir><cachedir>${folder}/cache</cachedir></fontconfig>
`;

const startError = async (executable: string, env: Record<string, string>): Promise<string | undefined> => {
  try {
    await promisify(execFile)(executable, ['--no-sandbox', '--version'], { env, timeout: 20_000 });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return stderr || message;
  }
};
