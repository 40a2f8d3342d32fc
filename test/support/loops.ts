import { spawn } from 'node:child_process';

const WHILE_PARENT_LIVES = 'const parent = process.ppid; while (process.ppid === parent)';

/**
 * Starts processes that each run a statement all the time, until their parent ends. They are in the session of this process.
 * So they have the share of the CPU that auditors of this process raise in a timed part, if they may, and slow the audit.
 */
export const startLoops = (count: number, { before = '', statement = '' } = {}): AsyncDisposable & Disposable => {
  const loops = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', `${before}; ${WHILE_PARENT_LIVES} { ${statement} }`], { stdio: 'ignore' }),
  );
  const end = () => {
    for (const loop of loops) loop.kill('SIGKILL');
  };
  return { [Symbol.dispose]: end, [Symbol.asyncDispose]: async () => end() };
};
