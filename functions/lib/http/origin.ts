import { ApiProblemError } from '../../../shared/problems.ts';
import type { Request } from './endpoint.ts';

/** Returns the origin to which the client sent the request. A client that forges it gets a useless link. */
export const originOf = ({ host = '', headers }: Pick<Request, 'host' | 'headers'>): string => {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'; // API Gateway and proxies set it
  const origin = URL.parse(`${scheme}://${host}`)?.origin;
  if (!origin)
    throw new ApiProblemError('invalid-request', 'The Host header has no valid host. Send the host of the service.');
  return origin;
};
