import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Does work once for all test files of a run, which share a temporary folder. Returns the folder of the work, which ends with
 * the run. After a failure, the next file tries too and shows it.
 */
export const oncePerRun = async (name: string, work: (folder: string) => Promise<unknown>): Promise<string> => {
  const folder = join(tmpdir(), name);
  const [working, done] = [`${folder}.working`, `${folder}.done`];
  await mkdir(folder, { recursive: true });
  while (!existsSync(done)) {
    const isFirst = await mkdir(working).then(
      () => true,
      () => false,
    );
    if (!isFirst) await sleep(100);
    else {
      try {
        if (!existsSync(done)) await work(folder);
        await writeFile(done, '');
      } finally {
        await rmdir(working);
      }
    }
  }
  return folder;
};
