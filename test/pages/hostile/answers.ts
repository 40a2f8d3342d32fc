import { afterLoad, endless, good, type HostilePage, html, raw, redirect } from '../../support/hostile-server.ts';

const typed = (type: string, body: string | Buffer, headers = {}) => html(body, { 'content-type': type, ...headers });
const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${lines.join('\r\n')}\r\n\r\n`;
const xhtml = (body: string) => `<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>A page in XML</title></head><body>${body}</body></html>`;
const atLeast = Buffer.byteLength(good());

/** Pages that are hostile by their response: its status, type, body, timing or connection. */
export const answers: Record<string, HostilePage> = {
  good: { is: 'a good page', verdicts: ['succeeded'], common: true, serve: html() },

  // Statuses
  'status-404': {
    is: 'a 404 response with a full page',
    verdicts: ['http-error'],
    common: true,
    serve: html(good(), {}, 404),
  },
  'status-410': { is: 'a 410 response with a full page', verdicts: ['http-error'], serve: html(good(), {}, 410) },
  'status-500': {
    is: 'a 500 response with a full page',
    verdicts: ['http-error'],
    common: true,
    serve: html(good(), {}, 500),
  },
  'status-503': {
    is: 'a 503 response with Retry-After',
    verdicts: ['http-error'],
    serve: html(good(), { 'retry-after': '120' }, 503),
  },
  'status-401': {
    is: 'a 401 response with a Basic challenge',
    verdicts: ['http-error'],
    serve: html(good(), { 'www-authenticate': 'Basic realm="private"' }, 401),
  },
  'status-403': { is: 'a 403 response with a full page', verdicts: ['http-error'], serve: html(good(), {}, 403) },
  'status-204': {
    is: 'a 204 response',
    verdicts: ['no-content'],
    early: true,
    serve: ({ response }) => response.writeHead(204).end(),
  },
  'status-304': {
    is: 'a 304 response to an unconditional request',
    verdicts: ['no-content', 'http-error'],
    early: true,
    serve: ({ response }) => response.writeHead(304).end(),
  },
  'status-300-no-location': {
    is: 'a 302 response with a page and no Location',
    verdicts: ['succeeded'],
    serve: html(good(), {}, 302),
  },
  'status-206': {
    is: 'a 206 response to a request without Range',
    verdicts: ['succeeded'],
    serve: html(good(), { 'content-range': `bytes 0-${atLeast - 1}/${atLeast}` }, 206),
  },

  // Types
  'type-plain': { is: 'plain text', verdicts: ['not-html'], serve: typed('text/plain', 'plain') },
  'type-json': { is: 'JSON', verdicts: ['not-html'], common: true, serve: typed('application/json', '{}') },
  'type-svg': {
    is: 'an SVG image',
    verdicts: ['not-html'],
    serve: typed('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><text y="20">Text</text></svg>'),
  },
  'type-png': { is: 'HTML with the type image/png', verdicts: ['not-html'], serve: typed('image/png', good()) },
  'type-pdf': {
    is: 'a PDF',
    verdicts: ['not-html'],
    early: true,
    common: true,
    serve: typed('application/pdf', '%PDF-1.4\n%%EOF\n'),
  },
  'type-xhtml': {
    is: 'a well-formed XHTML page',
    verdicts: ['succeeded'],
    serve: typed('application/xhtml+xml', xhtml('<h1>Well formed</h1>')),
  },
  'type-xhtml-broken': {
    is: 'a malformed XHTML page',
    verdicts: ['not-html', 'no-content'],
    serve: typed('application/xhtml+xml', xhtml('<h1>Not well formed')),
  },
  'type-none-html': {
    is: 'a page without a Content-Type',
    verdicts: ['succeeded'],
    serve: ({ response }) => response.writeHead(200).end(good()),
  },
  attachment: {
    is: 'a page sent as an attachment',
    verdicts: ['not-html'],
    early: true,
    common: true,
    serve: html(good(), { 'content-disposition': 'attachment; filename="page.html"' }),
  },

  // Blank and empty documents
  'empty-200': { is: 'an empty document', verdicts: ['no-content'], common: true, early: true, serve: html('') },
  'empty-404': {
    is: 'a 404 response with an empty body',
    verdicts: ['http-error'],
    early: true,
    serve: ({ response }) => response.writeHead(404).end(),
  },
  'script-to-empty-500': {
    is: 'a script that navigates to an empty 500 response',
    verdicts: ['http-error'],
    early: true,
    serve: afterLoad(500, 'location = "gone"'),
    files: { gone: ({ response }) => response.writeHead(500).end() },
  },
  'blank-404': {
    is: 'a 404 response with a page without text',
    verdicts: ['http-error'],
    serve: html('<!doctype html><title>Gone</title>', {}, 404),
  },
  'empty-that-refreshes': {
    is: 'an empty document whose Refresh header leads to a good page after 2 s',
    verdicts: ['succeeded'],
    serve: html('', { refresh: '2;url=good' }),
    files: { good: html() },
  },
  'blank-whitespace': {
    is: 'a document of white space',
    verdicts: ['no-content'],
    serve: html(' \n'.repeat(500)),
  },
  'blank-for-seo': {
    is: 'a document of white space, audited without performance',
    categories: ['accessibility', 'seo'],
    verdicts: ['no-content'],
    serve: html(' \n'.repeat(500)),
  },
  'blank-display-none': {
    is: 'a page with a hidden body',
    verdicts: ['no-content'],
    serve: html(good({ head: '<style>body { display: none }</style>' })),
  },
  'blank-until-20s': {
    is: 'a page that is hidden for 20 s',
    verdicts: ['no-content', 'succeeded'],
    serve: html(
      good({
        head: '<style>body { display: none }</style>',
        body: '<script>setTimeout(() => { document.body.style.display = "block" }, 20_000)</script>',
      }),
    ),
  },

  // Slow, short, long and endless documents
  'never-answers': {
    is: 'a server that accepts the request and never responds',
    verdicts: ['load-timeout'],
    early: 37,
    common: true,
    serve: () => {},
  },
  'headers-then-nothing': {
    is: 'a server that sends headers and no body',
    verdicts: ['load-timeout'],
    serve: ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).flushHeaders(),
  },
  'slow-drip': {
    is: 'a page that arrives at one byte a second',
    verdicts: ['load-timeout', 'succeeded'],
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      let sent = 0;
      const timer = setInterval(() => response.write(good().slice(sent, ++sent)), 1000);
      response.once('close', () => clearInterval(timer));
    },
  },
  'slow-ttfb-20s': {
    is: 'a page that arrives after 20 s',
    verdicts: ['succeeded', 'load-timeout'],
    serve: ({ response }) => void setTimeout(() => response.end(good()), 20_000).unref(),
  },
  'slow-ttfb-20s-each-time': {
    is: 'an uncacheable page that arrives after 20 s on each visit',
    verdicts: ['succeeded'],
    serve: ({ response }) =>
      void setTimeout(() => response.writeHead(200, { 'cache-control': 'no-store' }).end(good()), 20_000).unref(),
  },
  'fetch-60mb': {
    is: 'a good page that loads a file of 60 MiB',
    verdicts: ['page-too-large'],
    warning: /exceeded a limit of the service/,
    serve: html(good({ body: '<script>fetch("file")</script>' })),
    files: { file: ({ response }) => response.end(Buffer.alloc(60 * 2 ** 20)) },
  },
  'trickle-forever': {
    is: 'a page that gets a paragraph every 200 ms and never ends',
    verdicts: ['succeeded', 'load-timeout'],
    warning: /./,
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).write(good().split('</main>')[0]);
      const timer = setInterval(() => response.write('<p>And one more.</p>'), 200);
      response.once('close', () => clearInterval(timer));
    },
  },
  'endless-body': {
    is: 'a page of 300 MB',
    alone: true,
    verdicts: ['page-too-large'],
    serve: endless('<p>And one more.</p>', 300e6),
  },
  'gzip-bomb-html': {
    is: 'a page of 200 MB of HTML in 1 MB of gzip',
    alone: true,
    verdicts: ['page-too-large'],
    serve: endless('<b>x</b>', 200e6, { zipped: true }),
  },
  'gzip-bomb-nul': {
    is: 'a page of 1 GB of NUL bytes in 1 MB of gzip',
    verdicts: ['page-too-large'],
    not9: true,
    serve: endless('\0', 1e9, { zipped: true }),
  },
  'gzip-invalid': {
    is: 'a page with Content-Encoding gzip that is not gzip',
    verdicts: ['invalid-response'],
    early: true,
    serve: html(good(), { 'content-encoding': 'gzip' }),
  },
  'length-short': {
    is: 'a page that is 30 bytes longer than its Content-Length',
    verdicts: ['succeeded'],
    serve: raw(`${head(`Content-Length: ${atLeast - 30}`, 'Connection: close')}${good()}`),
  },
  'length-long': {
    is: 'a page that is shorter than its Content-Length',
    verdicts: ['unreachable'],
    early: true,
    serve: raw(`${head('Content-Length: 5000', 'Connection: close')}${good()}`),
  },
  'length-long-open': {
    is: 'a page that is shorter than its Content-Length, on a connection that stays open',
    verdicts: ['succeeded'],
    warning: /charset/,
    serve: raw(`${head('Content-Length: 5000')}${good()}`, () => {}),
  },
  'header-300k': {
    is: 'a page with a header of 300 KB',
    verdicts: ['unreachable'],
    early: true,
    serve: html(good(), { 'x-long': 'x'.repeat(300_000) }),
  },
  'early-hints': {
    is: 'a good page after a 103 response',
    verdicts: ['succeeded'],
    serve: ({ response }) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(good());
    },
  },

  // Connections
  'reset-mid-body': {
    is: 'half a page, then a connection reset',
    verdicts: ['unreachable'],
    early: true,
    common: true,
    // Waits, because an immediate reset can discard the bytes that were sent before it.
    serve: raw(`${head('Content-Length: 5000')}${good()}`, (socket) => setTimeout(() => socket.resetAndDestroy(), 200)),
  },
  'close-at-once': {
    is: 'a server that closes the connection without a response',
    verdicts: ['unreachable'],
    early: true,
    serve: ({ request }) => request.socket.end(),
  },
  'bytes-not-http': {
    is: 'a server that does not speak HTTP',
    verdicts: ['invalid-response'],
    early: true,
    serve: raw('\x00\x01\x02 nothing that a browser knows\r\n\r\n'),
  },
  'refused-port': {
    is: 'a closed port',
    verdicts: ['unreachable'],
    early: true,
    common: true,
    at: ({ http }) => `http://127.0.0.2:${http}/`, // the server listens on 127.0.0.1 only
  },
  'unsafe-port': {
    is: 'a port that browsers block',
    verdicts: ['forbidden-target'],
    at: () => 'http://127.0.0.1:22/',
  },
  'dns-unknown': {
    is: 'a name without an address',
    verdicts: ['dns-failure'],
    early: true,
    at: () => 'http://nowhere-to-be-found.example.com/',
  },
  'dns-nxdomain': {
    is: 'a name under .invalid',
    verdicts: ['forbidden-target'], // the API rejects it at once, because RFC 6761 reserves .invalid
    early: true,
    at: () => 'http://nowhere-to-be-found.invalid/',
  },
  'tls-self-signed': {
    is: 'a self-signed certificate',
    verdicts: ['tls-error'],
    early: true,
    common: true,
    at: ({ tls }) => `https://127.0.0.1:${tls}/`,
  },
  'http-on-tls-port': {
    is: 'an http request to a TLS port',
    verdicts: ['http-error', 'unreachable'],
    at: ({ tls }) => `http://127.0.0.1:${tls}/`,
  },
  'tls-on-http-port': {
    is: 'an https request to an HTTP port',
    verdicts: ['tls-error'],
    early: true,
    at: ({ http }) => `https://127.0.0.1:${http}/`,
  },

  // Redirects
  'redirect-loop': {
    is: 'a redirect to itself',
    verdicts: ['redirect-loop'],
    early: true,
    common: true,
    serve: redirect('?'),
  },
  'redirect-cookie': {
    is: 'a page that redirects to itself until it gets its cookie',
    verdicts: ['succeeded'],
    serve: (visit) =>
      /seen=1/.test(visit.request.headers.cookie ?? '')
        ? html()(visit)
        : visit.response.writeHead(302, { location: './', 'set-cookie': 'seen=1' }).end(),
  },
  'redirect-15': {
    is: 'a good page behind 15 redirects',
    verdicts: ['succeeded'],
    common: true,
    serve: (visit) => (Number(visit.query) < 15 ? redirect(`?${Number(visit.query) + 1}`) : html())(visit),
  },
  'redirect-to-404': {
    is: 'a redirect to a 404 response',
    verdicts: ['http-error'],
    serve: redirect('gone'),
    files: { gone: html(good(), {}, 404) },
  },
  'redirect-to-file': {
    is: 'a redirect to a local file',
    verdicts: ['forbidden-target'],
    early: true,
    serve: redirect('file:///etc/passwd'),
  },
  'redirect-to-dead': {
    is: 'a redirect to a closed port',
    verdicts: ['unreachable'],
    early: true,
    ownServer: true,
    serve: ({ response, hangUp }) => {
      response.writeHead(302, { location: 'gone', connection: 'close' }).end();
      hangUp();
    },
  },
  'redirect-private': {
    is: 'a redirect to a private address',
    verdicts: ['forbidden-target'],
    early: true,
    serve: redirect('http://10.0.0.1:8080/'),
  },
  'redirect-other-origin': {
    is: 'a redirect to another loopback origin',
    verdicts: ['succeeded'],
    serve: (visit) => redirect(visit.otherOrigin)(visit),
  },
};
