import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { ReportEnv, StoreEnv } from '../../../shared/env.ts';
import { requestTimeouts } from '../aws-client.ts';

export type Reports = ReturnType<typeof reports>;

const PRESIGNED_SECONDS = 300;
const UPLOAD_MS = 30_000; // of a report of many MiB, from one region to another

/** The bucket of reports: gzipped JSON, one object an attempt, never overwritten. */
export const reports = ({ REPORT_BUCKET: Bucket, HOME_REGION: region }: StoreEnv & ReportEnv) => {
  const s3 = new S3Client({
    region,
    requestHandler: { ...requestTimeouts(2500), socketTimeout: 5000 }, // the second: in which nothing of a report came
    responseChecksumValidation: 'WHEN_REQUIRED', // gzip brings a checksum of its own
  });

  return {
    /** Stores a gzipped report under its key. */
    put: async (Key: string, gzip: Buffer): Promise<void> => {
      const type = { ContentType: 'application/json', ContentEncoding: 'gzip' };
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: gzip, ...type }), { requestTimeout: UPLOAD_MS });
    },

    /** The gzipped report; throws where there is none. */
    get: async (Key: string): Promise<Buffer> => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      if (!Body) throw new Error(`the object ${Key} has no body`);
      return Buffer.from(await Body.transformToByteArray());
    },

    /** A URL that gives the report to anyone who has it, for five minutes. */
    urlOf: (Key: string): Promise<string> =>
      getSignedUrl(s3, new GetObjectCommand({ Bucket, Key }), { expiresIn: PRESIGNED_SECONDS }),

    /** The keys of all that was stored for a check, by attempts that were lost too. */
    keysOf: async (checkId: string): Promise<string[]> => {
      const keys: string[] = [];
      const pages = paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: `reports/${checkId}/` });
      for await (const { Contents = [] } of pages) keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
      return keys;
    },

    /** Deletes a report; one that is not there is deleted already. */
    delete: async (Key: string): Promise<void> => {
      await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    },
  };
};
