import { commandLine } from '../local/command-line.ts';
import { environmentFrom } from './arguments.ts';
import { awsCli } from './aws-cli.ts';
import { resumeWriters } from './pausing/pause-writers.ts';
import { runCommand } from './table.ts';

const usage = `${commandLine('resume', '--environment ENVIRONMENT')}

Ends a pause of the command pause: puts back the concurrency of each function, the state of each mapping and the policy of
each queue as they were before the pause, whatever was deployed meanwhile. If it fails halfway, repeat it.

  --environment  the service on AWS, with the credentials that the AWS CLI uses
`;

/** `npm run resume`: starts the writers of an environment on AWS. Messages go to stderr. */
await runCommand({
  command: 'resume',
  rights: 'lambda:*Concurrency, lambda:*EventSourceMapping*, sqs:*QueueAttributes, sqs:GetQueueUrl and ssm:*Parameter',
  run: async ({ print, note }) => {
    const environment = environmentFrom(process.argv.slice(2));
    if (environment === undefined) return print(usage);
    if (!(await resumeWriters(environment, { aws: awsCli, note })))
      throw new Error(`No pause of ${environment.name} is stored, so there is nothing to put back.`);
  },
});
