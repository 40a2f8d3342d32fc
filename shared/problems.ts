import { z } from 'zod';
import { VariantName } from './name-schemas.ts';
import { cutText, MAX_FINAL_URL_LENGTH } from './text.ts';

/** Error codes of the API, with the status and title of each problem document (RFC 9457). */
export const apiProblems = {
  'invalid-request': { status: 400, title: 'The request is invalid' },
  'unsupported-region': { status: 400, title: 'The region is not supported' },
  'unsupported-audit-version': { status: 400, title: 'The audit version is not supported' },
  'forbidden-target': { status: 400, title: 'The URL cannot be audited' },
  unauthorized: { status: 401, title: 'A valid API key is required' },
  forbidden: { status: 403, title: 'The request is not allowed' },
  'not-found': { status: 404, title: 'The resource was not found' },
  'report-unavailable': { status: 404, title: 'The run has no report' },
  'method-not-allowed': { status: 405, title: 'The path does not support this method' },
  'being-erased': { status: 409, title: 'The check is being erased' },
  'report-not-ready': { status: 409, title: 'The result is not ready' },
  'payload-too-large': { status: 413, title: 'The request body is too large' },
  'unsupported-media-type': { status: 415, title: 'The request body must be JSON' },
  'idempotency-mismatch': { status: 422, title: 'The idempotency key was used with another body' },
  'not-comparable': { status: 422, title: 'The results cannot be compared' },
  'invalid-build': { status: 422, title: 'The build cannot take this' },
  'too-many-requests': { status: 429, title: 'A limit is reached' },
  internal: { status: 500, title: 'The service failed to handle the request' },
  unavailable: { status: 503, title: 'The service is temporarily unavailable' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ApiProblemCode = keyof typeof apiProblems;
export type InputError = { path: string; message: string };

/** Body of every error response, sent as `application/problem+json`. */
export const Problem = z
  .object({
    type: z.string().describe('URN of the code.'),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().describe('The cause, and what would be accepted.'),
    code: z.enum(Object.keys(apiProblems) as [ApiProblemCode, ...ApiProblemCode[]]),
    requestId: z.string(),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('Every wrong input.'),
  })
  .meta({ id: 'Problem', description: 'Problem document (RFC 9457).' });
export type Problem = z.infer<typeof Problem>;

/** An error that the client may read. `detail` and `headers` are part of the response. */
export class ApiProblemError extends Error {
  readonly code: ApiProblemCode;
  readonly errors: InputError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ApiProblemCode,
    detail: string,
    { errors, headers = {} }: { errors?: InputError[]; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = errors;
    this.headers = headers;
  }
}

/**
 * Error codes of a failed run. `blame` says whether the page or the service is at fault. The service retries a `retryable`
 * fault in a new process.
 */
export const runProblems = {
  'dns-failure': { blame: 'page', retryable: false, message: 'The host name does not resolve to an address.' },
  unreachable: { blame: 'page', retryable: false, message: 'The server is unreachable, or it closed the connection.' },
  'tls-error': { blame: 'page', retryable: false, message: 'The TLS connection to the server failed.' },
  'invalid-response': { blame: 'page', retryable: false, message: 'The server sent a response that browsers reject.' },
  'http-error': { blame: 'page', retryable: false, message: 'The server answered with an error status.' },
  'not-html': { blame: 'page', retryable: false, message: 'The document is not an HTML page.' },
  'no-content': {
    blame: 'page',
    retryable: false,
    message:
      'The page painted nothing that the browser counts as content, such as text or an image. A video without a poster does not count, nor does a page that an animation of its opacity fades in.',
  },
  'page-hung': { blame: 'page', retryable: false, message: 'The page stopped responding.' },
  'page-crashed': { blame: 'page', retryable: false, message: 'The page crashed its renderer process.' },
  'page-too-large': { blame: 'page', retryable: false, message: 'The page exceeds a size limit of the service.' },
  'load-timeout': { blame: 'page', retryable: false, message: 'The page did not load in time.' },
  'redirect-loop': { blame: 'page', retryable: false, message: 'The page redirects or reloads itself too many times.' },
  'forbidden-target': {
    blame: 'page',
    retryable: false,
    message: 'The page leads to an address that the service does not audit.',
  },
  'browser-crashed': { blame: 'service', retryable: true, message: 'The browser crashed during the audit.' },
  'protocol-timeout': { blame: 'service', retryable: true, message: 'The browser did not respond in time.' },
  'audit-timeout': { blame: 'service', retryable: true, message: 'The audit exceeded its time limit.' },
  'no-screenshots': { blame: 'service', retryable: true, message: 'The browser recorded no screenshots of the page.' },
  'storage-failure': { blame: 'service', retryable: true, message: 'The service could not store the report.' },
  abandoned: {
    blame: 'service',
    retryable: false,
    message: 'The service tried too often to audit the page without a result, and abandoned the run.',
  },
  internal: { blame: 'service', retryable: true, message: 'The audit ended without a result.' },
} as const satisfies Record<string, { blame: 'page' | 'service'; retryable: boolean; message: string }>;

export type RunProblemCode = keyof typeof runProblems;
export const RunProblemCode = z
  .enum(Object.keys(runProblems) as [RunProblemCode, ...RunProblemCode[]])
  .meta({ id: 'RunProblemCode', description: 'Why a run or an attempt failed.' });

export const RunError = z
  .object({
    code: RunProblemCode,
    message: z.string(),
    blame: z.enum(['page', 'service']),
    retryable: z.boolean(),
    auditCode: z.string().nullable().describe("Lighthouse's own code."),
    finalUrl: z.string().optional().describe('The last address.'),
    variant: VariantName.optional().describe('The variant that failed, in a check with `against`.'),
  })
  .meta({ id: 'RunError', description: 'Error of a failed run.' });
export type RunError = z.infer<typeof RunError>;

/** Returns the error of a code. `detail` replaces the general message. */
export const runError = (
  code: RunProblemCode,
  { detail, auditCode = null, finalUrl }: { detail?: string; auditCode?: string | null; finalUrl?: string } = {},
): RunError => ({
  code,
  message: cutText(detail ?? runProblems[code].message, 1000),
  blame: runProblems[code].blame,
  retryable: runProblems[code].retryable,
  auditCode,
  ...(finalUrl && { finalUrl: cutText(finalUrl, MAX_FINAL_URL_LENGTH) }),
});
