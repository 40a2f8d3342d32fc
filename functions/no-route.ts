import { CorsEnv } from '../shared/env.ts';
import { ApiProblem } from '../shared/problems.ts';
import { methodsOf } from '../shared/routes.ts';
import { http, type Request } from './lib/http/endpoint.ts';
import type { Reply } from './lib/http/response.ts';

const env = () => CorsEnv.parse(process.env);

/** `$default`, for requests that match no route: answers OPTIONS with 204, else throws 404, or 405 with `Allow`. */
export const handler = http({ cors: env, query: 'any' }, () => noRoute);

export const noRoute = async ({ method, path }: Pick<Request, 'method' | 'path'>): Promise<Reply> => {
  const methods = methodsOf(path);
  if (methods.length === 0)
    throw new ApiProblem('not-found', 'No route matches this path. A path to start with is /v1/regions.');
  const allow = [...methods, 'OPTIONS'].join(', ');
  if (method === 'OPTIONS') return { status: 204, headers: { allow } };
  throw new ApiProblem('method-not-allowed', `This path supports the methods ${allow}.`, { headers: { allow } });
};
