import { z } from 'zod';
import { ApiProblemError } from '../../../shared/problems.ts';
import { MAX_REPORT_BYTES } from '../../../shared/uploads.ts';
import { requireKeysOnce } from '../http/json-body.ts';
import { parseReport, type UploadedSample } from './parse-report.ts';
import { parseInput, parseUpload, reportsIn, requireFewValues, type SentUpload } from './upload-body.ts';

/** A report of an upload: its results, and its JSON as the service stores it. */
export type ReadReport = { results: UploadedSample; json: Buffer };

/** Returns the reports of a body of `POST /v1/reports`. */
export const readReports = async (body: Buffer, sent: SentUpload): Promise<ReadReport[]> =>
  reportsIn(await parseUpload(body, sent)).map(read);

const read = (value: unknown): ReadReport => {
  const results = parseReport(value);
  return { results, json: reportText(value as object, results) };
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

/** Returns the report of a run that Lighthouse CI uploads, and the URL that it names. */
export const readRun = async (body: Buffer, sent: SentUpload): Promise<ReadReport & { url: string }> => {
  const { lhr, url } = parseInput(NewRun, await parseUpload(body, sent));
  requireFewValues(Buffer.from(lhr)); // the body may have each of its characters as an escape
  const value = asJson(lhr);
  requireKeysOnce(lhr);
  return { url, ...read(value) };
};

const asJson = (lhr: string): unknown => {
  try {
    return JSON.parse(lhr);
  } catch {
    throw new ApiProblemError('invalid-request', 'The field lhr is no JSON. Send a Lighthouse result as a text.');
  }
};
