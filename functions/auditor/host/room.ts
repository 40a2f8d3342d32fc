import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { listDir, readText } from './processes.ts';

/** Room that the host has left for an audit. A value without a limit is infinite. */
export type Room = {
  /** Processes and threads that the user of the audit may still start. */
  processes: number;
  /** Limit of the user's processes and threads. Zombie processes count too. */
  processLimit: number;
  memoryBytes: number;
  /** Free space of the temporary folder. */
  diskBytes: number;
};

const MIB = 2 ** 20;
/** Room below which a browser fails to start a thread, to allocate memory or to write a file. */
const MIN_ROOM = { processes: 32, memoryBytes: 64 * MIB, diskBytes: 16 * MIB };
/** Free space that a page may need for its profile, its trace and its report. */
const AUDIT_DISK_BYTES = 300 * MIB;

/** Returns the resource that the host is short of, or undefined. */
export const shortageOf = ({ processes, memoryBytes, diskBytes }: Room): string | undefined => {
  if (processes < MIN_ROOM.processes) return `processes (${Math.max(0, processes)} left)`;
  if (memoryBytes < MIN_ROOM.memoryBytes) return `memory (${mib(memoryBytes)} left)`;
  if (diskBytes < MIN_ROOM.diskBytes) return `space in its temporary folder (${mib(diskBytes)} left)`;
  return undefined;
};

/** Returns the resource that earlier audits have used up, so that no other audit should start, or undefined. */
export const spentResourceOf = ({ processes, processLimit, diskBytes }: Room): string | undefined => {
  if (processes < processLimit / 2) return `processes (${processes} of ${processLimit} left)`;
  if (diskBytes < AUDIT_DISK_BYTES) return `space in its temporary folder (${mib(diskBytes)} left)`;
  return undefined;
};

const mib = (bytes: number): string => `${Math.floor(bytes / MIB)} MiB`;

const POLL_MS = 1000;

/** Watches the room of a host until `signal` aborts. The returned function tells what the host was short of until now. */
export const watchRoom = (user: number, signal: AbortSignal): (() => string | undefined) => {
  let shortage: string | undefined;
  const look = () => {
    shortage ??= shortageOf(readRoom(user));
  };
  const timer = setInterval(look, POLL_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  return () => {
    look();
    return shortage;
  };
};

/**
 * Returns why this instance of a Lambda function should take no further job, or undefined. Elsewhere nothing would replace
 * the process, so an audit without room fails by itself and its run names the cause.
 */
export const spentInstance = (): string | undefined =>
  process.env.AWS_LAMBDA_FUNCTION_NAME ? spentResourceOf(readRoom(userOfService())) : undefined;

export const userOfService = (): number => process.getuid?.() ?? 0;

const readRoom = (user: number): Room => {
  const processLimit = limitOf(/^Max processes\s+(\d+)/m.exec(readText('/proc/self/limits') ?? '')?.[1]);
  const ofUser = processLimit < HIGH_LIMIT ? processLimit - threadsOf(user) : Number.POSITIVE_INFINITY;
  const { bavail, bsize } = statfsSync(tmpdir());
  return {
    processes: Math.min(ofUser, limitOf(cgroup('pids.max')) - Number(cgroup('pids.current') ?? 0)),
    processLimit: ofUser === Number.POSITIVE_INFINITY ? limitOf(cgroup('pids.max')) : processLimit,
    memoryBytes: Math.min(freeMemory(), freeMemoryOfContainer()),
    diskBytes: bavail * bsize,
  };
};

/** Limit from which on nothing is counted. Counting takes milliseconds on a machine with many processes. */
const HIGH_LIMIT = 16_384;

/** Returns the number of a user's threads and zombie processes. The kernel's limit of processes counts both. */
const threadsOf = (user: number): number => {
  let threads = 0;
  for (const name of listDir('/proc')) {
    const status = /^\d+$/.test(name) ? (readText(`/proc/${name}/status`) ?? '') : '';
    if (Number(/^Uid:\s+(\d+)/m.exec(status)?.[1] ?? -1) !== user) continue;
    threads += Math.max(1, Number(/^Threads:\s+(\d+)/m.exec(status)?.[1]));
  }
  return threads;
};

const freeMemory = (): number => {
  const kiB = /^MemAvailable:\s+(\d+)/m.exec(readText('/proc/meminfo') ?? '')?.[1];
  return kiB === undefined ? Number.POSITIVE_INFINITY : Number(kiB) * 1024;
};

/** Returns the memory that a container may still use. The kernel can drop inactive files, so they count as free. */
const freeMemoryOfContainer = (): number => {
  const inactiveFiles = Number(/^inactive_file (\d+)/m.exec(cgroup('memory.stat') ?? '')?.[1] ?? 0);
  return limitOf(cgroup('memory.max')) - Number(cgroup('memory.current') ?? 0) + inactiveFiles;
};

/** Reads a file of this container's control group. The root group of a machine has no limits. */
const cgroup = (name: string): string | undefined => readText(`/sys/fs/cgroup/${name}`);

/** Returns a limit as a number. `max`, `unlimited` and a missing value mean no limit. */
const limitOf = (text: string | undefined): number => Number.parseInt(text ?? '', 10) || Number.POSITIVE_INFINITY;
