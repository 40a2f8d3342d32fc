import { readFile } from 'node:fs/promises';
import { commandOf, descendantsOf, isGone } from '../support/processes.ts';

/** MiB that the processes of one audit hold together, pages shared among processes counted once. */
export type Footprint = { total: number; node: number; chromium: number; processes: number };

const EVERY_MS = 200;

/**
 * Watches the memory of the audits whose Node processes `rootsOf` names, each with all that descend from it. They may
 * come and go; `stop` answers the largest sum that one of them had.
 */
export const watchMemory = (rootsOf: () => number[]) => {
  let peak: Footprint = { total: 0, node: 0, chromium: 0, processes: 0 };
  let sampling: Promise<void> = Promise.resolve();
  let busy = false;

  const sample = async () => {
    busy = true;
    for (const root of rootsOf()) {
      const now = await footprintOf(root);
      if (now.total > peak.total) peak = now;
    }
    busy = false;
  };
  const timer = setInterval(() => {
    if (!busy) sampling = sample();
  }, EVERY_MS);

  return {
    stop: async (): Promise<Footprint> => {
      clearInterval(timer);
      await sampling;
      return peak;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
};

/** The auditors of a service, at work or waiting: its children that audit. */
export const auditorsOf = (service: number): number[] =>
  descendantsOf(service)
    .filter(({ pid, parent }) => parent === service && commandOf(pid).includes('auditor/child.ts'))
    .map(({ pid }) => pid);

const footprintOf = async (root: number): Promise<Footprint> => {
  const pids = [root, ...descendantsOf(root).map(({ pid }) => pid)];
  const shares = await Promise.all(pids.map(proportionalOf));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const node = shares[0] ?? 0;
  return { total, node, chromium: total - node, processes: shares.filter((share) => share > 0).length };
};

/** PSS in MiB: a page that n processes share counts for 1/n in each. Nothing where the process has ended. */
const proportionalOf = async (pid: number): Promise<number> => {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch((error) => {
    if (isGone(error)) return '';
    throw error;
  });
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
};
