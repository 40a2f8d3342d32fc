import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { css, type Site, type StaticFile, script, siteOf } from './static-files.ts';

// By default Swagger UI sends the document to a validator on the internet. Its deep links are links within buttons, which
// some screen readers can't reach. Its headings skip a level, and its first parts are in no landmark.
const start = `SwaggerUIBundle({ url: 'v1/openapi.json', dom_id: '#swagger-ui', deepLinking: false, validatorUrl: null, onComplete() {
  const set = (selector, attributes) => {
    for (const each of document.querySelectorAll(selector))
      for (const [name, value] of Object.entries(attributes)) each.setAttribute(name, value);
  };
  set('.opblock-tag, .models h4', { 'aria-level': '2' });
  set('.information-container', { role: 'region', 'aria-label': 'About this API' });
  set('.schemes-server-container', { role: 'region', 'aria-label': 'Authorization' });
} });\n`;

/** Colours with enough contrast in place of those of Swagger UI, and no choice of the only server, which has no name. */
const styles = `body { margin: 0 }
header { max-width: 1460px; margin: 0 auto; padding: 1rem 20px 0; font-family: system-ui, sans-serif }
.swagger-ui .servers, .swagger-ui .servers-title { display: none }
.swagger-ui .info .title small { background: #525a68 }
.swagger-ui .info .title small.version-stamp { background: #3d6b00 }
.swagger-ui .info .title small pre { color: #fff }
.swagger-ui .info a, .swagger-ui .info .link, .swagger-ui .link, .swagger-ui .url, .swagger-ui .info li, .swagger-ui .markdown a { color: #0b5cad }
.swagger-ui .btn.authorize { color: #0a6b45; border-color: #0a6b45 }
.swagger-ui .btn.authorize svg { fill: #0a6b45 }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1a5fb4 }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #0a6b45 }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0b6b5f }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a4b00 }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3151b }
.swagger-ui [class*=json-schema-2020-12], .swagger-ui .model-toggle, .swagger-ui .prop-format { color: #3b4151 }
.swagger-ui [class*=json-schema-2020-12__constraint--] { color: #fff; background: #553c9a }
`;

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
    new Map([
      ...files,
      ['start.js', { type: script, content: Buffer.from(start) }],
      ['docs.css', { type: css, content: Buffer.from(styles) }],
    ]),
    (version) => new Map([['home', htmlOf(version)]]),
    docsPolicy,
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
    <link rel="stylesheet" href="docs/${version}/docs.css">
    <link rel="icon" type="image/png" href="docs/${version}/favicon-32x32.png">
  </head>
  <body>
    <header><a href="./">Web page of the service</a></header>
    <div id="swagger-ui"></div>
    <script src="docs/${version}/swagger-ui-bundle.js" defer></script>
    <script src="docs/${version}/start.js" defer></script>
  </body>
</html>
`;

/** Content security policy of the page. It has no inline script, and connects to this host only. */
const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
