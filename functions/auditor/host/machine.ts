import { createHash } from 'node:crypto';
import { availableParallelism, cpus, release, totalmem } from 'node:os';

/** What a run tells of the machine that measured it. `host` is equal for machines of equal processor, memory and kernel. */
export const machine = () => {
  const cpuCount = availableParallelism();
  const memoryMiB = Math.round(MEMORY_BYTES / 2 ** 20);
  const kernel = release();
  const host = createHash('sha256')
    .update(JSON.stringify([cpus()[0]?.model, cpuCount, memoryMiB, kernel]))
    .digest('hex')
    .slice(0, 12);
  return { cpuCount, memoryMiB, kernel, host };
};

/** Memory in bytes that this machine has, or as much of it as its container may use. */
export const MEMORY_BYTES = Math.min(totalmem(), process.constrainedMemory() || Infinity);

/** Audits that may be measured at once on this machine: a browser keeps more than one core busy. */
export const TIMED_AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2));
