import { cpuSecondsByGroup } from './cpu-meter.ts';

/** CPU time in seconds: all that was read of a group, and the part outside of its timed part. */
type Account = { read: number; untimed: number; timed: boolean };

/**
 * Counts the CPU time that the service uses outside of timed parts: its own process, and auditors, each a process group. It
 * reads each group before its timed part begins or ends, and before its processes exit.
 */
export const ownCpu = (secondsByGroup = cpuSecondsByGroup) => {
  const auditors = new Map<number, Account>();
  let ended = { untimed: 0, all: 0 };

  const update = () => {
    const now = secondsByGroup();
    for (const [group, account] of auditors) {
      const seconds = Math.max(account.read, now.get(group) ?? 0); // less once processes have exited
      if (!account.timed) account.untimed += seconds - account.read;
      account.read = seconds;
    }
  };
  return {
    add: (group: number): void => void auditors.set(group, { read: 0, untimed: 0, timed: false }),
    remove: (group: number): void => {
      if (!auditors.has(group)) return;
      update();
      const { untimed = 0, read = 0 } = auditors.get(group) ?? {};
      ended = { untimed: ended.untimed + untimed, all: ended.all + read };
      auditors.delete(group);
    },
    setTimed: (group: number, timed: boolean): void => {
      update();
      const account = auditors.get(group);
      if (account) account.timed = timed;
    },
    /** Returns the seconds so far, without those of `group`. */
    secondsBeside: (group: number): number => {
      update();
      let seconds = ended.untimed + processSeconds();
      for (const [other, { untimed }] of auditors) if (other !== group) seconds += untimed;
      return seconds;
    },
    /** Returns all seconds of the service so far. */
    seconds: (): number => {
      update();
      return [...auditors.values()].reduce((sum, { read }) => sum + read, ended.all + processSeconds());
    },
  };
};

const processSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
