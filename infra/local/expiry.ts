import { setTimeout as pause } from 'node:timers/promises';
import { DeleteObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { redactForLog } from '../../functions/lib/redact.ts';
import { type Db, deleteItem, type Key } from '../../functions/lib/store/dynamodb.ts';
import { lifeIn, SECRETS_PREFIX } from '../../shared/report-folders.ts';
import { SECRET_DAYS } from '../../shared/secrets.ts';
import { tableSettings } from '../settings.ts';

type Data = { db: Db; s3: S3Client; bucket: string; retentionDays: number };
type Pace = { signal: AbortSignal; pauseMs?: number };

const DAY_MS = 24 * 3600 * 1000;
/** Pages are small and the pauses long, because a busy service would slow the audits that it measures. */
const PAGE_SIZE = 100;
const PAUSE_MS = 1000;

/**
 * Deletes expired items and old reports at the start and then daily, as DynamoDB's time to live and the bucket's
 * lifecycle rules do on AWS. `stop` waits for the deletion at work.
 */
export const startExpiry = (data: Data) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) {
      await deleteExpired(data, new Date(), { signal }).catch((error: Error) => {
        if (!signal.aborted)
          console.error(`Could not delete expired data. The next try is in a day: ${redactForLog(error.message)}`);
      });
      await pause(DAY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  };
  const running = run();
  return {
    stop: (): Promise<void> => {
      stopping.abort();
      return running;
    },
  };
};

/** Deletes each item whose time to live has ended, and each report and each secret that is older than its life. */
export const deleteExpired = async (data: Data, now: Date, pace: Pace): Promise<void> => {
  await deleteItems(data.db, Math.floor(now.getTime() / 1000), pace);
  // Reports of earlier versions have no life in their key.
  await deleteObjects(data, 'reports/', (key) => lifeIn(key) ?? data.retentionDays, now, pace);
  await deleteObjects(data, SECRETS_PREFIX, () => SECRET_DAYS, now, pace);
};

const deleteItems = async (db: Db, nowSeconds: number, { signal, pauseMs = PAUSE_MS }: Pace): Promise<void> => {
  const name = tableSettings.timeToLive;
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = new ScanCommand({
      TableName: db.table,
      Limit: PAGE_SIZE,
      ProjectionExpression: '#pk, #sk',
      FilterExpression: 'attribute_type(#expires, :number) AND #expires < :now', // API keys have a text there
      ExpressionAttributeNames: { '#pk': tableSettings.partitionKey, '#sk': tableSettings.sortKey, '#expires': name },
      ExpressionAttributeValues: { ':number': 'N', ':now': nowSeconds },
      ExclusiveStartKey,
    });
    const { Items = [], LastEvaluatedKey } = await db.client.send(page);
    const ifStillExpired = { condition: `#${name} < :now`, values: { ':now': nowSeconds } };
    for (const { pk, sk } of Items as Key[]) await deleteItem(db, { pk, sk }, ifStillExpired);
    ExclusiveStartKey = LastEvaluatedKey;
    if (ExclusiveStartKey) await pause(pauseMs, undefined, { signal });
  } while (ExclusiveStartKey);
};

const deleteObjects = async (
  { s3, bucket: Bucket }: Data,
  prefix: string,
  daysOf: (key: string) => number,
  now: Date,
  { signal, pauseMs = PAUSE_MS }: Pace,
) => {
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: prefix })) {
    for (const { Key = '', LastModified } of Contents) {
      if (LastModified && LastModified.getTime() < now.getTime() - daysOf(Key) * DAY_MS)
        await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    }
    await pause(pauseMs, undefined, { signal });
  }
};
