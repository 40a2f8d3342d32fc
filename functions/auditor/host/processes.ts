import { closeSync, readdirSync, readFileSync, statSync } from 'node:fs';

/** Kills all processes of a group. */
export const killGroup = (group: number): void => killProcess(-group);

export const killProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
};

/** Returns the pids of a group. */
export const membersOf = (group: number): number[] => allPids().filter((pid) => Number(statFieldsOf(pid)[2]) === group);

/** Returns the pids of all processes that this process can see. */
export const allPids = (): number[] =>
  listDir('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Returns the anonymous and shared memory of a process in bytes, without mapped files. */
export const memoryOf = (pid: number): number => {
  const status = readText(`/proc/${pid}/status`) ?? '';
  const kiB = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB/gm)].map(([, amount]) => Number(amount));
  return kiB.reduce((sum, each) => sum + each, 0) * 1024;
};

/** Returns the fields of /proc/<pid>/stat from the state on. The name before it may contain spaces and parentheses. */
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

/** Closes inherited file descriptors (for example of the database), so that the browser can't read the files. */
export const closeInheritedFiles = (): void => {
  if (process.platform !== 'linux') return;
  for (const fd of readdirSync('/proc/self/fd').map(Number)) {
    try {
      if (fd > 2 && statSync(`/proc/self/fd/${fd}`).isFile()) closeSync(fd);
    } catch {
      // The descriptor of the folder listing is already closed.
    }
  }
};

const POLL_MS = 250;
type Seen = { type: 'memory'; browserBytes: number; auditorBytes: number } | { type: 'frozen'; part: 'browser' };

/**
 * Reports the memory of an auditor and of its browser four times a second until `signal` aborts. Reports once a second that
 * a signal has stopped one of the processes.
 */
export const watchProcesses = (group: number, signal: AbortSignal, onSeen: (seen: Seen) => void): void => {
  let members: number[] = [];
  let polls = 0;
  const timer = setInterval(() => {
    if (polls++ % 4 === 0) {
      members = membersOf(group); // scans all of /proc, so once a second is enough
      if (members.some((pid) => statFieldsOf(pid)[0] === 'T')) onSeen({ type: 'frozen', part: 'browser' });
    }
    const browser = members.filter((pid) => pid !== group).reduce((sum, pid) => sum + memoryOf(pid), 0);
    onSeen({ type: 'memory', browserBytes: browser, auditorBytes: memoryOf(group) });
  }, POLL_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
};
