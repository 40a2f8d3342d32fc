import { pageParameters } from '../shared/service/routes.ts';
import type { Handle } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { noRoute } from './lib/http/no-route.ts';
import { staticFiles } from './lib/http/static-files.ts';
import { readWeb, viewOf } from './lib/http/web-files.ts';

/**
 * GET / and the other addresses of the web page: returns the page, which reads the API and preloads its view. Returns its files
 * too. `$default` sends it the requests that match no route.
 */
export const handler = http('web-page', (env) => webPage(env));

export const webPage = (settings: Parameters<typeof readWeb>[0] = {}): Handle<Record<never, never>> => {
  const site = staticFiles(() => readWeb(settings));
  const refuse = noRoute(site);
  return (request) => {
    const params = pageParameters(request); // `$default` has none
    if (!params) return refuse(request);
    const asked = { ...request, params };
    return params.file === undefined ? site.page(asked, viewOf(asked)) : site.file(asked);
  };
};
