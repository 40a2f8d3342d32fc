import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { removeStale } from './processes.ts';

/** A Chromium that starts on this machine: its binary, and what its environment needs beyond the ordinary. */
export type Chromium = { executable: string; env: Record<string, string> };

const packageFile = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'));

/**
 * Unpacks Chromium once, and finds how it starts here: with the machine's shared libraries, or with those that its
 * package brings. Throws an error that names the missing library where neither does.
 */
export const prepareChromium = async (dir = tmpdir(), signal?: AbortSignal): Promise<Chromium> => {
  const { version } = JSON.parse(await readFile(packageFile, 'utf8')) as { version: string };
  const home = join(dir, `chromium-${version}`);
  if (!existsSync(home)) await unpack(home, signal);
  const executable = join(home, 'chromium');
  const fonts: Record<string, string> = existsSync('/etc/fonts/fonts.conf')
    ? {}
    : { FONTCONFIG_PATH: join(home, 'fonts') };

  const own = await startError(executable, fonts);
  if (!own) return { executable, env: fonts };
  const brought = { ...fonts, LD_LIBRARY_PATH: join(home, 'al2023', 'lib') };
  const still = await startError(executable, brought);
  if (!still) return { executable, env: brought };
  const library = still.match(/loading shared libraries: (\S+?):/)?.[1];
  throw new Error(
    library
      ? `Chromium needs the shared library ${library}, which this machine lacks. On Debian or Ubuntu: apt-get install libnss3 libnspr4 libexpat1 libdbus-1-3 (or "apt-file search ${library}" for its package).`
      : `Chromium does not start on this machine: ${still.slice(0, 500)}`,
  );
};

/**
 * The package takes a file that exists for a whole one, so it unpacks in a folder that only this process knows; the
 * folder's rename is the moment from which others see it.
 */
const unpack = async (home: string, signal: AbortSignal | undefined): Promise<void> => {
  await mkdir(dirname(home), { recursive: true });
  await removeStale(dirname(home), `${basename(home)}.part-`);
  const part = `${home}.part-${process.pid}`;
  await mkdir(part, { recursive: true });
  const script = `
    const { default: chromium } = await import(${JSON.stringify(import.meta.resolve('@sparticuz/chromium'))});
    await chromium.executablePath();
  `;
  // The package unpacks its shared libraries only where it believes to be on Lambda.
  const env = { PATH: process.env.PATH, HOME: part, TMPDIR: part, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
  const unpacker = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(signal && { signal }),
  });
  let said = '';
  unpacker.stderr.on('data', (data) => {
    said += data;
  });
  unpacker.once('error', () => {}); // told by `close` too
  const [code] = await once(unpacker, 'close');
  if (code !== 0) {
    await rm(part, { recursive: true, force: true });
    throw new Error(`Chromium could not be unpacked to ${home}: ${said.slice(-500)}`);
  }
  await rename(part, home).catch(async (error) => {
    await rm(part, { recursive: true, force: true });
    if (!existsSync(home)) throw error; // else another process was quicker, and its copy is as good
  });
};

const startError = async (executable: string, env: Record<string, string>): Promise<string | undefined> => {
  try {
    await promisify(execFile)(executable, ['--no-sandbox', '--version'], { env, timeout: 20_000 });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return stderr || message;
  }
};
