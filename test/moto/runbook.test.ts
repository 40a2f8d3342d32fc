import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { runbookCommands } from '../support/runbook.ts';
import { cures } from './cures.ts';
import { type Deployed, environment, startDeployed } from './deployed.ts';

/* Runs each command of infra/RUNBOOK.md on moto's server, as an operator types it. */

const commands = runbookCommands();
const [variables = ''] = commands;
let aws: Deployed;
beforeAll(async () => {
  aws = await startDeployed(inject('motoUrl'));
});
afterAll(() => aws?.close());

/**
 * Types a command in a shell. The environment is `trial` in the place of `prod`. Node's pipe is a socket, which no program can
 * open as /dev/stdout, so the output goes through `cat`.
 */
const type = (command: string, more: Record<string, string> = {}) => {
  const script = `${variables.replace('E=prod', `E=${environment.name}`)}\n{ ${command}\n} | cat`;
  const env = { ...aws.env, HOME: process.env.HOME, ...more };
  return promisify(execFile)('bash', ['--norc', '-o', 'pipefail', '-c', script], { env });
};

// Each test needs the state that the one before it has left.
describe('a command of the runbook does what the page says', () => {
  for (const [part, shows] of cures)
    for (const command of new Set(commands.filter((each) => each.includes(part))))
      test(command, () => shows(aws, (more) => type(command, more)));
});
