import { readDocs } from './lib/http/docs-files.ts';
import { http } from './lib/http/http.ts';
import { staticFiles } from './lib/http/static-files.ts';

/** GET /docs and its files: returns Swagger UI, which shows the OpenAPI document and loads nothing from other hosts. */
export const handler = http('docs', () => {
  const site = staticFiles(readDocs);
  return (request) => (request.params.file === undefined ? site.page(request) : site.file(request));
});
