import type { Problem } from '../../shared/problems.ts';
import { printable } from '../../shared/text.ts';

/**
 * Reason of a failed request. `unreachable`: no complete answer came. `not-ours`: the answer is not from a page audit
 * service. `problem`: the service answered with a problem document.
 */
export type ServiceErrorKind = 'unreachable' | 'not-ours' | 'problem';

type Details = Partial<Pick<Problem, 'title' | 'status' | 'code' | 'errors' | 'requestId'>> & {
  /** Seconds of the `Retry-After` header. */
  retryAfter?: number | undefined;
  /** True if a retry of the same request may succeed. */
  retryable?: boolean;
};

/** The one error of the HTTP client. Its message is for the user and has no line break. */
export class ServiceError extends Error {
  readonly kind: ServiceErrorKind;
  /** Title of the problem document. */
  readonly title: string | undefined;
  readonly status: number | undefined;
  readonly code: Problem['code'] | undefined;
  readonly errors: NonNullable<Problem['errors']>;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly retryable: boolean;

  constructor(kind: ServiceErrorKind, message: string, details: Details = {}) {
    super(printable(message)); // it may quote a header of the answer
    this.name = 'ServiceError';
    this.kind = kind;
    this.title = details.title;
    this.status = details.status;
    this.code = details.code;
    this.errors = details.errors ?? [];
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.retryable = details.retryable ?? false;
  }
}

const RETRYABLE = [429, 502, 503, 504]; // also those of gateways and load balancers in front of the service

/** Returns the error of an answer that is no success. */
export const errorOfAnswer = (server: string, response: Response, body: unknown): ServiceError => {
  const { status } = response;
  const details = { status, retryAfter: retryAfterOf(response.headers), retryable: RETRYABLE.includes(status) };
  if (isProblem(body)) {
    const { title, code, errors, requestId, detail } = body;
    return new ServiceError('problem', detail, {
      ...details,
      title,
      code,
      requestId,
      ...(Array.isArray(errors) && { errors }),
    });
  }
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const target = response.headers.get('location');
    return new ServiceError('not-ours', `${server} redirects${target ? ` to ${target}` : ''}.`, details);
  }
  if (status === 429) {
    const message = `${server} refuses requests for now, because it receives too many (429). Retry in a minute.`;
    return new ServiceError('not-ours', message, details); // a gateway's answer is no problem document
  }
  return notOurs(server, response, details);
};

/** Returns the error of an answer that has another type or other fields than the service sends. */
export const notOurs = (server: string, response: Response, details: Details = {}): ServiceError => {
  const type = response.headers.get('content-type')?.split(';')[0] || 'no content type';
  const message = `${server} answered ${response.status} with ${type}, which is no answer of a page audit service.`;
  return new ServiceError('not-ours', message, { status: response.status, ...details });
};

/** Returns the error of a request without a complete answer. Returns undefined for an error of another kind. */
export const errorOfFetch = (server: string, error: unknown, hasAnswered: boolean): ServiceError | undefined => {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new ServiceError('unreachable', `${server} did not answer in time.`, { retryable: hasAnswered });
  }
  if (!(error instanceof TypeError)) return undefined; // `fetch` rejects with a TypeError
  const cause = (error.cause ?? {}) as { code?: unknown; message?: string; cause?: Error };
  const message = cause.cause?.message ?? cause.message ?? error.message;
  const code = typeof cause.code === 'string' ? cause.code : ''; // the refusal of a proxy has a number
  if (code.startsWith('HPE_')) return new ServiceError('not-ours', `${server} does not speak HTTP.`);
  const wasReset = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code);
  return new ServiceError('unreachable', `${server} can't be reached (${code || message}).`, {
    retryable: hasAnswered || wasReset,
  });
};

/** Returns the seconds of a `Retry-After` header, which may also have a date. */
export const retryAfterOf = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return seconds >= 0 ? seconds : undefined;
};

const isProblem = (body: unknown): body is Problem => {
  const { type, detail } = (body ?? {}) as Partial<Problem>;
  return typeof type === 'string' && type.startsWith('urn:page-audit:problem:') && typeof detail === 'string';
};
