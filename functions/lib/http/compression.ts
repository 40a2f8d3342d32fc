import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { acceptsGzip } from './negotiation.ts';
import type { HttpResult } from './response.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** Size from which gzip makes an answer smaller, in bytes. */
const MIN_BYTES = 1024;

/** Returns true if `compressed` compresses the answer to a request that has this text. */
export const isCompressed = (headers: Headers, text: string): boolean =>
  isLong(text) && acceptsGzip(headers['accept-encoding']);

const isLong = (text: string): boolean => text.length > MIN_BYTES;

/** Compresses a long text if the client accepts that, because HTTP APIs of API Gateway never compress. */
export const compressed = async (headers: Headers, result: HttpResult): Promise<HttpResult> => {
  const { body = '', isBase64Encoded, headers: own = {} } = result;
  if (isBase64Encoded || !isLong(body)) return result;
  const varied = { ...result, headers: { ...own, vary: varyOf(own.vary) } };
  if (!isCompressed(headers, body)) return varied;
  return {
    ...varied,
    headers: { ...varied.headers, 'content-encoding': 'gzip' },
    body: (await gzip(body)).toString('base64'),
    isBase64Encoded: true,
  };
};

const varyOf = (vary: unknown): string => {
  const names = `${vary ?? ''}`;
  return /\baccept-encoding\b/i.test(names) ? names : [names, 'Accept-Encoding'].filter(Boolean).join(', ');
};

const gzip = promisify<string, Buffer>(zlib.gzip);
