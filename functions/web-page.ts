import { WebPageEnv } from '../shared/env.ts';
import { anyone, http } from './lib/http/endpoint.ts';
import { staticFiles } from './lib/http/static-files.ts';
import { webSite } from './lib/http/web-files.ts';

const env = () => WebPageEnv.parse(process.env);

/** GET / and the other addresses of the web page: returns the same page, which reads the API. Returns its files too. */
export const handler = http({ access: anyone, cors: env, query: 'any' }, () => {
  const site = staticFiles(webSite(env()));
  return (request) => (request.params.file === undefined ? site.page(request) : site.file(request));
});
