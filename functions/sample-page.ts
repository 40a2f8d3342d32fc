import { http } from './lib/http/http.ts';
import { pageHeaders } from './lib/http/security-headers.ts';
import { markup } from './lib/http/static-files.ts';

/**
 * GET /sample: returns a small page for trying the service. `npm run smoke` and the canary audit it, and compare the
 * results with those in shared/service/known-page.ts.
 */
export const handler = http('sample-page', () => async () => ({
  status: 200,
  headers: { ...pageHeaders(policy), 'content-type': markup },
  body: Buffer.from(html),
}));

const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>A sample page</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="description" content="A small page to try the page audit service on.">
    <link rel="icon" href="data:,">
    <style>body { margin: 2rem; font: 1.25rem/1.6 sans-serif; color: #111; background: #fff; }</style>
  </head>
  <body>
    <main>
      <h1>A sample page</h1>
      <p>It is small, and most audits have nothing to say about it.</p>
    </main>
  </body>
</html>
`;
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; frame-ancestors 'none'";
