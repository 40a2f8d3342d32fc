import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where tests keep the unpacked Chromium: the same folder in every test file and every run. */
export const chromiumDir = (): string => {
  const dir = join(tmpdir(), 'page-audit-test-chromium');
  mkdirSync(dir, { recursive: true });
  return dir;
};
