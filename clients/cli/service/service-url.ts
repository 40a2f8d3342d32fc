import { Client } from '../../api/client.ts';
import { ServiceError } from '../../api/service-error.ts';
import { UsageError } from '../exit-codes.ts';

type Given = { serviceUrl: string; urlVariable?: string | undefined; key: string | undefined; signal: AbortSignal };

/**
 * Throws a UsageError if the path of the service's URL is wrong. A service answers a wrong path with its own errors, which name
 * neither the path nor the variable. Without a path, nothing is asked.
 */
export const requireService = async ({
  serviceUrl,
  urlVariable = 'PAGE_AUDIT_URL',
  key,
  signal,
}: Given): Promise<void> => {
  const { origin, pathname } = new URL(serviceUrl);
  if (/^\/*$/.test(pathname)) return;
  if (!(await isElsewhere(serviceUrl, { key, signal }))) return;
  const isAtOrigin = !(await isElsewhere(origin, { key, signal }));
  const advice = isAtOrigin
    ? `The service answers at ${origin}. Set ${urlVariable} to it.`
    : `Set ${urlVariable} to the URL of a page audit service, such as http://127.0.0.1:4080.`;
  throw new UsageError(`${urlVariable} is ${serviceUrl}, and no page audit service answers there. ${advice}`);
};

/** Returns true if a server answers at the URL, and no service does. Another failure, such as an outage, proves nothing. */
const isElsewhere = async (url: string, { key, signal }: Pick<Given, 'key' | 'signal'>): Promise<boolean> => {
  try {
    await new Client({ url, key }).regions({ signal });
    return false;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { kind, status = 0 } = error;
    return status < 500 && (kind === 'not-ours' || [400, 404, 405].includes(status));
  }
};
