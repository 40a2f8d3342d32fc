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

/** Maximum number of concurrent timed audits. A browser uses more than one CPU. */
export const TIMED_AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2));
