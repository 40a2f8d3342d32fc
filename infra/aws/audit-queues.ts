import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { regions } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { accountOf } from './account.ts';

/** Returns the value of AUDIT_QUEUES: the URL of each region's queue. It is built from the name, without a lookup. */
export const auditQueueUrls = (scope: Construct, { regions: deployed, names }: Environment): string =>
  Stack.of(scope).toJsonString(
    Object.fromEntries(
      deployed.map((region) => [
        region,
        `https://sqs.${regions[region]}.${Stack.of(scope).urlSuffix}/${accountOf(scope)}/${names.auditQueue(region)}`,
      ]),
    ),
  );
