import { Client } from '../../api/client.ts';
import { ServiceError } from '../../api/service-error.ts';
import type { Context } from '../context.ts';

const TIMEOUT_MS = 5000;

/** Returns which version the service in PAGE_AUDIT_URL has, as a line. A service that does not answer is no error. */
export const versionLine = async ({ serviceUrl, key, signal }: Context): Promise<string> => {
  if (!serviceUrl) return 'No service is set in PAGE_AUDIT_URL.\n';
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const { version } = await new Client({ url: serviceUrl, key }).health({ signal: limited });
    return `The service at ${serviceUrl} has the version ${version ?? 'before 0.1.0, which does not name it'}.\n`;
  } catch (error) {
    signal.throwIfAborted();
    return `The service at ${serviceUrl} has an unknown version: ${error instanceof ServiceError ? error.message : 'it did not answer in time.'}\n`;
  }
};
