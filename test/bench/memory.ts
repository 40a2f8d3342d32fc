import { readFile } from 'node:fs/promises';
import { commandOf, descendantsOf, isGone } from '../support/processes.ts';

/** MiB of all processes of one audit together. Counts a memory page that processes share once. */
export type Footprint = { total: number; node: number; chromium: number; processes: number };

const EVERY_MS = 200;

/**
 * Watches the memory of audits. `rootsOf` returns their Node processes, which may come and go. Each audit includes all
 * descendants of its process. `stop` returns the footprint of the largest audit.
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

/** Returns the auditor processes of a service, busy or idle. */
export const auditorsOf = (service: number): number[] =>
  descendantsOf(service)
    .filter(({ pid, parent }) => parent === service && /auditor\S*\/child\.(ts|mjs) /.test(commandOf(pid)))
    .map(({ pid }) => pid);

const footprintOf = async (root: number): Promise<Footprint> => {
  const pids = [root, ...descendantsOf(root).map(({ pid }) => pid)];
  const shares = await Promise.all(pids.map(proportionalOf));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const node = shares[0] ?? 0;
  return { total, node, chromium: total - node, processes: shares.filter((share) => share > 0).length };
};

/** Returns the PSS of a process in MiB. A memory page that n processes share counts 1/n. Returns 0 if the process is gone. */
const proportionalOf = async (pid: number): Promise<number> => {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch((error) => {
    if (isGone(error)) return '';
    throw error;
  });
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
};
