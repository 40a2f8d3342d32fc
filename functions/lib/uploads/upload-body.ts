import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { z } from 'zod';
import { ApiProblemError } from '../../../shared/problems.ts';
import { MAX_REPORT_BYTES, MAX_UPLOADED_SAMPLES } from '../../../shared/uploads.ts';
import type { Request } from '../http/endpoint.ts';
import { invalidInput } from '../http/input.ts';
import { parseJson, requireJson, requireKeysOnce } from '../http/json-body.ts';
import { MAX_VALUES } from './report-shape.ts';

/** Largest JSON text of an upload: a report as a text in JSON has a backslash before each quote. */
const MAX_TEXT_BYTES = 2 * MAX_REPORT_BYTES;

/** How an upload was sent, and how many bytes it may have. */
export type SentUpload = { type: string | undefined; coding: string | undefined; maxBytes: number };

export const sentUpload = ({ headers }: Pick<Request, 'headers'>, maxBytes: number): SentUpload => ({
  type: headers['content-type'],
  coding: headers['content-encoding'],
  maxBytes,
});

/** Returns the JSON value of an upload, which may be compressed with gzip. Throws the problem if it is too large. */
export const parseUpload = async (bytes: Buffer, { type, coding, maxBytes }: SentUpload): Promise<unknown> => {
  requireJson(type);
  if (bytes.length > maxBytes) throw tooLarge(`The body has more than ${maxBytes} bytes`);
  const text = await unzipped(bytes, coding?.trim().toLowerCase() ?? '');
  if (/^\s*</.test(text.toString('latin1', 0, 100)))
    throw new ApiProblemError(
      'invalid-request',
      'The body is HTML. Send the JSON that Lighthouse writes with --output=json.',
    );
  requireFewValues(text);
  const { text: json, value } = parseJson(text);
  requireKeysOnce(json);
  return value;
};

/** Returns a value that fits a schema. Throws the problem with the path of each wrong part. */
export const parseInput = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> => {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  throw invalidInput(error.issues.map(({ path, message }) => ({ path: path.join('.'), message: `${message}.` })));
};

/** Throws the problem if a JSON text has too many values, without the cost of parsing it. Its texts count too. */
export const requireFewValues = (text: Buffer): void => {
  let [commas, opened] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === COMMA)
      commas++; // an iterator takes ten times as long
    else if (text[i] === OPEN_LIST || text[i] === OPEN_OBJECT) opened++; // a parser has a place in memory for each level
  }
  if (Math.max(commas, opened) > MAX_VALUES) throw tooLarge(`The body has more than ${MAX_VALUES} values`);
};
const [COMMA, OPEN_LIST, OPEN_OBJECT] = [44, 91, 123];

const unzipped = async (bytes: Buffer, coding: string): Promise<Buffer> => {
  if (coding === '' || coding === 'identity') return bytes;
  if (coding !== 'gzip') {
    const detail = 'The Content-Encoding is not gzip. Send the body with gzip, or uncompressed.';
    throw new ApiProblemError('unsupported-media-type', detail, { headers: { 'accept-encoding': 'gzip' } });
  }
  try {
    return await promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip)(bytes, { maxOutputLength: MAX_TEXT_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(`The unpacked body has more than ${MAX_TEXT_BYTES} bytes`);
    throw new ApiProblemError('invalid-request', 'The body is no gzip. Send it uncompressed, or compress it again.');
  }
};

const tooLarge = (what: string) =>
  new ApiProblemError(
    'payload-too-large',
    `${what}. POST /v1/reports takes a report compressed with gzip. To make the report smaller, run Lighthouse with --disable-full-page-screenshot.`,
  );

/** Returns the Lighthouse result of an answer of PageSpeed's API, or the value itself. A user flow has several results. */
const resultIn = (value: unknown): unknown => {
  const { lighthouseResult, steps } = Object(value) as { lighthouseResult?: unknown; steps?: unknown };
  if (Array.isArray(steps))
    throw new ApiProblemError(
      'invalid-request',
      'The body is a user flow. Send the field lhr of one of its steps whose gatherMode is navigation.',
    );
  return lighthouseResult ?? value;
};

/** Returns the reports of a body: one Lighthouse result, or a list of the samples of one page. */
export const reportsIn = (value: unknown): unknown[] => {
  const all = (Array.isArray(value) ? value : [value]).map(resultIn);
  if (all.length > 0 && all.length <= MAX_UPLOADED_SAMPLES) return all;
  const detail = `The body must be a Lighthouse result, or a list of 1 to ${MAX_UPLOADED_SAMPLES} results of one page.`;
  throw new ApiProblemError('invalid-request', detail);
};
