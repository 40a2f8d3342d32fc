import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { freePort } from '../support/free-port.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of moto's server, which answers for all services of AWS. */
    motoUrl: string;
  }
}

const INSTALL = "python3 -m pip install 'moto[server]==5.2.1'";

/** Starts moto's server on loopback before the tests, and ends it after them. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  requireMoto();
  const port = await freePort();
  const moto = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' });
  const exited = once(moto, 'exit');
  const stop = async () => {
    moto.kill();
    await exited;
  };
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; !(await answers(url)); tries++) {
    if (tries === 300 || moto.exitCode !== null) {
      await stop();
      throw new Error(`moto's server did not start on port ${port}. To see why: python3 -m moto.server -p ${port}`);
    }
    await pause(100);
  }
  project.provide('motoUrl', url);
  return stop;
};

const requireMoto = (): void => {
  try {
    execFileSync('python3', ['-c', 'import moto.server'], { stdio: 'ignore' });
  } catch {
    throw new Error(`npm run test:moto needs moto's server, which this machine lacks. Install it: ${INSTALL}`);
  }
};

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/moto-api/data.json`).then(
    ({ ok }) => ok,
    () => false,
  );
