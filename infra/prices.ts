import type { AuditRegion } from '../shared/regions.ts';

/**
 * List prices in dollars of US West (Oregon), without free tiers. Source: https://aws.amazon.com/lambda/pricing and the
 * pages `/api-gateway/pricing`, `/dynamodb/pricing/on-demand`, `/sqs/pricing`, `/s3/pricing`, `/cloudwatch/pricing`,
 * `/eventbridge/pricing` and `/ec2/pricing/on-demand` of the same site. Other regions differ by a few per cent, except the transfer out of some of them.
 * The dashboard and `npm run cost` use them.
 */
export const prices = {
  lambdaGbSecond: { x86_64: 0.0000166667, arm64: 0.0000133334 },
  lambdaRequest: 0.2 / 1e6,
  lambdaStorageGbSecond: 0.0000000309, // of /tmp, above 512 MB
  httpApiRequest: 1 / 1e6, // up to 300 million a month
  dynamodbWrite: 0.625 / 1e6, // on demand, 1 KB
  dynamodbRead: 0.125 / 1e6, // on demand, 4 KB
  dynamodbGbMonth: 0.25,
  dynamodbRecoveryGbMonth: 0.2, // point-in-time recovery
  sqsRequest: 0.4 / 1e6,
  s3Put: 0.005 / 1e3,
  s3Get: 0.0004 / 1e3,
  s3GbMonth: 0.023,
  internetGb: 0.09, // to clients, up to 10 TB a month
  logGb: 0.5, // ingestion
  logGbMonth: 0.03, // of compressed lines; the model counts them as they are
  metricMonth: 0.3,
  alarmMonth: 0.1, // for each metric that an alarm reads
  dashboardMonth: 3,
  event: 1 / 1e6, // of a rule of EventBridge
  // An instance with two CPUs (c7i.large), its address and its disk. Spot varies; this is a share that it rarely exceeds.
  instanceHour: { onDemand: 0.0893, spot: 0.04 },
  addressHour: 0.005,
  diskGbMonth: 0.08,
} as const;

/** Price of a GB from a region to another AWS region. */
export const transferGb: Readonly<Record<AuditRegion, number>> = {
  'us-west1': 0.02,
  'us-east4': 0.02,
  'europe-north1': 0.02,
  'europe-west3': 0.02,
  'asia-northeast1': 0.09,
  'australia-southeast1': 0.098,
};
