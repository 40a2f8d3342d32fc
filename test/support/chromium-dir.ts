import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the folder of the unpacked Chromium, which all tests and runs share. */
export const chromiumDir = (): string => {
  const dir = join(process.env.SHARED_TMPDIR ?? tmpdir(), 'page-audit-test-chromium'); // not in the folder of this run
  makeReadable(dir);
  return dir;
};

/** Returns the browser of the tests: the packaged Chromium, or the one of the variable CHROMIUM. */
export const testChromium = (): { chromiumDir: string; chromium?: string } => ({
  chromiumDir: chromiumDir(),
  ...(process.env.CHROMIUM && { chromium: process.env.CHROMIUM }),
});

/** Makes a folder and its parents for all users. A service in the same process may have set a private umask. */
export const makeReadable = (dir: string): void => {
  const umask = process.umask(0o022);
  mkdirSync(dir, { recursive: true });
  process.umask(umask);
};
