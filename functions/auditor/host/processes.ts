import { execFileSync } from 'node:child_process';
import { closeSync, fstatSync, readdirSync, readFileSync } from 'node:fs';

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

/** A process and its command line. */
type Command = { pid: number; command: string };

/** Kills the processes that left the group of their audit. Their command lines name its work folder. */
export const killStrays = (workDir: string): void => {
  for (const { pid, command } of commands()) if (command.includes(workDir) && pid !== process.pid) killProcess(pid);
};

export const canListCommands = (): boolean => commands().length > 0;

/** Returns all processes. A Mac has no /proc, and `ps` lists them. */
const commands = (): Command[] => {
  const listed = allPids().map((pid) => ({ pid, command: readText(`/proc/${pid}/cmdline`) ?? '' }));
  return listed.length > 0 ? listed : commandsByPs();
};

export const commandsByPs = (): Command[] => {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const rows = execFileSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8', stdio: [...stdio] });
    return [...rows.matchAll(/^ *(\d+) (.*)$/gm)].map(([, pid, command = '']) => ({ pid: Number(pid), command }));
  } catch {
    return []; // `ps` of Linux needs /proc too
  }
};

/** Part of a browser that a process is. Other processes of a browser, such as its GPU process, are neither. */
export const partOf = (pid: number): 'browser' | 'page' | undefined => {
  const command = readText(`/proc/${pid}/cmdline`);
  if (!command) return undefined;
  if (command.includes('--type=renderer')) return 'page';
  return command.includes('--type=') ? undefined : 'browser';
};

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
  for (const fd of listDir('/dev/fd').map(Number)) {
    try {
      if (fd > 2 && fstatSync(fd).isFile()) closeSync(fd);
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
