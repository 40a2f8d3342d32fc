import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { Streams } from '../../clients/cli/streams.ts';
import { environmentOf } from '../environments.ts';
import { commonOptions, parseArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { rollOut } from './roll-out.ts';
import { runCommand, UsageError } from './table.ts';

const usage = `npm run deploy -- --environment ENVIRONMENT

Deploys the stacks of an environment one after another: each region, and then the home stack. After each region, npm run
smoke audits the sample page in it. If the smoke test fails, the release goes no further. A region whose deploy fails
keeps its release, and the others go on. The exit code is 1 unless all stacks are deployed and pass.

  --environment  dev, staging or prod, with the credentials that the AWS CLI uses
`;

/** Runs a command that writes to this terminal. Returns true if it succeeded. */
const succeeds = async (command: string, args: readonly string[]): Promise<boolean> => {
  const [code] = await once(spawn(command, args, { stdio: 'inherit' }), 'exit');
  return code === 0;
};

const stackExists = (stack: string, region: string): Promise<boolean> =>
  promisify(execFile)('aws', ['cloudformation', 'describe-stacks', '--stack-name', stack, '--region', region]).then(
    () => true,
    ({ stderr, message }) => {
      if (String(stderr).includes('does not exist')) return false;
      throw new Error(`The AWS CLI could not look for ${stack}. ${(stderr || message).trim()}`);
    },
  );

const run = async ({ print, note }: Streams): Promise<void> => {
  const { environment: name, help } = parseArguments({ args: process.argv.slice(2), options: commonOptions }).values;
  if (help) return print(usage);
  if (name === undefined) throw new UsageError('Name the environment, for example --environment staging.');
  const environment = environmentOf(name);
  const { homeStack } = environment.names;
  const chosen = ['-c', `environment=${name}`, '--require-approval', 'never', '--exclusively'];
  const outcomes = await rollOut(environment, {
    isLive: await stackExists(homeStack, environment.homeRegion),
    deploy: (stack) => {
      note(`Deploying ${stack} …`);
      return succeeds('npx', ['cdk', 'deploy', stack, ...chosen]);
    },
    smoke: (regions) =>
      succeeds('npm', ['run', '-s', 'smoke', '--', '--environment', name, '--regions', regions.join(',')]),
  });
  await print(`${columns([['STACK', 'RESULT'], ...outcomes])}\n`);
  const bad = [...outcomes].filter(([, outcome]) => outcome !== 'deployed').map(([stack]) => stack);
  if (bad.length > 0)
    throw new Error(`The release is not proved in ${bad.join(', ')}. To go back: infra/DEPLOY.md#roll-back`);
};

/** `npm run deploy`: deploys an environment region by region, with an audit between. */
await runCommand({ command: 'deploy', rights: 'cloudformation:DescribeStacks, and the rights of cdk deploy', run });
