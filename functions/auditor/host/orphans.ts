import { createRequire } from 'node:module';
import { log } from '../../lib/log.ts';

type Libc = {
  prctl: (option: number, value: number) => number;
  waitpid: (pid: number, status: null, options: number) => number;
};

let isTried = false;
let libc: Libc | undefined;

/**
 * Makes this process the parent of its descendants whose own parent has exited, so that it can reap them. Otherwise they
 * pass to process 1. On Lambda, and in a container whose process 1 is Node, that process reaps none of them. Each zombie
 * process then counts towards the limit of processes until the instance ends. Node itself can't make these system calls.
 */
export const adoptOrphans = (): void => {
  if (isTried) return;
  isTried = true;
  try {
    const koffi = createRequire(import.meta.url)('@koromix/koffi-linux-x64');
    const own = koffi.load(null); // the libraries that this process has loaded
    const loaded: Libc = {
      prctl: own.func('int prctl(int option, unsigned long value)'),
      waitpid: own.func('int waitpid(int pid, void *status, int options)'),
    };
    if (loaded.prctl(PR_SET_CHILD_SUBREAPER, 1) !== 0) throw new Error(`prctl failed with errno ${koffi.errno()}`);
    libc = loaded;
  } catch (error) {
    log.warn('The service cannot reap the zombie processes of its browsers. Process 1 must do so.', {
      error: error as Error,
    });
  }
};

/** Reaps an adopted process if it is a zombie. Never call it for a process that Node started: Node would miss its exit. */
export const reap = (pid: number): void => void libc?.waitpid(pid, null, WNOHANG);

const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;
