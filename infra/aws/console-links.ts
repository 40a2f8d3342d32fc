import type { Stack } from 'aws-cdk-lib';
import { type AuditRegion, regions } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { accountOf } from './account.ts';

export type ConsoleLinks = ReturnType<typeof consoleLinks>;

/** Returns links to the logs, functions and queues of each region in the AWS console. */
export const consoleLinks = (scope: Stack, { homeRegion, names }: Environment) => {
  const consoleIn = (awsRegion: string) => {
    const page = (service: string) =>
      `https://${awsRegion}.console.aws.amazon.com/${service}/home?region=${awsRegion}#`;
    const log = (group: string) => `${page('cloudwatch')}logsV2:log-groups/log-group/${group.replaceAll('/', '$252F')}`;
    return {
      log,
      functionLog: (functionName: string) => log(`/aws/lambda/${functionName}`),
      functionPage: (functionName: string) => `${page('lambda')}/functions/${functionName}?tab=monitoring`,
      queue: (name: string) =>
        `${page('sqs').replace('/sqs/', '/sqs/v3/')}/queues/${encodeURIComponent(`https://sqs.${awsRegion}.amazonaws.com/`)}${accountOf(scope)}%2F${name}`,
    };
  };
  return {
    home: consoleIn(homeRegion),
    region: (region: AuditRegion) => {
      const console = consoleIn(regions[region]);
      return {
        functionLog: (file: string) => console.functionLog(names.regionFunction(file, region)),
        functionPage: console.functionPage(names.regionFunction('run-audit', region)),
        queue: console.queue(names.auditQueue(region)),
        deadLetters: console.queue(names.deadLetters(region)),
      };
    },
  };
};
