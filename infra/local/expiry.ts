import { setTimeout as pause } from 'node:timers/promises';
import { DeleteObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { redactForLog } from '../../functions/lib/redact.ts';
import { type Db, deleteItem, type Key } from '../../functions/lib/store/dynamodb.ts';
import { anyOf, expressionOf } from '../../functions/lib/store/expressions.ts';
import { ofAnyOwner, readItems } from '../../functions/lib/store/items.ts';
import { lifeIn, REPORTS } from '../../shared/service/report-folders.ts';
import { secretFolders } from '../../shared/service/secret-folders.ts';
import { tableSettings } from '../settings.ts';

type Data = { db: Db; s3: S3Client; bucket: string };
type Pace = { signal: AbortSignal; pauseMs?: number };
type Trust = Pace & { isTrusted?: boolean };

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Pages are small and the pauses long, because a busy service would slow the audits that it measures. */
const PAGE_SIZE = 100;
const PAUSE_MS = 1000;

/**
 * Deletes expired items and old reports at the start and then daily, unless the clock may be wrong. On AWS, DynamoDB's time to
 * live and the bucket's lifecycle rules do this. Deletes the secrets of no open check hourly. `stop` waits for the deletion at
 * work.
 */
export const startExpiry = ({
  isClockTrusted,
  ...data
}: Data & { isClockTrusted: (now: Date) => Promise<boolean> }) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    for (let hours = 0; !signal.aborted; hours++) {
      const now = new Date();
      const deletion = async () => {
        const isTrusted = await isClockTrusted(now);
        if (hours % 24 === 0 && isTrusted) await deleteExpired(data, now, { signal });
        else await deleteEndedSecrets(data, now, { signal, isTrusted });
      };
      await deletion().catch((error: Error) => {
        if (!signal.aborted)
          console.error(`Could not delete expired data. The next try is within a day: ${redactForLog(error.message)}`);
      });
      await pause(HOUR_MS, undefined, { signal, ref: false }).catch(() => {});
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

/** Deletes each item whose time to live has ended, each report that is older than its life, and each ended secret. */
export const deleteExpired = async (data: Data, now: Date, pace: Pace): Promise<void> => {
  await deleteEndedSecrets(data, now, pace);
  await deleteItems(data.db, Math.floor(now.getTime() / 1000), pace);
  await deleteObjects(data, REPORTS, (key, age) => age > lifeIn(key) * DAY_MS, now, pace);
};

/**
 * Deletes the secrets that a dead or late create has left: of no open check after an hour. Deletes those that are too old,
 * unless the clock may be wrong.
 */
export const deleteEndedSecrets = async (
  data: Data,
  now: Date,
  { isTrusted = true, ...pace }: Trust,
): Promise<void> => {
  for (const { prefix, days } of Object.values(secretFolders)) {
    if (days === undefined) continue;
    const isEnded = async (key: string, age: number) =>
      (isTrusted && Math.abs(age) > days * DAY_MS) ||
      (Math.abs(age) > HOUR_MS && !(await isOpen(data.db, key.slice(prefix.length).split('/')[0] ?? '')));
    await deleteObjects(data, prefix, isEnded, now, pace);
  }
};

/** Returns true if a check is open, or has runs that the sweeper will delete with their secrets. */
const isOpen = async (db: Db, checkId: string): Promise<boolean> => {
  const { check, runs } = await readItems(db, checkId, ofAnyOwner);
  return check ? check.completedAt === null : runs.length > 0;
};

const deleteItems = async (db: Db, nowSeconds: number, { signal, pauseMs = PAUSE_MS }: Pace): Promise<void> => {
  const isExpired = anyOf([tableSettings.timeToLive, '<', nowSeconds]); // not of API keys, which have a text there
  const filter = expressionOf(isExpired);
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = new ScanCommand({
      TableName: db.table,
      Limit: PAGE_SIZE,
      FilterExpression: filter.text,
      ExpressionAttributeNames: filter.names,
      ExpressionAttributeValues: filter.values,
      ExclusiveStartKey,
    });
    const { Items = [], LastEvaluatedKey } = await db.client.send(page);
    for (const { pk, sk } of Items as Key[]) await deleteItem(db, { pk, sk }, isExpired);
    ExclusiveStartKey = LastEvaluatedKey;
    if (ExclusiveStartKey) await pause(pauseMs, undefined, { signal });
  } while (ExclusiveStartKey);
};

const deleteObjects = async (
  { s3, bucket: Bucket }: Data,
  prefix: string,
  isEnded: (key: string, ageMs: number) => boolean | Promise<boolean>,
  now: Date,
  { signal, pauseMs = PAUSE_MS }: Pace,
) => {
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: prefix })) {
    for (const { Key = '', LastModified } of Contents) {
      if (LastModified && (await isEnded(Key, now.getTime() - LastModified.getTime())))
        await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    }
    await pause(pauseMs, undefined, { signal });
  }
};
