import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

/** A process in /proc. */
export type Process = { pid: number; parent: number };

/** Returns the current descendants of a process. */
export const descendantsOf = (root: number): Process[] => {
  const all = pids().flatMap((pid) => processOf(pid) ?? []);
  const childrenOf = (pid: number): Process[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...childrenOf(child.pid)]);
  return childrenOf(root);
};

/** Returns the processes whose environment contains a text, also those whose parent has changed. */
export const startedWith = (text: string): number[] =>
  pids().filter((pid) => unlessGone(() => readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text)) ?? false);

export const pids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

const processOf = (pid: number): Process | undefined => {
  const stat = unlessGone(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (!stat) return undefined;
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the process name, which may contain spaces, comes before
  return { pid, parent: Number(parent) };
};

/** Returns the TCP ports on 127.0.0.1 that a process listens on. */
export const portsOf = (pid: number): number[] => {
  const sockets = readdirSync(`/proc/${pid}/fd`).map((fd) => unlessGone(() => readlinkSync(`/proc/${pid}/fd/${fd}`)));
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.includes(`socket:[${inode}]`))
    .map(([, address]) => Number.parseInt(String(address).slice(-4), 16));
};

/** Returns the processes of a user, zombie processes too. */
export const processesOf = (user: number): { pid: number; isZombie: boolean }[] =>
  pids()
    .map((pid) => ({ pid, status: unlessGone(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '' }))
    .filter(({ status }) => Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) === user)
    .map(({ pid, status }) => ({ pid, isZombie: /^State:\s+Z/m.test(status) }));

/** Returns the user of a process, or undefined if it has ended. */
export const userOf = (pid: number): number | undefined => unlessGone(() => statSync(`/proc/${pid}`).uid);

export const commandOf = (pid: number): string =>
  unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')) ?? '';

/** Returns the current (`VmRSS`) or highest (`VmHWM`) resident memory of a process, in MiB. */
export const residentOf = (pid: number, field: 'VmRSS' | 'VmHWM'): number => {
  const [, kilobytes] =
    new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
};

/** Returns undefined if the process has ended or belongs to another user. */
const unlessGone = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
};

/** Returns true if a file of /proc is unreadable because its process has ended or belongs to another user. */
export const isGone = (error: unknown): boolean =>
  ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
