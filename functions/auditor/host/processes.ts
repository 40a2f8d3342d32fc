import { closeSync, readdirSync, readFileSync, statSync } from 'node:fs';
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

/**
 * Waits for the last process of a group that was killed, though not long. Who has ended stays listed until the process that
 * inherited it looks, which comes late or never where that is no init.
 */
export const waitForGroupExit = async (group: number): Promise<void> => {
  const members = membersOf(group); // looks through all processes of the machine: once, as the killed start none
  const allDead = () => members.length > 0 && members.every(isDead);
  for (let tries = 0; tries < 100 && isAlive(-group) && !allDead(); tries++) await sleep(10);
};

/** With all its threads. */
const isDead = (pid: number): boolean => {
  const [state] = statFieldsOf(pid);
  return !state || (state === 'Z' && listDir(`/proc/${pid}/task`).length <= 1);
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

/** The processes of a group. */
export const membersOf = (group: number): number[] =>
  listDir('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(statFieldsOf(pid)[2]) === group);

/** Memory in bytes that a process has to itself or shares with its like: not the files that it has mapped. */
export const memoryOf = (pid: number): number => {
  const status = readText(`/proc/${pid}/status`) ?? '';
  const kiB = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB/gm)].map(([, amount]) => Number(amount));
  return kiB.reduce((sum, each) => sum + each, 0) * 1024;
};

/** The fields of /proc/<pid>/stat from the state on; a name may hold blanks and parentheses. */
export const statFieldsOf = (pid: number): string[] => {
  const text = readText(`/proc/${pid}/stat`) ?? '';
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};

export const fieldsOf = (path: string): string[] | undefined => readText(path)?.split('\n')[0]?.split(/\s+/);

export const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

export const listDir = (path: string): string[] => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

/** Files that a library of the parent opened to be inherited, its database's among them, are no business of a browser's. */
export const closeInheritedFiles = (): void => {
  if (process.platform !== 'linux') return;
  for (const fd of readdirSync('/proc/self/fd').map(Number)) {
    try {
      if (fd > 2 && statSync(`/proc/self/fd/${fd}`).isFile()) closeSync(fd);
    } catch {
      // The listing's own is closed already.
    }
  }
};
