import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Chromium } from './chromium.ts';
import type { User } from './privileges.ts';

type Browser = Pick<Chromium, 'executable' | 'env'>;

/** Says that Chromium can't start in its own sandbox on this machine, and what to do. */
export class NoSandboxError extends Error {}

/** Throws if Chromium can't start in its own sandbox as the user of an audit. `prefix` begins the name of its profile. */
export const requireSandbox = async (chromium: Browser, user: User | undefined, prefix: string): Promise<void> => {
  if (!user && process.getuid?.() === 0)
    throw new NoSandboxError(`Audits would run as root, where Chromium has no sandbox. ${HELP}`);
  const stderr = await inProfile(user, prefix, (profile) => errorOfStart(chromium, user, profile));
  if (stderr === undefined) return;
  const cause = /No usable sandbox/.test(stderr) ? 'No usable sandbox.' : lastOf(stderr);
  throw new NoSandboxError(`Chromium does not start in its sandbox on this machine. ${HELP} The cause: ${cause}`);
};

/** Throws if Chromium can't start without its sandbox either. A browser that prints its version may still not start. */
export const requireStart = async (chromium: Browser, user: User | undefined, prefix: string): Promise<void> => {
  const stderr = await inProfile(user, prefix, (profile) => errorOfStart(chromium, user, profile, WITHOUT_SANDBOX));
  if (stderr !== undefined) throw new Error(startText(stderr));
};

/** Flags of a browser that has no sandbox. */
export const WITHOUT_SANDBOX = ['--no-sandbox', '--no-zygote'];

const MAX_CAUSE = 500;
/** Returns that Chromium does not start, with its last messages. */
export const startText = (stderr: string): string => `Chromium does not start on this machine: ${lastOf(stderr)}`;
/** Returns the last messages of a browser. The first ones are rarely the cause. */
const lastOf = (stderr: string): string => stderr.trim().slice(-MAX_CAUSE) || 'it exited without a message.';

const inProfile = async <T>(user: User | undefined, prefix: string, use: (profile: string) => Promise<T>) => {
  const profile = await mkdtemp(join(tmpdir(), prefix));
  try {
    if (user) await chown(profile, user.uid, user.gid);
    return await use(profile);
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
};

/** Starts Chromium until it answers. Returns its messages if it exits before. Without a sandbox it exits at once. */
const errorOfStart = async (
  { executable, env }: Browser,
  user: User | undefined,
  profile: string,
  flags: readonly string[] = [],
) => {
  const args = ['--headless', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-pipe'];
  const stdio: 'pipe'[] = ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'];
  const browser = spawn(executable, [...args, ...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    env,
    stdio,
    cwd: '/',
    timeout: START_MS,
    killSignal: 'SIGKILL',
    detached: true,
    ...user,
  });
  let stderr = '';
  for (const stream of browser.stdio) stream?.on('error', () => {}); // the browser has exited
  browser.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(browser, 'close').catch((error: Error) => {
    stderr += error.message;
  });
  (browser.stdio[3] as Writable).write('{"id":1,"method":"Browser.getVersion"}\0');
  const hasAnswered = await Promise.race([once(browser.stdio[4] as Readable, 'data'), closed.then(() => undefined)]);
  if (browser.pid && browser.exitCode === null && browser.signalCode === null) process.kill(-browser.pid, 'SIGKILL');
  await closed;
  if (!hasAnswered && browser.signalCode === 'SIGKILL')
    throw new Error(`Chromium did not start within ${START_MS / 1000} s.`);
  return hasAnswered ? undefined : stderr;
};

/** Time limit for the start of Chromium, in milliseconds. */
const START_MS = 30_000;
const HELP =
  'Let users without rights create namespaces (in a container: a seccomp profile that allows it), or set SANDBOX=optional.';
