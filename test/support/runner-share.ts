import { readFileSync, writeFileSync } from 'node:fs';

const FILE = '/proc/self/autogroup';

/**
 * Gives the tests and the services that they start a larger share of the CPUs than each auditor, if the run may do so. An auditor
 * is a session of its own, and the kernel shares the CPUs by session (autogroup in sched(7)). Beside ten auditors, four services
 * in the one session of the run would answer after seconds.
 */
export const setup = (): (() => void) => {
  const before = share();
  setShare(-5);
  return () => setShare(before);
};

const share = (): number => {
  try {
    return Number(/nice (-?\d+)/.exec(readFileSync(FILE, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0; // only Linux has it
  }
};

const setShare = (nice: number): void => {
  try {
    writeFileSync(FILE, `${nice}`);
  } catch {
    // Only root may raise a share.
  }
};
