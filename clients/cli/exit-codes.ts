import { inspect } from 'node:util';
import { ServiceError } from '../api/service-error.ts';
import { WriteError } from './streams.ts';

/** Exit codes of every command. */
export const exitCodes = { good: 0, failedRules: 1, wrongUse: 2, pageFault: 3, serviceFault: 4, interrupted: 130 };

/** An error in the arguments, the environment or a file of the user. Its message says what to do. */
export class UsageError extends Error {}

/** A fault of the service that is no failed request, such as a timeout. */
export class ServiceFault extends Error {}

/** The reason with which an interrupt aborts a command. */
export class Interrupted extends Error {}

/** Returns the text and the exit code of an error. A defect of the command has the code of a service's fault. */
export const explain = (error: unknown): { text: string; code: number } => {
  if (error instanceof UsageError) return { text: error.message, code: exitCodes.wrongUse };
  if (error instanceof ServiceFault || error instanceof WriteError)
    return { text: error.message, code: exitCodes.serviceFault };
  if (error instanceof Interrupted) return { text: error.message, code: exitCodes.interrupted };
  if (error instanceof ServiceError) return explainServiceError(error);
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  if (code && /^E[A-Z]+$/.test(code)) return { text: message, code: exitCodes.wrongUse }; // a file of the user
  const text = `The command failed unexpectedly. Report this text to its authors:\n${inspect(error)}`;
  return { text, code: exitCodes.serviceFault };
};

const explainServiceError = ({ kind, status = 0, code, message, errors, requestId, retryAfter }: ServiceError) => {
  const isServiceFault = kind === 'unreachable' || status >= 500 || status === 429 || status === 409;
  const inputs = errors.length > 1 ? errors.map(({ path, message: text }) => `${path}: ${text}`).join('\n') : message;
  const nextStep =
    kind === 'unreachable'
      ? ' Start the service, or correct PAGE_AUDIT_URL.'
      : kind === 'not-ours'
        ? ' Correct PAGE_AUDIT_URL.'
        : code === 'unauthorized'
          ? ' Set PAGE_AUDIT_KEY to a valid key.'
          : status === 429 && retryAfter
            ? ` Retry in ${retryAfter} s.`
            : '';
  const id = status >= 500 && requestId ? ` (requestId ${requestId})` : '';
  return { text: `${inputs}${nextStep}${id}`, code: isServiceFault ? exitCodes.serviceFault : exitCodes.wrongUse };
};
