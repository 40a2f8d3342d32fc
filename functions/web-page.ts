import { http } from './lib/http/http.ts';
import { staticFiles } from './lib/http/static-files.ts';
import { viewOf, webSite } from './lib/http/web-files.ts';

/** GET / and the other addresses of the web page: returns the page, which reads the API and preloads its view. Returns its files too. */
export const handler = http('web-page', (env) => {
  const site = staticFiles(webSite(env));
  return (request) => (request.params.file === undefined ? site.page(request, viewOf(request)) : site.file(request));
});
