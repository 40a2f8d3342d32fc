import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createZstdDecompress } from 'node:zlib';
import { PACKAGED_CHROMIUM } from '../../../shared/chromium.ts';
import { copyFonts, deployedFonts, fingerprintOf, onlyFontsOf, versionOfPackages } from './fonts.ts';
import { installedBrowser } from './installed-browser.ts';
import { removeStale } from './stale-entries.ts';

/** The browser of audits: its program, the extra environment variables that it needs, and the fingerprint of its fonts. */
export type Chromium = {
  executable: string;
  version: string;
  /** True for the Chromium of the npm package. */
  isPackaged: boolean;
  env: Record<string, string>;
  fonts: string;
  /** Folder of the authorities that it trusts in addition to its own. */
  trustStore?: string | undefined;
};
type Options = {
  /** Folder of the unpacked Chromium and fonts. */
  chromiumDir?: string | undefined;
  /** Path of an installed browser, in place of the Chromium of the npm package. */
  chromium?: string | undefined;
};

/** Folder of a deployed function with Chromium's files, each compressed with zstd. Without it the npm package is used. */
const packedDir = join(import.meta.dirname, 'chromium');

/** Returns the installed browser of a path, or the Chromium of the npm package. Throws an error that says why it can't start. */
export const prepareChromium = async (
  { chromiumDir: dir = tmpdir(), chromium }: Options,
  signal?: AbortSignal,
): Promise<Chromium> => {
  const folder = deployedFonts() ?? join(dir, `fonts-${await versionOfPackages()}`);
  if (!existsSync(folder)) await unpack(folder, copyFonts);
  const env = onlyFontsOf(folder);
  const browser = chromium
    ? { ...(await installedBrowser(chromium)), isPackaged: false, env }
    : { ...(await packagedBrowser(dir, env, signal)), isPackaged: true };
  await makeReadable(folder).catch(() => {}); // another user owns the copy
  const fonts = await fingerprintOf(folder).catch(({ message }: Error) => {
    throw new Error(`The fonts of Chromium can't be read: ${message}. Delete ${folder} and retry.`);
  });
  return { ...browser, fonts };
};

/**
 * Unpacks Chromium unless a copy exists. Tests whether it starts with the machine's shared libraries, or else with the
 * libraries of its package. Throws an error with the name of the missing library if neither works.
 */
const packagedBrowser = async (dir: string, env: Record<string, string>, signal: AbortSignal | undefined) => {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error(noPackageFor(process));
  const packageFile = existsSync(packedDir)
    ? join(packedDir, 'package.json')
    : new URL('../package.json', import.meta.resolve('@sparticuz/chromium'));
  const { version } = JSON.parse(await readFile(packageFile, 'utf8')) as { version: string };
  const home = join(dir, `chromium-${version}`);
  if (!existsSync(home))
    await unpack(home, (part) =>
      existsSync(packedDir) ? inflate(packedDir, part, signal) : unpackPackage(part, signal),
    );
  await makeReadable(home).catch(() => {}); // another user owns the copy
  const executable = join(home, 'chromium');
  const started = { executable, version: PACKAGED_CHROMIUM };

  const error = await startError(executable, env);
  if (!error) return { ...started, env };
  const bundled = { ...env, LD_LIBRARY_PATH: join(home, 'al2023', 'lib') };
  // Chromium loads this library at its first https page, and crashes if the machine lacks what the library needs.
  const bundledError = await startError(executable, { ...bundled, LD_PRELOAD: 'libsoftokn3.so' });
  if (!bundledError) return { ...started, env: bundled };
  const library = bundledError.match(/loading shared libraries: (\S+?):/)?.[1];
  throw new Error(
    library
      ? `Chromium needs the shared library ${library}, which this machine lacks. On Debian or Ubuntu: apt-get install libnss3 libnspr4 libexpat1 libdbus-1-3 (or "apt-file search ${library}" for its package).`
      : `Chromium does not start on this machine: ${bundledError.trim().slice(0, 500)}. If its files are damaged, delete ${home} and retry.`,
  );
};

const noPackageFor = ({ platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>): string =>
  `The packaged Chromium runs on Linux x64 only, and this machine is ${platform} ${arch}. Install Chromium, and set CHROMIUM=auto or CHROMIUM=<path>.`;

/** Unpacks to a folder of this process and then renames it, so that other processes never see an incomplete copy. */
const unpack = async (home: string, fill: (part: string) => Promise<void>): Promise<void> => {
  await mkdir(dirname(home), { recursive: true });
  await removeStale(dirname(home), `${basename(home)}.part-`);
  const part = `${home}.part-${process.pid}`;
  await mkdir(part, { recursive: true });
  try {
    await fill(part);
    await rename(part, home).catch((error) => {
      if (!existsSync(home)) throw error; // otherwise another process was faster, and its copy is equal
    });
  } catch (error) {
    const reason = `Could not unpack Chromium or its fonts to ${home}: ${(error as Error).message}`;
    throw new Error(`${reason}. It needs 300 MB of disk space and the right to write there.`, { cause: error });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
};

/** Lets all users run Chromium, because each auditor may run as another user. */
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

/** Unpacks the npm package in a separate process, because the package writes to the process's temporary folder. */
const unpackPackage = async (to: string, signal: AbortSignal | undefined): Promise<void> => {
  const script = `
    const { default: chromium } = await import(${JSON.stringify(import.meta.resolve('@sparticuz/chromium'))});
    await chromium.executablePath();
  `;
  // The package unpacks its shared libraries only if this variable says that it runs on Lambda.
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
  for (const source of [unpacker, unpacker.stderr]) source.on('error', () => {}); // `close` follows
  const [code] = await once(unpacker, 'close');
  if (code !== 0) throw new Error(uncaughtMessage(stderr) ?? stderr.slice(-500));
  await rm(join(to, 'fonts'), { recursive: true }); // audits use other fonts
};

/** Returns the message of the error that ended a Node.js process. */
const uncaughtMessage = (stderr: string): string | undefined => /Error: (.+?)(\]( \{)?)?$/m.exec(stderr)?.[1];

const startError = async (executable: string, env: Record<string, string>): Promise<string | undefined> => {
  try {
    await promisify(execFile)(executable, ['--no-sandbox', '--version'], { env, timeout: 60_000 });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return stderr || message;
  }
};
