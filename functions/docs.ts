import { CorsEnv } from '../shared/env.ts';
import { docsPolicy, readDocs } from './lib/http/docs-files.ts';
import { anyone, http } from './lib/http/endpoint.ts';
import { staticFiles } from './lib/http/static-files.ts';

const env = () => CorsEnv.parse(process.env);

/** GET /docs and its files: returns Swagger UI, which shows the OpenAPI document and loads nothing from other hosts. */
export const handler = http({ access: anyone, cors: env }, () => {
  const site = staticFiles({ read: readDocs, policy: docsPolicy });
  return (request) => (request.params.file === undefined ? site.page(request) : site.file(request));
});
