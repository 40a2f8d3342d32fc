import { timingSafeEqual } from 'node:crypto';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { clientSettings } from '../../functions/lib/aws-client.ts';

const BUCKET = /^\/(page-audit-[\w-]+)\/(.+)$/;

/**
 * Answers a request to an address of one object that this process has signed, as the bucket does on AWS. Returns undefined
 * for any other request. Every page may read the answer, because a report page has no origin of its own.
 */
export const signedObject = async (method: string, target: string) => {
  const url = URL.parse(target, 'http://in-process');
  const [, Bucket, key] = BUCKET.exec(url?.pathname ?? '') ?? [];
  const signature = url?.searchParams.get('X-Amz-Signature');
  if (!url || !Bucket || !key || !signature) return undefined;
  if (method !== 'GET') return refused;
  const signedAt = timeOf(url.searchParams.get('X-Amz-Date') ?? '');
  const seconds = Number(url.searchParams.get('X-Amz-Expires'));
  const age = Date.now() - signedAt;
  if (!(age >= -1000 && age <= 1000 * seconds && seconds <= 3600)) return refused;
  const s3 = new S3Client({
    region: process.env.HOME_REGION as string,
    responseChecksumValidation: 'WHEN_REQUIRED', // as the client that has signed
    ...clientSettings(),
  });
  const command = new GetObjectCommand({ Bucket, Key: decodeURIComponent(key) });
  const expected = await getSignedUrl(s3, command, { expiresIn: seconds, signingDate: new Date(signedAt) });
  if (!equal(signature, new URL(expected).searchParams.get('X-Amz-Signature') ?? '')) return refused;
  const {
    Body,
    ContentType = '',
    ContentEncoding,
  } = await s3.send(command).catch(() => ({ Body: undefined }) as never);
  if (!Body) return { ...refused, statusCode: 404 };
  return {
    statusCode: 200,
    headers: {
      'content-type': ContentType,
      ...(ContentEncoding && { 'content-encoding': ContentEncoding }),
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    },
    body: await Body.transformToString('base64'),
    isBase64Encoded: true,
  };
};

const refused = { statusCode: 403, headers: { 'access-control-allow-origin': '*' }, body: '' };

/** Returns the time of a date such as `20261126T083352Z`, or NaN. */
const timeOf = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const equal = (a: string, b: string): boolean => {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
};
