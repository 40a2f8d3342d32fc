import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { allowedCpus } from './cpu-meter.ts';
import { membersOf, readText } from './processes.ts';

/** Importance of an auditor: in its timed part, beside the timed part of another one, or neither. */
export type Rank = 'measured' | 'confined' | 'usual';

/** Nice values of sessions. A confined one gets a tenth of the share of a usual one. */
const NICE: Record<Rank, number> = { measured: -20, confined: 10, usual: 0 };

/**
 * Gives a session another rank. All processes of a confined session run on half of the CPUs. Resolves when the change has
 * been made. A host may lack the means; the session then keeps its CPUs or its share.
 *
 * The processes run on, because timeouts inside an audit would elapse while they are stopped.
 */
export const giveRank = async (session: number, rank: Rank, before: Rank): Promise<void> => {
  const isFree = rank !== 'confined';
  const changesCpus = isFree !== (before !== 'confined');
  await Promise.all([
    setNice(session, rank, before),
    changesCpus && setCpus(session, isFree ? allCpus() : untimedCpus()),
  ]);
};

const allCpus = (): number[] => [...allowedCpus()];
/** Returns the CPUs for untimed parts. The other half belongs to timed parts alone. */
export const untimedCpus = (cpus = allCpus()): number[] => cpus.slice(0, Math.max(1, Math.floor(cpus.length / 2)));

/** Only root may raise a session above others. */
let canRaise = true;
const niceOf = (rank: Rank): number => Math.max(NICE[rank], canRaise ? -20 : 0);

/** Sets the nice value of a session relative to other sessions (autogroup in sched(7)). */
const setNice = async (session: number, rank: Rank, before: Rank): Promise<void> => {
  for (let tries = 0; tries < 20 && niceOf(rank) !== niceOf(before); tries++) {
    try {
      return writeFileSync(`/proc/${session}/autogroup`, `${niceOf(rank)}`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPERM') canRaise = false;
      else if (code === 'EAGAIN')
        await sleep(50); // the kernel allows ten changes per second by users other than root
      else return;
    }
  }
};

/** Resets the CPU share of this process's session. A service that was killed in a timed part leaves the highest one. */
export const resetOwnRank = async (): Promise<void> => {
  const nice = readText('/proc/self/autogroup')?.trim().split(' ').at(-1);
  if (nice === `${NICE.measured}`) await setNice(process.pid, 'usual', 'measured');
};

const run = promisify(execFile);
const EACH_PROCESS = 'for pid; do taskset -acp "$0" "$pid" || [ $? != 127 ] || exit 127; done';
let canSetCpus = true;

/** Sets the CPUs of all threads of a session. Threads and processes that start later inherit them. */
const setCpus = async (session: number, cpus: readonly number[]): Promise<void> => {
  const done = new Set<number>();
  while (canSetCpus && cpus.length > 0) {
    const pids = membersOf(session).filter((pid) => !done.has(pid));
    if (pids.length === 0) return;
    for (const pid of pids) done.add(pid);
    await run('sh', ['-c', EACH_PROCESS, cpus.join(), ...pids.map(String)], { env: { PATH: process.env.PATH } }).catch(
      ({ code }: NodeJS.ErrnoException) => {
        if (`${code}` === '127') canSetCpus = false; // the machine has no taskset. Otherwise a process has exited
      },
    );
  }
};
