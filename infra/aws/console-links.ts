import type { Stack } from 'aws-cdk-lib';
import { type Region, regions } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { accountOf } from './node-function.ts';

export type Links = ReturnType<typeof linksOf>;

/** Where the console shows the logs, functions and queues of each region. */
export const linksOf = (scope: Stack, { homeRegion, names }: Environment) => {
  const consoleOf = (awsRegion: string) => {
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
    home: consoleOf(homeRegion),
    region: (region: Region) => {
      const there = consoleOf(regions[region]);
      return {
        functionLog: (file: string) => there.functionLog(names.regionFunction(file, region)),
        functionPage: there.functionPage(names.regionFunction('run-audit', region)),
        queue: there.queue(names.auditQueue(region)),
        deadLetters: there.queue(names.deadLetters(region)),
      };
    },
  };
};
