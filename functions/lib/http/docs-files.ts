import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const css = 'text/css; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

/** Files of the page. The deployed function has those of the package beside it (infra/build.ts). */
const types = {
  'swagger-ui.css': css,
  'swagger-ui-bundle.js': script,
  'favicon-32x32.png': 'image/png',
  'start.js': script,
} as const;
type DocsFile = keyof typeof types;
type Content = { type: string; content: Buffer };

export const isDocsFile = (name: string): name is DocsFile => Object.hasOwn(types, name);

// By default Swagger UI sends the document to a validator on the internet.
const start = `SwaggerUIBundle({ url: '/v1/openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });\n`;

/** Returns the page and its files. `version` is a hash of their contents and a part of the URL of each file. */
export const readDocs = async (): Promise<{
  version: string;
  page: Content;
  files: Readonly<Record<DocsFile, Content>>;
}> => {
  const { resolve } = createRequire(import.meta.url);
  const names = Object.keys(types) as DocsFile[];
  const contents = await Promise.all(
    names.map((name) => (name === 'start.js' ? Buffer.from(start) : readFile(resolve(`swagger-ui-dist/${name}`)))),
  );
  const hash = createHash('sha256').update(htmlOf('')); // the tag of the page must change with the page
  for (const content of contents) hash.update(content);
  const version = hash.digest('hex').slice(0, 16);
  const files = Object.fromEntries(names.map((name, i) => [name, { type: types[name], content: contents[i] }]));
  const page = { type: 'text/html; charset=utf-8', content: Buffer.from(htmlOf(version)) };
  return { version, page, files: files as Record<DocsFile, Content> };
};

const htmlOf = (version: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API of the page audit service</title>
    <link rel="stylesheet" href="/docs/${version}/swagger-ui.css">
    <link rel="icon" type="image/png" href="/docs/${version}/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/${version}/swagger-ui-bundle.js" defer></script>
    <script src="/docs/${version}/start.js" defer></script>
  </body>
</html>
`;

/** Content security policy of the page. It has no inline script, and connects to this host only. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
