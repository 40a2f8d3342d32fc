import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Ends every process of a group at once. */
export const killGroup = (group: number): void => {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It is gone already.
  }
};

/** Waits for the last process of a group, though not long: a machine may keep the dead ones listed. */
export const groupGone = async (group: number): Promise<void> => {
  for (let tries = 0; tries < 100 && isAlive(-group); tries++) await sleep(10);
};

/** Removes what processes left in a folder that were killed before they could: entries named by their pid. */
export const removeStale = async (dir: string, prefix: string): Promise<void> => {
  for (const name of await readdir(dir)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    await rm(join(dir, name), { recursive: true, force: true }).catch(() => {}); // another user's: it is theirs to remove
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
