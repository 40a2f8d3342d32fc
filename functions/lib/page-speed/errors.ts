import type { Problem } from '../../../shared/problems.ts';
import type { Run } from '../../../shared/run.ts';
import type { ErrorBody, Reply } from '../http/response.ts';

type GoogleError = {
  error: {
    code: number;
    message: string;
    errors: { message: string; domain: string; reason: string; location?: string; locationType?: string }[];
    status?: string;
  };
};

/** Google's reason and status of an error, by HTTP status. */
const names: Record<number, readonly [reason: string, status: string]> = {
  400: ['badRequest', 'INVALID_ARGUMENT'],
  401: ['authError', 'UNAUTHENTICATED'],
  403: ['forbidden', 'PERMISSION_DENIED'],
  404: ['notFound', 'NOT_FOUND'],
  405: ['httpMethodNotAllowed', 'UNIMPLEMENTED'],
  409: ['conflict', 'ABORTED'],
  422: ['responseTooLarge', 'FAILED_PRECONDITION'],
  429: ['rateLimitExceeded', 'RESOURCE_EXHAUSTED'],
  500: ['internalError', 'INTERNAL'],
  503: ['backendError', 'UNAVAILABLE'],
};

/** Returns the body of an error in the shape of Google's APIs. */
export const googleErrorOf: ErrorBody = ({ status, detail, code, errors }: Problem): GoogleError => {
  const [reason = 'badRequest', name = 'INVALID_ARGUMENT'] = names[status] ?? [];
  const message = code === 'unauthorized' ? `${detail} Clients of PageSpeed's API send it as \`key\`.` : detail;
  const each = errors?.map((error) => ({
    message: error.message,
    domain: 'global',
    reason,
    location: error.path,
    locationType: 'parameter',
  }));
  return {
    error: { code: status, message, errors: each ?? [{ message, domain: 'global', reason }], status: name },
  };
};

/** Replies that a result is larger than an answer may be. */
export const tooLarge = (step: string): Reply => {
  const message = `The result is too large for an answer. ${step}`;
  const errors = [{ message, domain: 'global', reason: 'responseTooLarge' }];
  return { status: 403, body: { error: { code: 403, message, errors } satisfies GoogleError['error'] } };
};

/** Returns Google's answer for a page that could not be audited. Clients retry after a fault of the service. */
export const failureOf = ({ error }: Pick<Run, 'error'>): Reply => {
  const isOfPage = error?.blame === 'page';
  const code = isOfPage ? 400 : 503;
  const name = error?.auditCode ?? error?.code.toUpperCase().replaceAll('-', '_') ?? 'INTERNAL';
  const message = `Lighthouse returned error: ${name}. ${error?.message ?? 'The audit ended without a result.'}`;
  const reason = isOfPage ? 'lighthouseUserError' : 'lighthouseError';
  const body: GoogleError = { error: { code, message, errors: [{ message, domain: 'lighthouse', reason }] } };
  return { status: code, ...(!isOfPage && { headers: { 'retry-after': '10' } }), body };
};
