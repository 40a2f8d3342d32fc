import { createHmac, randomBytes } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Secrets } from '../../../shared/options/secrets.ts';
import { StoredSecrets } from '../../../shared/options/secrets-schemas.ts';
import type { ReportEnv, StoreEnv } from '../../../shared/service/env.ts';
import { CRUX_KEY, FINGERPRINT_KEY, secretsOf } from '../../../shared/service/secret-folders.ts';
import { clientSettings, endingAtDeadline } from '../aws-client.ts';

export type SecretStore = ReturnType<typeof secretStore>;

/**
 * Returns the key of the secrets that a create stores. Each create has an object of its own, so that a create that comes
 * too late neither replaces nor deletes the secrets of the check.
 */
export const secretsKeyOf = (checkId: string, createId: string): string => `${secretsOf(checkId)}${createId}`;

/** Stores the secrets of open checks: one object for each, which S3 encrypts with a key of KMS. */
export const secretStore = ({ REPORT_BUCKET: Bucket, HOME_REGION: region }: StoreEnv & ReportEnv) => {
  const s3 = endingAtDeadline(new S3Client({ region, ...clientSettings(2500) }));
  const encrypted = { ServerSideEncryption: 'aws:kms' } as const;

  /** Returns the bytes of an object, or undefined if there is none. Without a right to list, S3 answers 403 for that. */
  const read = async (Key: string): Promise<Buffer | undefined> => {
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      return Body && Buffer.from(await Body.transformToByteArray());
    } catch (error) {
      if (isStatus(error, 403, 404)) return undefined;
      throw error;
    }
  };

  /** Returns the key of the environment for fingerprints. The first call makes it. */
  const readFingerprintKey = async (): Promise<Buffer> => {
    const found = await read(FINGERPRINT_KEY);
    if (found) return found;
    const put = { Bucket, Key: FINGERPRINT_KEY, Body: randomBytes(32), IfNoneMatch: '*', ...encrypted };
    await s3.send(new PutObjectCommand(put)).catch((error) => {
      if (!isStatus(error, 409, 412)) throw error; // another create has made it
    });
    const made = await read(FINGERPRINT_KEY); // the one that all creates read
    if (!made) throw new Error(`the object ${FINGERPRINT_KEY} of the bucket ${Bucket} can't be read`);
    return made;
  };
  let fingerprintKey: Promise<Buffer> | undefined;

  return {
    /** Returns the key of the Chrome UX Report API, or undefined if no operator has stored one. */
    cruxKey: async (): Promise<string | undefined> => (await read(CRUX_KEY))?.toString().trim() || undefined,

    put: async (Key: string, secrets: Secrets): Promise<void> => {
      const object = { Bucket, Key, Body: JSON.stringify(secrets), ContentType: 'application/json' };
      await s3.send(new PutObjectCommand({ ...object, ...encrypted }));
    },

    /** Returns the secrets of a check, or undefined if they are gone. */
    get: async (key: string): Promise<Secrets | undefined> => {
      const bytes = await read(key);
      return bytes && StoredSecrets.parse(JSON.parse(bytes.toString()));
    },

    /** Deletes an object with secrets. Safe to repeat. */
    delete: async (Key: string): Promise<void> => {
      await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    },

    /** Returns the keys of all secrets of a check. */
    keysOf: async (checkId: string): Promise<string[]> => {
      const keys: string[] = [];
      const pages = paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: secretsOf(checkId) });
      for await (const { Contents = [] } of pages) keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
      return keys;
    },

    /**
     * Returns a text that is equal for equal secrets of a check. The table has it, and without the key nobody can try out
     * secrets on it.
     */
    fingerprintOf: async (checkId: string, { headers, secretTexts, ...others }: Secrets): Promise<string> => {
      fingerprintKey ??= readFingerprintKey();
      const key = await fingerprintKey.catch((error) => {
        fingerprintKey = undefined; // the next create retries
        throw error;
      });
      const sorted = (named: Record<string, string>) => Object.entries(named).toSorted(([a], [b]) => (a < b ? -1 : 1));
      const texts = secretTexts && { secretTexts: sorted(secretTexts) };
      const text = JSON.stringify([checkId, headers ? sorted(headers) : null, { ...others, ...texts }]);
      return createHmac('sha256', key).update(`page-audit secrets\n${text}`).digest('base64url');
    },
  };
};

const isStatus = (error: unknown, ...statuses: number[]): boolean =>
  statuses.includes((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0);
