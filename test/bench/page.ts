import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A small page on loopback: a style sheet, a script, an image, some text. Nothing on it is slow. */
export const servePage = async () => {
  const server = createServer((request, response) => {
    const found = files[request.url ?? ''];
    response.writeHead(found ? 200 : 404, { 'content-type': found?.type ?? 'text/plain' });
    response.end(found?.text ?? 'There is no such file.');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const paragraphs = Array.from(
  { length: 12 },
  (_, i) =>
    `<h2>Part ${i + 1}</h2><p>${'The same few words again, so that there is something to lay out. '.repeat(6)}</p>`,
);

const files: Record<string, { type: string; text: string } | undefined> = {
  '/': {
    type: 'text/html; charset=utf-8',
    text: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="A small page to measure with.">
<title>A small page</title>
<link rel="icon" href="/image.svg">
<link rel="stylesheet" href="/style.css">
<script src="/script.js" defer></script>
</head>
<body>
<main>
<h1>A small page</h1>
<img src="/image.svg" alt="A disc" width="320" height="160">
${paragraphs.join('\n')}
<p>Counted: <span id="count">nothing yet</span></p>
</main>
</body>
</html>`,
  },
  '/style.css': {
    type: 'text/css',
    text: 'body { font: 18px/1.6 sans-serif; margin: 0; color: #222; background: #fff } main { max-width: 40em; margin: auto; padding: 1em }',
  },
  '/script.js': {
    type: 'text/javascript',
    text: `let sum = 0; for (let i = 0; i < 4e7; i++) sum += i % 7; document.getElementById('count').textContent = sum;`,
  },
  '/image.svg': {
    type: 'image/svg+xml',
    text: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 160"><circle cx="160" cy="80" r="70" fill="#36c"/></svg>',
  },
  '/robots.txt': { type: 'text/plain', text: 'User-agent: *\nAllow: /\n' },
};
