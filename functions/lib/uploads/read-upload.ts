import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { z } from 'zod';
import { ApiProblemError } from '../../../shared/problems.ts';
import { MAX_REPORT_BYTES } from '../../../shared/uploads.ts';
import { requireKeysOnce } from '../http/json-body.ts';
import { parseReport, type UploadedSample } from './parse-report.ts';
import { parseInput, parseUpload, reportsIn, requireFewValues, type SentUpload } from './upload-body.ts';

/** A report of an upload: its results, its JSON as the service stores it, and the size of the JSON. */
export type ReadReport = { results: UploadedSample; gzip: Buffer; bytes: number };
type ReadUpload = { fingerprint: string; reports: ReadReport[] };

/** Returns the reports of a body of `POST /v1/reports`, and a fingerprint of the body and the `inputs` beside it. */
export const readReports = async (body: Buffer, sent: SentUpload, inputs: string): Promise<ReadUpload> => {
  const fingerprint = createHash('sha256').update(inputs).update(body).digest('hex');
  const reports: ReadReport[] = [];
  for (const value of reportsIn(await parseUpload(body, sent))) reports.push(await read(value));
  return { fingerprint, reports };
};

const read = async (value: unknown): Promise<ReadReport> => {
  const results = parseReport(value);
  const json = reportText(value as object, results);
  return { results, gzip: await promisify(gzip)(json, { level: 6 }), bytes: json.length };
};

/** Returns the JSON of an uploaded report as the service stores it. Throws the problem if it is too large. */
const reportText = (result: object, { auditVersion, finalUrl }: UploadedSample): Buffer => {
  const json = Buffer.from(JSON.stringify({ finalUrl, ...result, auditVersion }));
  if (json.length > MAX_REPORT_BYTES) throw tooLarge(json.length);
  return json;
};

const tooLarge = (bytes: number) =>
  new ApiProblemError(
    'payload-too-large',
    `The report has ${bytes} bytes of JSON, and the service takes ${MAX_REPORT_BYTES}. Run Lighthouse with --disable-full-page-screenshot.`,
  );

const NewRun = z.object({ lhr: z.string(), url: z.string().max(2048), representative: z.literal(false).optional() });

/** Returns the report of a run that Lighthouse CI uploads, with a hash of its text, and the URL that the run names. */
export const readRun = async (body: Buffer, sent: SentUpload): Promise<ReadReport & { url: string; hash: string }> => {
  const { lhr, url } = parseInput(NewRun, await parseUpload(body, sent));
  requireFewValues(Buffer.from(lhr)); // the body may have each of its characters as an escape
  const value = asJson(lhr);
  requireKeysOnce(lhr);
  return { url, hash: createHash('sha256').update(lhr).digest('hex'), ...(await read(value)) };
};

const asJson = (lhr: string): unknown => {
  try {
    return JSON.parse(lhr);
  } catch {
    throw new ApiProblemError('invalid-request', 'The field lhr is no JSON. Send a Lighthouse result as a text.');
  }
};
