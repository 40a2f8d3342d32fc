import { inspect } from 'node:util';
import type { CheckView } from '../../shared/check.ts';
import { ServiceError } from '../api/service-error.ts';
import { serviceErrorText } from '../words/service-error.ts';
import { WriteError } from './streams.ts';

/** Exit codes of every command. */
export const exitCodes = { good: 0, failedRules: 1, wrongUse: 2, pageFault: 3, serviceFault: 4, interrupted: 130 };

/** An error in the arguments, the environment or a file of the user. Its message says what to do. */
export class UsageError extends Error {}

/** A fault of the service that is no failed request, such as a timeout. */
export class ServiceFaultError extends Error {}

/** The reason with which an interrupt aborts a command. */
export class InterruptedError extends Error {}

/** Returns the exit code for the failed runs of checks, or 0 if none failed. */
export const exitCodeOfRuns = (checks: readonly Pick<CheckView, 'runs'>[]): number => {
  const blames = checks.flatMap(({ runs }) => runs.map(({ error }) => error?.blame));
  if (blames.includes('service')) return exitCodes.serviceFault;
  return blames.includes('page') ? exitCodes.pageFault : exitCodes.good;
};

/** Returns the text and the exit code of an error. A defect of the command has the code of a service's fault. */
export const explain = (error: unknown): { text: string; code: number } => {
  if (error instanceof UsageError) return { text: error.message, code: exitCodes.wrongUse };
  if (error instanceof ServiceFaultError || error instanceof WriteError)
    return { text: error.message, code: exitCodes.serviceFault };
  if (error instanceof InterruptedError) return { text: error.message, code: exitCodes.interrupted };
  if (error instanceof ServiceError) return explainServiceError(error);
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  if (code && /^E[A-Z]+$/.test(code)) return { text: message, code: exitCodes.wrongUse }; // a file of the user
  const text = `The command failed unexpectedly. Report this text to its authors:\n${inspect(error)}`;
  return { text, code: exitCodes.serviceFault };
};

const explainServiceError = (error: ServiceError) => {
  const { kind, status = 0 } = error;
  const isServiceFault = kind === 'unreachable' || status >= 500 || status === 429 || status === 409;
  return { text: serviceErrorText(error), code: isServiceFault ? exitCodes.serviceFault : exitCodes.wrongUse };
};
