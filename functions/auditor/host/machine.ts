import { createHash } from 'node:crypto';
import { availableParallelism, cpus, release, totalmem } from 'node:os';

/** Size of the steps in which memory counts. Kernels reserve a few mebibytes more or less of the same memory. */
const MEMORY_STEP_MIB = 256;

/**
 * Describes the machine for a run. Machines with the same CPU model, CPU count and memory have the same `host`, also after an
 * update of the kernel.
 */
export const machine = () => {
  const cpuCount = availableParallelism();
  const memoryMiB = Math.round(MEMORY_BYTES / 2 ** 20);
  const kernel = release();
  const host = createHash('sha256')
    .update(JSON.stringify([cpus()[0]?.model, cpuCount, Math.round(memoryMiB / MEMORY_STEP_MIB)]))
    .digest('hex')
    .slice(0, 12);
  return { cpuCount, memoryMiB, kernel, host };
};

/** Memory of this machine in bytes, or the memory limit of its container. */
export const MEMORY_BYTES = Math.min(totalmem(), process.constrainedMemory() || Infinity);

/** Memory for each audit, in bytes. */
export const BYTES_PER_AUDIT = 4 * 2 ** 30;
/** Memory that an audit needs at least while others run, in bytes. */
export const FEWEST_BYTES = BYTES_PER_AUDIT / 2;

/**
 * Returns how many timed parts run at once: one per two CPUs, because a browser uses more than one. Two CPUs have two, since
 * the times are without the waits for a CPU, if both audits have their memory.
 */
export const timedAtOnceOn = (cpus: number, memoryBytes: number): number =>
  cpus === 2 || cpus === 3 ? (memoryBytes < 2 * BYTES_PER_AUDIT ? 1 : 2) : Math.max(1, Math.floor(cpus / 2));

/** Maximum number of concurrent timed parts on this machine. */
export const TIMED_AT_ONCE = timedAtOnceOn(availableParallelism(), MEMORY_BYTES);
