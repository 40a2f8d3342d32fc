import { ApiProblemError } from '../shared/problems.ts';
import { methodsOf } from '../shared/service/routes.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { otherMethod } from './lib/http/methods.ts';
import { prefersHtml } from './lib/http/negotiation.ts';
import type { Reply } from './lib/http/response.ts';
import { staticFiles } from './lib/http/static-files.ts';
import { webSite } from './lib/http/web-files.ts';

/**
 * `$default`, for requests that match no route: answers OPTIONS with 204, else throws 404, or 405 with `Allow`. Outside
 * of the API, a browser gets the 404 as the web page.
 */
export const handler = http('no-route', (env) => noRoute(env));

export const noRoute = (settings: Parameters<typeof webSite>[0] = {}) => {
  const web = staticFiles(webSite(settings));
  return async ({ method, path, headers }: Pick<Request, 'method' | 'path' | 'headers'>): Promise<Reply> => {
    const methods = methodsOf(path);
    // API Gateway decodes the path, so `/v1%2Fregions` looks like a route here, although no route matches it.
    if (methods.length === 0 || methods.includes(method)) {
      const readable = ['GET', 'HEAD'].includes(method) && !path.startsWith('/v1/') && prefersHtml(headers.accept);
      if (readable) return { ...(await web.page({ headers: withoutTags(headers) })), status: 404 };
      throw new ApiProblemError('not-found', 'No route matches this path. A path to start with is /v1/regions.');
    }
    return otherMethod(method, methods);
  };
};

/** Returns the headers without `If-None-Match`, because a 304 would hide the status 404. */
const withoutTags = ({ 'if-none-match': _, ...headers }: Request['headers']): Request['headers'] => headers;
