import { join } from 'node:path';
import { regions as awsRegions, type Region } from '../../shared/regions.ts';
import { namesOf } from '../names.ts';
import { deliverySettings, queueSettings } from '../settings.ts';
import { HOME_REGION, startTable, type TableOptions } from './dynamodb.ts';
import { startFauxqs } from './fauxqs.ts';
import { createReportFile } from './report-file.ts';
import { newCredentials } from './signature.ts';

type Options = {
  dataDir?: string; // without a folder, all data is in memory
  regions: readonly Region[];
  environment?: string;
  ports?: { dynamodb?: number; sqs?: number; s3?: number }; // any free port by default
  visibilitySeconds?: number; // of the audit queues; for tests
} & Pick<TableOptions, 'print' | 'onRecovered' | 'compactMs'>;

const HOST = '127.0.0.1';
const ACCOUNT = '000000000000';

/**
 * Starts DynamoDB, SQS and S3 on loopback, and creates the table, the bucket and each region's queues. `env` has the
 * variables for the AWS SDK and the functions. Only its credentials open the engines. Table and bucket are kept in
 * `dataDir` even if the process is killed. The queues are in memory, because the sweeper can resend the job of every open
 * run.
 */
export const startAws = async ({ dataDir, regions, environment = 'local', ports = {}, ...options }: Options) => {
  await using engines = new AsyncDisposableStack(); // stops the started engines if a later one fails
  const names = namesOf(environment);
  const credentials = newCredentials();
  const table = await startTable({ ...options, credentials, dataDir, environment, port: ports.dynamodb });
  engines.defer(table.close);

  const reportFolder = dataDir && join(dataDir, 's3');
  if (reportFolder) createReportFile(reportFolder);
  const s3 = await startFauxqs({ service: 's3', credentials, port: ports.s3 ?? 0, dataDir: reportFolder });
  engines.defer(() => s3.stop());
  s3.createBucket(names.reportBucket);

  const sqs = await startFauxqs({ service: 'sqs', credentials, port: ports.sqs ?? 0 });
  engines.defer(() => sqs.stop());
  const sqsUrl = `http://${HOST}:${sqs.port}`;
  const createQueue = (awsRegion: string, name: string, attributes: Record<string, string> = {}) => {
    const { queueArn } = sqs.createQueue(name, { region: awsRegion, attributes });
    return { arn: queueArn, url: `${sqsUrl}/${ACCOUNT}/${name}` }; // the host of fauxqs' URL needs DNS
  };
  const auditQueues: Record<string, string> = {};
  const deadLetterQueues: Record<string, string> = {};
  for (const region of regions) {
    const deadLetters = createQueue(awsRegions[region], names.deadLetters(region));
    const { maxReceiveCount } = queueSettings;
    deadLetterQueues[region] = deadLetters.url;
    auditQueues[region] = createQueue(awsRegions[region], names.auditQueue(region), {
      VisibilityTimeout: String(options.visibilitySeconds ?? queueSettings.visibilitySeconds),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount }),
    }).url;
  }

  const lostDeliveries = createQueue(HOME_REGION, names.lostDeliveries);
  const deliveryQueue = createQueue(HOME_REGION, names.deliveryQueue, {
    VisibilityTimeout: String(deliverySettings.visibilitySeconds),
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: lostDeliveries.arn,
      maxReceiveCount: queueSettings.maxReceiveCount,
    }),
  });

  const env: Record<string, string> = {
    ...table.env,
    AWS_ENDPOINT_URL_SQS: sqsUrl,
    AWS_ENDPOINT_URL_S3: `http://${HOST}:${s3.port}`,
    REPORT_BUCKET: names.reportBucket,
    AUDIT_QUEUES: JSON.stringify(auditQueues),
    DELIVERY_QUEUE: deliveryQueue.url,
    DEAD_LETTER_QUEUES: JSON.stringify(deadLetterQueues),
    REGIONS: regions.join(','),
  };
  const started = engines.move();
  return { env, close: () => started.disposeAsync() };
};
