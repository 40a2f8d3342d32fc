import { Stack } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { regions } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { accountOf, right } from './node-function.ts';

/** AUDIT_QUEUES of the functions that send jobs: the URL of each region's queue, written from its name alone. */
export const auditQueueUrls = (scope: Construct, { regions: deployed, names }: Environment): string =>
  Stack.of(scope).toJsonString(
    Object.fromEntries(
      deployed.map((region) => [
        region,
        `https://sqs.${regions[region]}.${Stack.of(scope).urlSuffix}/${accountOf(scope)}/${names.auditQueue(region)}`,
      ]),
    ),
  );

/** The right to send jobs to the queues of this environment's regions. */
export const sendRights = (scope: Construct, { regions: deployed, names }: Environment): PolicyStatement[] =>
  deployed.map((region) =>
    right(
      ['sqs:SendMessage'],
      Stack.of(scope).formatArn({ service: 'sqs', region: regions[region], resource: names.auditQueue(region) }),
    ),
  );
