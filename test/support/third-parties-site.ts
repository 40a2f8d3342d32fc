import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Text of a file whose script keeps the main thread busy for some milliseconds. The file has this many bytes. */
const script = (ms: number, bytes: number): string =>
  `{ const end = performance.now() + ${ms}; while (performance.now() < end); } //`.padEnd(bytes, 'x');

const image =
  '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240"><rect width="320" height="240" fill="green"/></svg>';

const documentOf = (port: number, more = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>A shop with two third parties</title>
</head>
<body>
<h1>Shop</h1>
<p>Some words of the page.</p>
<img src="http://images.localhost:${port}/hero.svg" width="320" height="240" alt="">
<script src="http://ads.localhost:${port}/ads.js"></script>${more}
</body>
</html>`;

/**
 * Serves a page of `shop.localhost` with third parties on two other hosts of this machine. Its `/preview` has another script,
 * which keeps the main thread busy for 300 ms more.
 */
export const serveThirdParties = async () => {
  const server = createServer(({ headers, url }, response) => {
    const send = (type: string, body: string) => response.writeHead(200, { 'content-type': type }).end(body);
    const [host = '', port] = (headers.host ?? '').split(':');
    if (url === '/favicon.ico') response.writeHead(404).end();
    else if (host === 'ads.localhost') send('text/javascript', script(300, 10_000));
    else if (host === 'images.localhost') send('image/svg+xml', image.padEnd(200_000, ' '));
    else if (url === '/preview.js') send('text/javascript', script(300, 1000));
    else if (url === '/preview') send('text/html', documentOf(Number(port), '\n<script src="/preview.js"></script>'));
    else send('text/html', documentOf(Number(port)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://shop.localhost:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
