import { readdirSync, readFileSync } from 'node:fs';

/** A process as Linux shows it. */
export type Process = { pid: number; parent: number };

/** All that descend from a process, as of now. */
export const descendantsOf = (root: number): Process[] => {
  const all = pids().flatMap((pid) => processOf(pid) ?? []);
  const childrenOf = (pid: number): Process[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...childrenOf(child.pid)]);
  return childrenOf(root);
};

/** All that were started with a text in their environment, whoever their parent is by now. */
export const startedWith = (text: string): number[] =>
  pids().filter((pid) => unlessGone(() => readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text)) ?? false);

export const pids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

const processOf = (pid: number): Process | undefined => {
  const stat = unlessGone(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (!stat) return undefined;
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may hold spaces
  return { pid, parent: Number(parent) };
};

export const commandOf = (pid: number): string =>
  unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')) ?? '';

/** MiB of memory that a process has (`VmRSS`), or had at its most (`VmHWM`). */
export const residentOf = (pid: number, field: 'VmRSS' | 'VmHWM'): number => {
  const [, kilobytes] =
    new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
};

/** Undefined where the process has ended, or is another user's. */
const unlessGone = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
};

/** Whether reading a file of /proc failed because its process has ended, or is not ours to read. */
export const isGone = (error: unknown): boolean =>
  ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
