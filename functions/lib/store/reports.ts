import { basename } from 'node:path/posix';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { ARTIFACT_DAYS, type ArtifactName } from '../../../shared/options/artifacts.ts';
import type { Variant } from '../../../shared/options/variants.ts';
import type { ReportEnv, StoreEnv } from '../../../shared/service/env.ts';
import { reportFolder } from '../../../shared/service/report-folders.ts';
import { clientSettings, endingAtDeadline } from '../aws-client.ts';
import type { RunItem } from './items.ts';

export type Reports = ReturnType<typeof reports>;

const PRESIGNED_SECONDS = 300;
const UPLOAD_MS = 30_000; // a report of many MiB may go from one region to another

/** Right to work on a run, as far as it names the reports of the run. */
type ReportPlace = { id: string; run: Pick<RunItem, 'id' | 'checkId' | 'retentionDays'> };

/**
 * Returns the key of the report after an attempt, or of the report of its nth interaction. Each lease has its own keys, so no
 * report is overwritten.
 */
export const reportKey = (
  { id, run }: ReportPlace,
  attempts: number,
  variant: Variant = 'own',
  interaction?: number,
): string => {
  const name = [
    id,
    attempts,
    ...(variant === 'own' ? [] : [variant]),
    ...(interaction ? [`i${interaction}`] : []),
  ].join('-');
  return `${reportFolder(run.checkId, run.retentionDays)}${run.id}/${name}.json.gz`;
};

/** Returns the key of an artifact of the audit that has a report. It has a life of its own. */
export const artifactKey = (
  { checkId, id }: Pick<RunItem, 'checkId' | 'id'>,
  key: string,
  name: ArtifactName,
): string => `${reportFolder(checkId, ARTIFACT_DAYS)}${id}/${tagOf(key)}.${name}.json.gz`;

/** Returns the beginning of an entity tag of a report. Each report has another one. */
export const tagOf = (key: string): string => basename(key, '.json.gz');

/** Stores reports as gzipped JSON, one object per attempt. No object is overwritten. */
export const reports = ({ REPORT_BUCKET: Bucket, HOME_REGION: region }: StoreEnv & ReportEnv) => {
  const s3 = endingAtDeadline(
    new S3Client({
      region,
      ...clientSettings(2500, { socketTimeout: 5000 }), // socketTimeout: time without a byte of a report
      responseChecksumValidation: 'WHEN_REQUIRED', // gzip has a checksum of its own
    }),
  );

  return {
    /** Stores a gzipped report under its key. */
    put: async (Key: string, gzip: Buffer): Promise<void> => {
      const type = { ContentType: 'application/json', ContentEncoding: 'gzip' };
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: gzip, ...type }), { requestTimeout: UPLOAD_MS });
    },

    /** Returns a gzipped report. Throws if there is none. */
    get: async (Key: string): Promise<Buffer> => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      if (!Body) throw new Error(`S3 returned no body for the report ${Key}`);
      const [first, ...more] = await (Body as Readable).toArray();
      return more.length === 0 ? first : Buffer.concat([first, ...more]); // a copy would hold the process
    },

    /** Returns true if a report is stored. It lists, because without a right to list S3 hides missing keys behind a 403. */
    exists: async (Key: string): Promise<boolean> => {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: Key, MaxKeys: 1 }));
      return Contents.some((found) => found.Key === Key);
    },

    /** Returns a URL that anyone can read the report from for five minutes. */
    urlOf: (Key: string): Promise<string> =>
      getSignedUrl(s3, new GetObjectCommand({ Bucket, Key }), { expiresIn: PRESIGNED_SECONDS }),

    /** Returns the keys of all reports of a check with a life in days, and of its artifacts, including those of attempts that were lost. */
    keysOf: async (checkId: string, days: number): Promise<string[]> => {
      const keys: string[] = [];
      for (const life of new Set([days, ARTIFACT_DAYS])) {
        const pages = paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: reportFolder(checkId, life) });
        for await (const { Contents = [] } of pages) keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
      }
      return keys;
    },

    /** Deletes a report, if it exists. */
    delete: async (Key: string): Promise<void> => {
      await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    },
  };
};
