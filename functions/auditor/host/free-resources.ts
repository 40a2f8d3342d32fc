import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fieldsOf, listDir, readText } from './processes.ts';

/** Free resources of the host: processes, memory, disk, files. A value without a limit is infinite. */
export type FreeResources = {
  /** Processes and threads that the user of the audit may still start. */
  processes: number;
  /** Limit of the user's processes and threads. Zombie processes count too. */
  processLimit: number;
  memoryBytes: number;
  /** Free space of the temporary folder. Undefined if someone has removed the folder. */
  diskBytes: number | undefined;
  /** Files that this process may still open. */
  files: number;
};

const MIB = 2 ** 20;
/** Free resources below which a browser fails to start a thread, to allocate memory or to write a file. */
const MIN_FREE = { processes: 32, memoryBytes: 64 * MIB, diskBytes: 16 * MIB, files: 32 };
/** Free resources without which not even a small page can be audited. */
const AUDIT_FREE = { processes: 96, memoryBytes: 256 * MIB, diskBytes: 64 * MIB, files: 96 };

/** Returns the resource that the host is short of, or undefined. */
export const shortageOf = (free: FreeResources, min = MIN_FREE): string | undefined => {
  const { processes, memoryBytes, diskBytes, files } = free;
  if (processes < min.processes) return `processes (${Math.max(0, processes)} left)`;
  if (memoryBytes < min.memoryBytes) return `memory (${mib(memoryBytes)} left)`;
  if (diskBytes === undefined) return `a temporary folder (${tmpdir()} is missing)`;
  if (diskBytes < min.diskBytes) return `space in its temporary folder ${tmpdir()} (${mib(diskBytes)} left)`;
  if (files < min.files) return `file descriptors (${Math.max(0, files)} left)`;
  return undefined;
};

/** Returns a sentence that names the missing resource, or undefined. */
export const whyShort = (): string | undefined => {
  const shortage = shortageOf(readResources(userOfService()), AUDIT_FREE);
  return shortage && `The machine can't run an audit, because it is short of ${shortage}.`;
};

/** The host was too short of a resource to start an audit. The next audit may find it free. */
export class ShortageError extends Error {}

/** Throws a ShortageError if this host lacks the free resources for another audit. */
export const requireResources = (): void => {
  const reason = whyShort();
  if (reason) throw new ShortageError(reason);
};

/**
 * Returns the resource that earlier audits have used up, so that no other audit should start, or undefined. An exit ends the
 * processes of an instance, but keeps its temporary folder. So a full folder is no reason for an exit.
 */
export const spentResourceOf = ({ processes, processLimit }: FreeResources): string | undefined =>
  processes < processLimit / 2 ? `processes (${processes} of ${processLimit} left)` : undefined;

const mib = (bytes: number): string => `${Math.floor(bytes / MIB)} MiB`;

const POLL_MS = 1000;

/** Polls the free resources until `signal` aborts. The returned function returns what the host was short of until now. */
export const watchResources = (user: number, signal: AbortSignal): (() => string | undefined) => {
  let shortage: string | undefined;
  const look = () => {
    shortage ??= shortageOf(readResources(user));
  };
  const timer = setInterval(look, POLL_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  return () => {
    look();
    return shortage;
  };
};

/**
 * Returns why this instance of a Lambda function should receive no further job, or undefined. Elsewhere nothing would
 * replace the process.
 */
export const spentInstance = (): string | undefined =>
  onLambda() ? spentResourceOf(readResources(userOfService())) : undefined;

export const onLambda = (): boolean => Boolean(process.env.AWS_LAMBDA_FUNCTION_NAME);

export const userOfService = (): number => process.getuid?.() ?? 0;

/** Returns the memory that processes of this machine or container may still use. */
export const freeMemoryBytes = (): number => Math.min(freeMemory(), freeMemoryOfContainer());

const readResources = (user: number): FreeResources => {
  const limits = readText('/proc/self/limits') ?? '';
  const processLimit = limitOf(/^Max processes\s+(\d+)/m.exec(limits)?.[1]);
  const isLimited = user !== 0 && processLimit < HIGH_LIMIT; // the kernel does not limit root
  const ofUser = isLimited ? processLimit - threadsOf(user) : Number.POSITIVE_INFINITY;
  return {
    processes: Math.min(ofUser, limitOf(cgroup('pids.max')) - Number(cgroup('pids.current') ?? 0)),
    processLimit: ofUser === Number.POSITIVE_INFINITY ? limitOf(cgroup('pids.max')) : processLimit,
    memoryBytes: freeMemoryBytes(),
    diskBytes: freeDisk(tmpdir()),
    files: Math.min(
      limitOf(/^Max open files\s+(\d+)/m.exec(limits)?.[1]) - listDir('/proc/self/fd').length,
      freeFilesOfMachine(),
    ),
  };
};

const freeDisk = (folder: string): number | undefined => {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
};

const freeFilesOfMachine = (): number => {
  const [open, , limit] = fieldsOf('/proc/sys/fs/file-nr') ?? [];
  return limitOf(limit) - Number(open ?? 0);
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
