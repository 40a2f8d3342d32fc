import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Region, regions } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { accountOf } from './account.ts';

/* The URLs are built from the names of the queues, without a lookup. */

/** Returns the value of AUDIT_QUEUES: the URL of each region's queue. */
export const auditQueueUrls = (scope: Construct, environment: Environment): string =>
  urlsOf(scope, environment, environment.names.auditQueue);

/** Returns the value of DEAD_LETTER_QUEUES. */
export const deadLetterUrls = (scope: Construct, environment: Environment): string =>
  urlsOf(scope, environment, environment.names.deadLetters);

const urlsOf = (scope: Construct, { regions: deployed }: Environment, nameOf: (region: Region) => string): string =>
  Stack.of(scope).toJsonString(
    Object.fromEntries(deployed.map((region) => [region, urlOf(scope, regions[region], nameOf(region))])),
  );

/** Returns the URL of the queue of deliveries, which is in the home region. */
export const deliveryQueueUrl = (scope: Construct, { homeRegion, names }: Environment): string =>
  urlOf(scope, homeRegion, names.deliveryQueue);

const urlOf = (scope: Construct, awsRegion: string, name: string): string =>
  `https://sqs.${awsRegion}.${Stack.of(scope).urlSuffix}/${accountOf(scope)}/${name}`;
