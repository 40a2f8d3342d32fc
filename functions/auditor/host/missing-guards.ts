import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Guard } from '../../../shared/service/guards.ts';
import { allowedCpus, readCpuTimes } from './cpu-meter.ts';
import { canReap } from './orphans.ts';
import { canListCommands, listDir, memoryOf, readText, statFieldsOf } from './processes.ts';
import { busyMsByThread } from './run-queue.ts';

/** Returns the guards that this machine lacks beside the sandbox. Each is tried on the process of the service. */
export const missingGuards = (): Guard[] => {
  const isLinux = process.platform === 'linux';
  const seesProcesses = statFieldsOf(process.pid).length > 1 && !hidesProcesses();
  const has: Partial<Record<Guard, boolean>> = {
    memory: seesProcesses && memoryOf(process.pid) > 0,
    hangs: seesProcesses && busyMsByThread(process.pid).length > 0,
    strays: canListCommands(),
    zombies: !isLinux || canReap(),
    files: listDir('/dev/fd').length > 0,
    load: readCpuTimes() !== undefined && busyMsByThread(process.pid).length > 0,
    cpus: allowedCpus().size > 0 && hasProgram('taskset'),
    resources: readText('/proc/meminfo') !== undefined && readText('/proc/self/limits') !== undefined,
    container: !isLinux || seesContainer(),
    fonts: isLinux,
    policies: isLinux,
  };
  return (Object.keys(has) as Guard[]).filter((name) => !has[name]);
};

/** Returns true if the limits of a container can be read. Version 1 of control groups has others, but none outside a container. */
const seesContainer = (): boolean => {
  const names = listDir('/sys/fs/cgroup');
  return names.includes('cgroup.controllers') || (names.length > 0 && !existsSync('/sys/fs/cgroup/pids/pids.max'));
};

/**
 * Returns true if /proc hides processes that a user may not trace (`hidepid`). It then hides the renderers, also from the
 * user who started them. Root sees all processes.
 */
export const hidesProcesses = (
  mounts = readText('/proc/self/mounts') ?? '',
  isRoot = process.getuid?.() === 0,
): boolean => !isRoot && /^\S+ \/proc proc \S*\bhidepid=(?!0|off)/m.test(mounts);

const hasProgram = (name: string): boolean =>
  (process.env.PATH ?? '').split(':').some((dir) => {
    try {
      accessSync(join(dir, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
