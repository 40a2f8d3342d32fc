import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { log } from '../../lib/log.ts';
import { allowedCpus } from './cpu-meter.ts';
import { membersOf } from './processes.ts';

/**
 * Confines a session: all its processes run on half of the CPUs, and get a tenth of the share of other sessions. Or lifts
 * both. Resolves when the change has been made. A host may lack the means; the session then keeps its CPUs or its share.
 *
 * The processes run on, because timeouts inside an audit would elapse while they are stopped.
 */
export const confine = async (session: number, confined: boolean): Promise<void> => {
  await Promise.all([setNice(session, confined ? 10 : 0), setCpus(session, confined ? untimedCpus() : allCpus())]);
};

const allCpus = (): number[] => [...allowedCpus()];
/** Returns the CPUs for untimed parts. The other half belongs to timed parts alone. */
export const untimedCpus = (cpus = allCpus()): number[] => cpus.slice(0, Math.max(1, Math.floor(cpus.length / 2)));

/** Sets the nice value of a session relative to other sessions (autogroup in sched(7)). */
const setNice = async (session: number, nice: number): Promise<void> => {
  for (let tries = 0; tries < 20; tries++) {
    try {
      return writeFileSync(`/proc/${session}/autogroup`, `${nice}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      await sleep(50); // the kernel allows ten changes per second by users other than root
    }
  }
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
      ({ code, message }: NodeJS.ErrnoException) => {
        if (`${code}` !== '127') return; // a process has exited
        canSetCpus = false;
        log.warn('Audits run on all CPUs beside a timed part. Install util-linux, which has taskset.', { message });
      },
    );
  }
};
