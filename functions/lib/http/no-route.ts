import { ApiProblemError } from '../../../shared/problems.ts';
import { methodsOf } from '../../../shared/service/routes.ts';
import type { Request } from './endpoint.ts';
import { otherMethod } from './methods.ts';
import { prefersHtml } from './negotiation.ts';
import type { Reply } from './response.ts';
import type { staticFiles } from './static-files.ts';

/**
 * Returns the answer to a request that matches no route: 204 to OPTIONS, else it throws 404, or 405 with `Allow`. Outside of
 * the API, a browser gets the 404 as the web page.
 */
export const noRoute =
  (web: Pick<ReturnType<typeof staticFiles>, 'page'>) =>
  async ({ method, path, headers }: Pick<Request, 'method' | 'path' | 'headers'>): Promise<Reply> => {
    const methods = methodsOf(path);
    // API Gateway decodes the path, so `/v1%2Fregions` looks like a route here, although no route matches it.
    if (methods.length === 0 || methods.includes(method)) {
      const readable = ['GET', 'HEAD'].includes(method) && !path.startsWith('/v1/') && prefersHtml(headers.accept);
      if (readable) return { ...(await web.page({ headers: withoutTags(headers) })), status: 404 };
      throw new ApiProblemError('not-found', 'No route matches this path. A path to start with is /v1/regions.');
    }
    return otherMethod(method, methods);
  };

/** Returns the headers without `If-None-Match`, because a 304 would hide the status 404. */
const withoutTags = ({ 'if-none-match': _, ...headers }: Request['headers']): Request['headers'] => headers;
