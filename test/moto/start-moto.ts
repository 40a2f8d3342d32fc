import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { freePort } from '../support/free-port.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of moto's server, which answers for all services of AWS. Empty without moto, in the short form. */
    motoUrl: string;
  }
}

/** Reason why tests on moto are skipped. */
export const MISSING =
  "moto's server and the AWS CLI, which this machine lacks. Install both: python3 -m pip install 'moto[server]==5.2.1' awscli";

/** Starts moto's server on loopback before the tests, and ends it after them. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  if (!motoIsHere()) {
    if (process.env.MOTO === '1') throw new Error(`npm run test:moto needs ${MISSING}`);
    project.provide('motoUrl', '');
    return async () => {};
  }
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

const motoIsHere = (): boolean =>
  spawnSync('python3', ['-c', 'import moto.server'], { stdio: 'ignore' }).status === 0 &&
  spawnSync('aws', ['--version'], { stdio: 'ignore' }).status === 0;

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/moto-api/data.json`).then(
    ({ ok }) => ok,
    () => false,
  );
