import { readdirSync, readFileSync } from 'node:fs';

/** A process as Linux shows it; `startedAt` tells it from a later one with the same id. */
export type Process = { pid: number; parent: number; startedAt: string };

/** All that descend from a process, as of now. */
export const descendantsOf = (root: number): Process[] => {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : []));
  const childrenOf = (pid: number): Process[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...childrenOf(child.pid)]);
  return childrenOf(root);
};

/** Undefined where it has ended. */
export const processOf = (pid: number): Process | undefined => {
  const stat = unlessGone(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (!stat) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may hold spaces
  return { pid, parent: Number(fields[1]), startedAt: fields[19] ?? '' };
};

export const commandOf = (pid: number): string =>
  unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')) ?? '';

/** MiB of memory that a process has (`VmRSS`), or had at its most (`VmHWM`). */
export const residentOf = (pid: number, field: 'VmRSS' | 'VmHWM'): number => {
  const [, kilobytes] =
    new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
};

const unlessGone = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
};

/** Whether reading a file of /proc failed because its process has ended. */
export const isGone = (error: unknown): boolean =>
  ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '');
