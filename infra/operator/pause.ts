import { commandLine } from '../local/command-line.ts';
import { environmentFrom } from './arguments.ts';
import { awsCli } from './aws-cli.ts';
import { pauseWriters } from './pausing/pause-writers.ts';
import { runCommand } from './table.ts';

const usage = `${commandLine('pause', '--environment ENVIRONMENT')}

Stops everything that writes to the table of an environment: creates, erasures, sweeps, audits, deliveries and the canary,
also workers on instances. Waits for what runs, at most eleven minutes. Jobs stay in their queues. Clients get 503 for
creates and erasures, and can read. Stores the state before in the parameter store. A deploy does not end the pause.

  --environment  the service on AWS, with the credentials that the AWS CLI uses

To end the pause: ${commandLine('resume', '--environment ENVIRONMENT')}
`;

/** `npm run pause`: stops the writers of an environment on AWS. Messages go to stderr. */
await runCommand({
  command: 'pause',
  rights: 'lambda:*Concurrency, lambda:*EventSourceMapping*, sqs:*QueueAttributes, sqs:GetQueueUrl and ssm:*Parameter',
  run: async ({ print, note }) => {
    const environment = environmentFrom(process.argv.slice(2));
    if (environment === undefined) return print(usage);
    await pauseWriters(environment, { aws: awsCli, note });
    note(`To end the pause: ${commandLine('resume', '', environment.name)}`);
  },
});
