import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Returns a new folder. Removes it after the tests of the file. */
export const temporaryFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `page-audit-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
