import { MIMEType } from 'node:util';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { MAX_BODY_BYTES } from '../../../shared/check.ts';
import { ApiProblemError } from '../../../shared/problems.ts';
import { cutText } from '../../../shared/text.ts';
import { invalidInput } from './input.ts';

/**
 * Number of values that a body may have. Each wrong one costs an error of its schema, and 32,000 of them would hold the process
 * for 50 ms. The largest storage state that a check accepts has fewer.
 */
const MAX_VALUES = 3000;

/** Returns the value of a JSON body. Throws the problem if the body is not plain JSON in UTF-8, or has a key twice. */
export const parseJsonBody = (event: APIGatewayProxyEventV2): unknown => {
  requirePlainJson(event.headers);
  const bytes = bytesOf(event);
  if (bytes.length > MAX_BODY_BYTES) {
    throw new ApiProblemError('payload-too-large', `The body must have at most ${MAX_BODY_BYTES} bytes.`);
  }
  if (bytes.length === 0) throw new ApiProblemError('invalid-request', 'The body is empty. Send a JSON object.');
  const { text, value } = parseJson(bytes);
  if (isLong(text)) {
    const detail = `The body has more than ${MAX_VALUES} values. Send fewer, such as only the localStorage entries that the page needs.`;
    throw new ApiProblemError('payload-too-large', detail);
  }
  requireKeysOnce(text);
  return value;
};

/** Throws the problem if an object of a valid JSON text has a key twice. */
export const requireKeysOnce = (json: string): void => {
  const key = repeatedKey(json);
  if (key === undefined) return;
  const detail = `The body has the field \`${cutText(key, 100)}\` twice. Send it once.`;
  throw invalidInput([{ path: key, message: 'The body has this field twice. Send it once.' }], detail);
};

/** Body of an event. The local gateway gives the bytes of an upload, because each copy would hold the process. */
type EventBody = Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'> & { bytes?: Buffer };

export const bytesOf = ({ body = '', isBase64Encoded, bytes }: EventBody) =>
  bytes ?? Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');

const requirePlainJson = ({
  'content-type': type,
  'content-encoding': coding,
}: APIGatewayProxyEventV2['headers']): void => {
  if (coding !== undefined && !/^\s*(identity)?\s*$/i.test(coding)) {
    const detail = 'The body has a Content-Encoding. Send it uncompressed, without the Content-Encoding header.';
    throw new ApiProblemError('unsupported-media-type', detail, { headers: { 'accept-encoding': 'identity' } });
  }
  requireJson(type);
};

/** Throws the problem if a content type is not JSON in UTF-8. */
export const requireJson = (type: string | undefined): void => {
  if (type === undefined) return;
  const { essence = '', params } = parseType(type) ?? {};
  if (!/^application\/([\w.-]+\+)?json$/.test(essence)) {
    const detail = 'The Content-Type is not JSON. Send JSON with "Content-Type: application/json".';
    throw new ApiProblemError('unsupported-media-type', detail);
  }
  if (!isUtf8(params?.get('charset') ?? 'utf-8')) {
    const detail = 'The charset of the Content-Type is not UTF-8. Send JSON in UTF-8.';
    throw new ApiProblemError('unsupported-media-type', detail);
  }
};

const parseType = (type: string): MIMEType | undefined => {
  try {
    return new MIMEType(type);
  } catch {
    return undefined;
  }
};

const isUtf8 = (charset: string): boolean => {
  try {
    return new TextDecoder(charset).encoding === 'utf-8';
  } catch {
    return false;
  }
};

export const parseJson = (bytes: Buffer): { text: string; value: unknown } => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw new ApiProblemError('invalid-request', 'The body is not valid JSON. Send a JSON object in UTF-8.');
  }
};

/** Returns true if a valid JSON text has too many values. A comma outside of texts is before each but the first. */
const isLong = (json: string): boolean => {
  let commas = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|,/g)) if (token === ',' && ++commas >= MAX_VALUES) return true;
  return false;
};

/** Returns the first key that an object of a valid JSON text has twice. `JSON.parse` would keep the last value only. */
export const repeatedKey = (json: string): string | undefined => {
  const open: Set<string>[] = []; // the keys of each object that has not ended
  const token = /["{}]/g;
  for (let found = token.exec(json); found; found = token.exec(json)) {
    if (found[0] === '{') open.push(new Set());
    else if (found[0] === '}') open.pop();
    else {
      token.lastIndex = endOfText(json, found.index);
      COLON.lastIndex = token.lastIndex;
      if (!COLON.test(json)) continue;
      const key = JSON.parse(json.slice(found.index, token.lastIndex)) as string; // "\u0061" is the key "a"
      if (open.at(-1)?.has(key)) return key;
      open.at(-1)?.add(key);
    }
  }
  return undefined;
};
const COLON = /\s*:/y;

/** Returns the place after a text that begins at a quote. A pattern for it would overflow the stack at a long text. */
const endOfText = (json: string, start: number): number => {
  let end = start + 1;
  while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return end + 1;
};
