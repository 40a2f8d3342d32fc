import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the folder of the unpacked Chromium, which all tests and runs share. */
export const chromiumDir = (): string => {
  const dir = join(tmpdir(), 'page-audit-test-chromium');
  mkdirSync(dir, { recursive: true });
  return dir;
};
