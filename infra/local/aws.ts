import { join } from 'node:path';
import { regions as awsRegions, type Region } from '../../shared/regions.ts';
import { namesOf } from '../names.ts';
import { queueSettings } from '../settings.ts';
import { startTable } from './dynamodb.ts';
import { startFauxqs } from './fauxqs.ts';

type Options = {
  dataDir?: string; // without it everything is in memory
  regions: readonly Region[];
  environment?: string;
  ports?: { dynamodb?: number; sqs?: number; s3?: number }; // any free one by default
  visibilitySeconds?: number; // for tests
};

const HOST = '127.0.0.1';
const ACCOUNT = '000000000000';

/**
 * DynamoDB, SQS and S3 on loopback, with the table, the bucket and each region's queues in place. `env` is what the AWS
 * SDK and our functions find in `process.env`. Table and bucket are kept in `dataDir`, whatever ends the process; what was
 * queued is not: the table says which runs are open, and the sweeper queues them again.
 */
export const startAws = async ({ dataDir, regions, environment = 'local', ports = {}, visibilitySeconds }: Options) => {
  await using engines = new AsyncDisposableStack(); // ends what was started if a later one fails
  const names = namesOf(environment);
  const table = await startTable({ dataDir, environment, port: ports.dynamodb });
  engines.defer(table.close);

  const s3 = await startFauxqs({ port: ports.s3 ?? 0, dataDir: dataDir && join(dataDir, 's3') });
  engines.defer(() => s3.stop());
  s3.createBucket(names.reportBucket);

  const sqs = await startFauxqs({ port: ports.sqs ?? 0 });
  engines.defer(() => sqs.stop());
  const sqsUrl = `http://${HOST}:${sqs.port}`;
  const createQueue = (region: Region, name: string, attributes: Record<string, string> = {}) => {
    const { queueArn } = sqs.createQueue(name, { region: awsRegions[region], attributes });
    return { arn: queueArn, url: `${sqsUrl}/${ACCOUNT}/${name}` }; // fauxqs' own URL has a host that needs a name server
  };
  const auditQueues: Record<string, string> = {};
  const deadLetterQueues: Record<string, string> = {};
  for (const region of regions) {
    const deadLetters = createQueue(region, names.deadLetters(region));
    const { maxReceiveCount } = queueSettings;
    deadLetterQueues[region] = deadLetters.url;
    auditQueues[region] = createQueue(region, names.auditQueue(region), {
      VisibilityTimeout: String(visibilitySeconds ?? queueSettings.visibilitySeconds),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount }),
    }).url;
  }

  const env: Record<string, string> = {
    ...table.env,
    AWS_ENDPOINT_URL_SQS: sqsUrl,
    AWS_ENDPOINT_URL_S3: `http://${HOST}:${s3.port}`,
    REPORT_BUCKET: names.reportBucket,
    AUDIT_QUEUES: JSON.stringify(auditQueues),
    DEAD_LETTER_QUEUES: JSON.stringify(deadLetterQueues),
    REGIONS: regions.join(','),
  };
  const started = engines.move();
  return { env, close: () => started.disposeAsync() };
};
