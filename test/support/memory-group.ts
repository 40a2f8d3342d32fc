import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a control group, in the first and the second version of cgroups(7). */
const versions = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', events: 'memory.oom_control' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', events: 'memory.events' },
];

/** Creates a control group with a memory limit, as containers have. Throws if this machine can't. */
export const memoryGroup = (bytes: number) => {
  const version = versions.find(
    ({ root, limit }) => existsSync(join(root, limit)) || existsSync(join(root, 'cgroup.controllers')),
  );
  if (!version) throw new Error('no memory control group is mounted');
  const group = join(version.root, `page-audit-test-${process.pid}-${bytes}`);
  mkdirSync(group);
  const remove = () => rmdirSync(group);
  try {
    writeFileSync(join(group, version.limit), String(bytes));
  } catch (error) {
    remove();
    throw error;
  }
  return {
    /** Prefix of a command that is to run in the group. */
    enter: ['sh', '-c', `echo $$ > ${join(group, 'cgroup.procs')} && exec "$0" "$@"`],
    /** Returns how many processes of the group the kernel's out-of-memory killer has ended. */
    killed: (): number => Number(readFileSync(join(group, version.events), 'utf8').match(/^oom_kill (\d+)/m)?.[1]),
    remove,
  };
};

/** Returns why this machine can't limit memory. */
export const noMemoryGroupHere = (): string | undefined => {
  try {
    memoryGroup(2 ** 30).remove();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};
