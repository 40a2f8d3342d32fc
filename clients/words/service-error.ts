import type { ServiceError } from '../api/service-error.ts';

/** Next steps that depend on how a user names the service and its key. */
export type ErrorSteps = {
  unreachable: string;
  notOurs: string;
  unauthorized: string;
  /** True if the user has not named the server, whose address is then not for him. */
  hidesServer?: boolean;
};

/** Next steps of a user of the command, who sets its variables. */
export const commandSteps: ErrorSteps = {
  unreachable: 'PAGE_AUDIT_URL names this service. Start it, or set PAGE_AUDIT_URL to the URL of another one.',
  notOurs:
    'PAGE_AUDIT_URL names this server. Set it to the URL of a page audit service, such as http://127.0.0.1:4080.',
  unauthorized: 'Set PAGE_AUDIT_KEY to a valid key.',
};

/** Returns the text of a failed request with its next step. Each refused input has a line with its path. */
export const serviceErrorText = (error: ServiceError, steps: ErrorSteps = commandSteps): string => {
  const { kind, status = 0, message, errors, requestId } = error;
  if (steps.hidesServer && kind !== 'problem') return nextStepAfter(error, steps);
  const inputs = errors.length > 0 ? errors.map(({ path, message: text }) => `${path}: ${text}`).join('\n') : message;
  const id = status >= 500 && requestId ? `(requestId ${requestId})` : '';
  return [inputs, nextStepAfter(error, steps), id].filter(Boolean).join(' ');
};

const nextStepAfter = ({ kind, status, code, retryAfter }: ServiceError, steps: ErrorSteps): string => {
  if (kind === 'unreachable') return steps.unreachable;
  if (kind === 'not-ours') return steps.notOurs;
  if (code === 'unauthorized') return steps.unauthorized;
  return status === 429 && retryAfter ? `Retry in ${retryAfter} s.` : '';
};
