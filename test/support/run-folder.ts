import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeStale } from '../../functions/auditor/host/stale-entries.ts';

const PREFIX = 'page-audit-tests-'; // the pid of the run follows

/** Gives the run a temporary folder of its own, so that nothing that a test leaves behind outlives the run. */
export const setup = async (): Promise<() => void> => {
  const shared = tmpdir();
  await removeStale(shared, PREFIX);
  const folder = mkdtempSync(join(shared, `${PREFIX}${process.pid}-`));
  chmodSync(folder, 0o1777); // auditors of other users have their folders in it
  Object.assign(process.env, { TMPDIR: folder, SHARED_TMPDIR: shared });
  return () => {
    process.env.TMPDIR = shared;
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
};
