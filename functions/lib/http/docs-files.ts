import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { css, type Site, type StaticFile, script, siteOf } from './static-files.ts';

// By default Swagger UI sends the document to a validator on the internet.
const start = `SwaggerUIBundle({ url: 'v1/openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });\n`;

/** Returns the page and its files. The deployed function has those of the package beside it (infra/bundle/main.ts). */
export const readDocs = async (): Promise<Site> => {
  const { resolve } = createRequire(import.meta.url);
  const ofPackage = async (name: string, type: string): Promise<[string, StaticFile]> => [
    name,
    { type, content: await readFile(resolve(`swagger-ui-dist/${name}`)) },
  ];
  const files = await Promise.all([
    ofPackage('swagger-ui.css', css),
    ofPackage('swagger-ui-bundle.js', script),
    ofPackage('favicon-32x32.png', 'image/png'),
  ]);
  return siteOf(
    new Map([...files, ['start.js', { type: script, content: Buffer.from(start) }]]),
    (version) => new Map([['home', htmlOf(version)]]),
  );
};

/** All addresses are relative to /docs, so the page works under a path of its host too. */
const htmlOf = (version: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API of the page audit service</title>
    <link rel="stylesheet" href="docs/${version}/swagger-ui.css">
    <link rel="icon" type="image/png" href="docs/${version}/favicon-32x32.png">
  </head>
  <body>
    <p><a href="./">Web page of the service</a></p>
    <div id="swagger-ui"></div>
    <script src="docs/${version}/swagger-ui-bundle.js" defer></script>
    <script src="docs/${version}/start.js" defer></script>
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
