import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { removeStale } from '../../functions/auditor/host/stale-entries.ts';
import { auditVersions } from '../../shared/audit-versions.ts';
import { auditorFiles } from '../bundle/auditor.ts';
import { writeFiles } from '../bundle/files.ts';
import { isBundle, PART_PREFIX } from './auditor-bundle.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cacheWriter = fileURLToPath(new URL('write-code-cache.ts', import.meta.url));

/** Builds the auditor's bundle unless it exists. Then deletes the bundles of other sources. */
export const buildAuditor = async (folder: string): Promise<void> => {
  const dir = dirname(folder);
  await mkdir(dir, { recursive: true });
  await removeStale(dir, PART_PREFIX);
  if (!existsSync(folder)) await build(folder, join(dir, `${PART_PREFIX}${process.pid}`));
  const others = (await readdir(dir)).filter((name) => isBundle(name) && name !== basename(folder));
  for (const name of others) await rm(join(dir, name), { recursive: true, force: true });
};

/** Writes to a folder of this process and then renames it, so that other processes never see an incomplete bundle. */
const build = async (folder: string, part: string): Promise<void> => {
  try {
    await writeFiles(part, await auditorFiles(root, JSON.stringify(root)), { flush: true });
    for (const { version } of auditVersions) await promisify(execFile)(process.execPath, [cacheWriter, part, version]);
    await chmod(part, 0o755); // each auditor may run as another user
    await rename(part, folder).catch((error) => {
      if (!existsSync(folder)) throw error; // otherwise another process was faster, and its bundle is equal
    });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
};

if (import.meta.main) await buildAuditor(process.argv[2] as string);
