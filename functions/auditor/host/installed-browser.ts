import { execFile } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { chromiumMajorOf, MIN_CHROMIUM } from '../../../shared/chromium.ts';
import { cutText, printable } from '../../../shared/text.ts';
import { listDir } from './processes.ts';

/** Programs that `auto` looks for. If two have the same version, it takes the first. */
const NAMES = [
  ...['chromium-headless-shell', 'chrome-headless-shell', 'chromium', 'chromium-browser'],
  ...['google-chrome', 'google-chrome-stable', 'chrome'],
];
const MAC_PROGRAMS = ['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);
/** Folders whose policies the browsers of Linux obey. The headless shell obeys none. */
const POLICY_DIRS = ['chromium', 'chromium-browser', 'opt/chrome', 'opt/chrome_for_testing'].flatMap((dir) =>
  ['managed', 'recommended'].map((kind) => `/etc/${dir}/policies/${kind}`),
);
const VERSION_MS = 20_000;

/** The message says why a program can't be the browser of audits, and what would be accepted. */
export class BrowserError extends Error {}

/** Returns the paths that may be a browser in the folders of PATH. */
export const programsIn = (path: string): string[] =>
  path.split(':').flatMap((dir) => (dir ? NAMES.map((name) => join(dir, name)) : []));

type Host = { searched: readonly string[]; policyDirs: readonly string[] };
const thisHost = (): Host => ({
  searched: [...programsIn(process.env.PATH ?? ''), ...MAC_PROGRAMS],
  policyDirs: POLICY_DIRS,
});

/** A browser of this machine: its program, and the version in four numbers. */
export type InstalledBrowser = { executable: string; version: string };

/** Returns the browser that the setting CHROMIUM names. Throws a BrowserError if audits can't use it. */
export const installedBrowser = async (setting: string, host = thisHost()): Promise<InstalledBrowser> => {
  if (setting !== 'auto') {
    const found = await inspect(resolve(setting), host);
    if (typeof found === 'string') throw new BrowserError(`CHROMIUM=${setting} ${found}: ${ACCEPTED}.`);
    return found;
  }
  const paths = host.searched.filter((path) => existsSync(path));
  const found = await Promise.all(paths.map((path) => inspect(path, host)));
  const usable = found.filter((each) => typeof each !== 'string');
  const order = (path: string) => NAMES.indexOf(basename(path));
  const [newest] = usable.sort(
    (a, b) => compareVersions(b.version, a.version) || order(a.executable) - order(b.executable),
  );
  if (newest) return newest;
  const faults = paths.map((path, i) => `${path} ${found[i]}`);
  const seen = faults.length > 0 ? `found no usable browser (${faults.join('; ')})` : 'found no browser';
  throw new BrowserError(`CHROMIUM=auto ${seen}: install ${NAMES[0]}, or ${ACCEPTED}.`);
};
const ACCEPTED = `use the path of Chromium or Google Chrome ${MIN_CHROMIUM} or later, or auto for the newest of ${NAMES.join(', ')}`;

/** Returns the browser of a path, or why it can't be used. */
const inspect = async (path: string, { policyDirs }: Host): Promise<InstalledBrowser | string> => {
  if (!existsSync(path)) return 'does not exist';
  if (!statSync(path).isFile()) return 'is no file';
  if (!isExecutable(path)) return 'is not executable by the user of the service';
  const executable = programOf(path);
  if (!executable && startsSnap(path)) return A_SNAP;
  if (!executable) return 'is a script, whose flags and processes the service does not know';
  const output = await outputOf(executable, ['--version']);
  if ('error' in output) return `is no Chromium that starts (${cutText(printable(output.error), 300)})`;
  if (output.text.startsWith('snap ')) return A_SNAP;
  const version = /(?:Chromium|Chrome)\D*? (\d+(?:\.\d+){3})/.exec(output.text)?.[1];
  if (!version) return `is no Chromium (${cutText(printable(output.text), 100) || 'it prints no version'})`;
  if (chromiumMajorOf(version) < MIN_CHROMIUM) return `is Chromium ${version}, which is too old`;
  const policy = policyDirs.flatMap((dir) => listDir(dir).map((name) => join(dir, name)))[0];
  if (policy && !isHeadlessShell(executable))
    return `obeys ${policy}, and policies can undo the network guard of an audit`;
  return { executable, version };
};

const A_SNAP =
  'is a snap, whose Chromium can not use the folders of an audit. Install Google Chrome from its .deb or .rpm package, or chromium-headless-shell where it is a package';

/** Returns true for a script such as Ubuntu's `chromium-browser`, which starts the snap. */
const startsSnap = (script: string): boolean => /\/snap\/bin\//.test(readFileSync(script, 'latin1'));

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * Returns the program that a path leads to. Distributions start it by a script, which adds flags, and may stay as its
 * parent. Undefined for a script whose program is unknown.
 */
const programOf = (path: string): string | undefined => {
  const file = realpathSync(path);
  if (!isScript(file)) return file;
  const name = basename(path);
  const folders = ['/usr/lib', '/usr/lib64'].flatMap((lib) => [`${lib}/chromium`, `${lib}/chromium-browser`]);
  const beside = basename(file).startsWith('google-chrome') ? [join(dirname(file), 'chrome')] : [];
  const known = [...beside, ...folders.map((folder) => join(folder, name))];
  return known.find((each) => existsSync(each) && isExecutable(each) && !isScript(each));
};

const isScript = (path: string): boolean => {
  try {
    const start = Buffer.alloc(2);
    const file = openSync(path, 'r');
    readSync(file, start, 0, 2, 0);
    closeSync(file);
    return start.toString() === '#!';
  } catch {
    return false; // a program that may be run, but not read, is no script
  }
};

const isHeadlessShell = (executable: string): boolean => /headless[-_]shell$/.test(executable);

const outputOf = async (program: string, args: string[]): Promise<{ text: string } | { error: string }> => {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: tmpdir() };
  const options = { env, timeout: VERSION_MS, killSignal: 'SIGKILL', maxBuffer: 100_000 } as const;
  try {
    return { text: (await promisify(execFile)(program, args, options)).stdout.trim() };
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return { error: (stderr || message).trim() };
  }
};

const compareVersions = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
