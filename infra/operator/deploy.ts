import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Streams } from '../../clients/cli/streams.ts';
import type { Environment } from '../environments.ts';
import { commandLine } from '../local/command-line.ts';
import { raiseFormat } from '../local/data-format.ts';
import { environmentFrom } from './arguments.ts';
import { awsCli } from './aws-cli.ts';
import { columns } from './columns.ts';
import { preflight, stackExists } from './preflight.ts';
import { refuseRollBack, rollOut } from './roll-out.ts';
import { runCommand, withTable } from './table.ts';

const usage = `${commandLine('deploy', '--environment ENVIRONMENT')}

First asks the account for what the deploy needs: concurrency, bootstrap, free names. Prints a table, and stops before
anything is uploaded if something is missing. Then deploys the stacks one after another: each region, the home stack, and
CloudFront if the environment has an edge. After each region, npm run smoke audits the sample page in it. If the smoke test fails, the release goes no further. A region whose deploy fails
keeps its release, and the others go on. The exit code is 1 unless all stacks are deployed and pass. Then the last step
raises the format of the data. Afterwards, a release that does not know this format can't be deployed.

  --environment  trial, dev, staging, prod or large, with the credentials that the AWS CLI uses
`;

/** Runs a command that writes to this terminal. Returns true if it succeeded. */
const succeeds = async (command: string, args: readonly string[]): Promise<boolean> => {
  const [code] = await once(spawn(command, args, { stdio: 'inherit' }), 'exit');
  return code === 0;
};

/** Prints what the deploy needs of the account. Throws if something is missing, before anything is uploaded. */
const askFirst = async (environment: Environment, print: Streams['print']): Promise<void> => {
  const needs = await preflight(environment, awsCli);
  const rows = needs.map(({ what, region, needed, found, isMet, remedy }) => [
    isMet ? (found === undefined ? '?' : 'ok') : 'MISSING',
    what,
    region,
    needed,
    found ?? 'AWS does not tell it',
    isMet && found !== undefined ? '' : remedy,
  ]);
  await print(`${columns([['', 'NEED', 'REGION', 'NEEDED', 'FOUND', 'WHAT TO DO'], ...rows])}\n`);
  const missing = needs.filter(({ isMet }) => !isMet);
  if (missing.length > 0)
    throw new Error(`The account lacks ${missing.length} of ${needs.length} needs. Nothing was uploaded.`);
};

const run = async ({ print, note }: Streams): Promise<void> => {
  const environment = environmentFrom(process.argv.slice(2));
  if (environment === undefined) return print(usage);
  const { name, names, homeRegion } = environment;
  const isLive = await stackExists(names.homeStack, homeRegion, awsCli);
  if (isLive) await withTable(name, refuseRollBack);
  await askFirst(environment, print);
  const chosen = ['-c', `environment=${name}`, '--require-approval', 'never', '--exclusively'];
  const outcomes = await rollOut(environment, {
    isLive,
    raiseFormat: () => withTable(name, (db) => raiseFormat(db, new Date())),
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

/** `npm run deploy`: asks the account, then deploys an environment region by region, with an audit between. */
await runCommand({
  command: 'deploy',
  rights:
    'cloudformation:DescribeStacks, dynamodb:GetItem and UpdateItem on the table, the rights of cdk deploy, and those to read quotas and names',
  run,
});
