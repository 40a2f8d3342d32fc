import { Readable } from 'node:stream';
import type { Answer } from './embedded-table.ts';

/** Returns the id of the check of an object, which is the first UUID in its key. */
export const checkIdIn = (key: string): string | undefined => /[\da-f-]{36}/.exec(key)?.[0];

export type BucketCall = { method: string; key: string; prefix?: string | undefined; body?: Buffer };

/** An S3 bucket in memory that knows the four calls of the report store. */
export const startEmbeddedBucket = () => {
  const objects = new Map<string, Buffer>();
  const xml = (status: number, text: string): Answer => ({
    status,
    headers: { 'content-type': 'application/xml' },
    body: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${text}`),
  });
  return {
    objects,
    call: ({ method, key, prefix = '', body = Buffer.of() }: BucketCall): Answer => {
      if (method === 'PUT') {
        objects.set(key, body);
        return { status: 200, headers: { etag: '"simulated"' }, body: Buffer.of() };
      }
      if (method === 'DELETE') {
        objects.delete(key);
        return { status: 204, headers: {}, body: Buffer.of() };
      }
      if (key === '') {
        const keys = [...objects.keys()].filter((each) => each.startsWith(prefix));
        const contents = keys.map((each) => `<Contents><Key>${each}</Key></Contents>`).join('');
        return xml(200, `<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`);
      }
      const found = objects.get(key);
      if (!found) return xml(404, '<Error><Code>NoSuchKey</Code></Error>');
      return { status: 200, headers: { 'content-length': String(found.length) }, body: found };
    },
  };
};
export type EmbeddedBucket = ReturnType<typeof startEmbeddedBucket>;

/** Returns a body in the form in which the SDK reads an object. */
export const streamOf = (body: Buffer): Readable => Readable.from([body]);
