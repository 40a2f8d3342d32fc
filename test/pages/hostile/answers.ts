import { afterLoad, type Case, endless, good, html, raw, redirect } from '../../support/hostile-server.ts';

const typed = (type: string, body: string | Buffer, headers = {}) => html(body, { 'content-type': type, ...headers });
const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${lines.join('\r\n')}\r\n\r\n`;
const xhtml = (body: string) => `<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>A page in XML</title></head><body>${body}</body></html>`;
const atLeast = Buffer.byteLength(good());

/** By status, by type, by what comes over the wire: the answers to the first request. */
export const answers: Record<string, Case> = {
  good: { is: 'a good page', verdicts: ['succeeded'], common: true, serve: html() },

  // Statuses
  'status-404': { is: 'a 404 with a whole page', verdicts: ['http-error'], common: true, serve: html(good(), {}, 404) },
  'status-410': { is: 'a 410 with a whole page', verdicts: ['http-error'], serve: html(good(), {}, 410) },
  'status-500': { is: 'a 500 with a whole page', verdicts: ['http-error'], common: true, serve: html(good(), {}, 500) },
  'status-503': {
    is: 'a 503 that asks to come back later',
    verdicts: ['http-error'],
    serve: html(good(), { 'retry-after': '120' }, 503),
  },
  'status-401': {
    is: 'a 401 that asks for a password',
    verdicts: ['http-error'],
    serve: html(good(), { 'www-authenticate': 'Basic realm="private"' }, 401),
  },
  'status-403': { is: 'a 403 with a whole page', verdicts: ['http-error'], serve: html(good(), {}, 403) },
  'status-204': {
    is: 'a 204',
    verdicts: ['no-content'],
    early: true,
    serve: ({ response }) => response.writeHead(204).end(),
  },
  'status-304': {
    is: 'a 304 to an unconditional request',
    verdicts: ['no-content', 'http-error'],
    early: true,
    serve: ({ response }) => response.writeHead(304).end(),
  },
  'status-300-no-location': {
    is: 'a 302 to nowhere, with a page',
    verdicts: ['succeeded'],
    serve: html(good(), {}, 302),
  },
  'status-206': {
    is: 'a 206 that nobody asked for',
    verdicts: ['succeeded'],
    serve: html(good(), { 'content-range': `bytes 0-${atLeast - 1}/${atLeast}` }, 206),
  },

  // Types
  'type-plain': { is: 'plain text', verdicts: ['not-html'], serve: typed('text/plain', 'plain') },
  'type-json': { is: 'JSON', verdicts: ['not-html'], common: true, serve: typed('application/json', '{}') },
  'type-svg': {
    is: 'a drawing in SVG',
    verdicts: ['not-html'],
    serve: typed('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><text y="20">Text</text></svg>'),
  },
  'type-png': { is: 'HTML that calls itself a PNG', verdicts: ['not-html'], serve: typed('image/png', good()) },
  'type-pdf': {
    is: 'a PDF',
    verdicts: ['not-html'],
    early: true,
    common: true,
    serve: typed('application/pdf', '%PDF-1.4\n%%EOF\n'),
  },
  'type-xhtml': {
    is: 'a page in XML',
    verdicts: ['succeeded'],
    serve: typed('application/xhtml+xml', xhtml('<h1>Well formed</h1>')),
  },
  'type-xhtml-broken': {
    is: 'a page in XML that is not well formed',
    verdicts: ['not-html', 'no-content'],
    serve: typed('application/xhtml+xml', xhtml('<h1>Not well formed')),
  },
  'type-none-html': {
    is: 'a page without a type',
    verdicts: ['succeeded'],
    serve: ({ response }) => response.writeHead(200).end(good()),
  },
  attachment: {
    is: 'a page to be saved as a file',
    verdicts: ['not-html'],
    early: true,
    common: true,
    serve: html(good(), { 'content-disposition': 'attachment; filename="page.html"' }),
  },

  // Nothing to see
  'empty-200': { is: 'an empty document', verdicts: ['no-content'], common: true, early: true, serve: html('') },
  'empty-404': {
    is: 'a 404 with nothing in it',
    verdicts: ['http-error'],
    early: true,
    serve: ({ response }) => response.writeHead(404).end(),
  },
  'script-to-empty-500': {
    is: 'a script that leads to a 500 with nothing in it',
    verdicts: ['http-error'],
    early: true,
    serve: afterLoad(500, 'location = "gone"'),
    files: { gone: ({ response }) => response.writeHead(500).end() },
  },
  'blank-404': {
    is: 'a 404 without a text',
    slow: true,
    verdicts: ['http-error'],
    serve: html('<!doctype html><title>Gone</title>', {}, 404),
  },
  'empty-that-refreshes': {
    is: 'an empty document whose header leads to a good page after 2 s',
    verdicts: ['succeeded'],
    serve: html('', { refresh: '2;url=good' }),
    files: { good: html() },
  },
  'blank-whitespace': {
    is: 'a document of white space',
    slow: true,
    verdicts: ['no-content'],
    serve: html(' \n'.repeat(500)),
  },
  'blank-for-seo': {
    is: 'a document of white space, of which only scores are asked that it could have',
    categories: ['accessibility', 'seo'],
    slow: true,
    verdicts: ['no-content'],
    serve: html(' \n'.repeat(500)),
  },
  'blank-display-none': {
    is: 'a page whose body is not displayed',
    slow: true,
    verdicts: ['no-content'],
    serve: html(good({ head: '<style>body { display: none }</style>' })),
  },
  'blank-until-20s': {
    is: 'a page that shows itself after 20 s',
    slow: true,
    verdicts: ['no-content', 'succeeded'],
    serve: html(
      good({
        head: '<style>body { display: none }</style>',
        body: '<script>setTimeout(() => { document.body.style.display = "block" }, 20_000)</script>',
      }),
    ),
  },

  // Slow, short, long, endless
  'never-answers': {
    is: 'a server that never answers',
    slow: true,
    verdicts: ['load-timeout'],
    seconds: 56,
    common: true,
    serve: () => {},
  },
  'headers-then-nothing': {
    is: 'a server that says no more than that it has a page',
    slow: true,
    verdicts: ['load-timeout'],
    serve: ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).flushHeaders(),
  },
  'slow-drip': {
    is: 'a page that comes at a byte a second',
    slow: true,
    verdicts: ['load-timeout', 'succeeded'],
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      let sent = 0;
      const timer = setInterval(() => response.write(good().slice(sent, ++sent)), 1000);
      response.once('close', () => clearInterval(timer));
    },
  },
  'slow-ttfb-20s': {
    is: 'a page that comes after 20 s',
    slow: true,
    verdicts: ['succeeded', 'load-timeout'],
    serve: ({ response }) => void setTimeout(() => response.end(good()), 20_000).unref(),
  },
  'slow-ttfb-20s-each-time': {
    is: 'a page that comes after 20 s, and is asked for again on each visit',
    slow: true,
    verdicts: ['succeeded'],
    serve: ({ response }) =>
      void setTimeout(() => response.writeHead(200, { 'cache-control': 'no-store' }).end(good()), 20_000).unref(),
  },
  'fetch-60mb': {
    is: 'a good page that loads a file of 60 MiB',
    verdicts: ['page-too-large'],
    serve: html(good({ body: '<script>fetch("file")</script>' })),
    files: { file: ({ response }) => response.end(Buffer.alloc(60 * 2 ** 20)) },
  },
  'trickle-forever': {
    is: 'a page that gets another paragraph every 200 ms and never ends',
    slow: true,
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
    slow: true,
    verdicts: ['page-too-large'],
    serve: endless('<p>And one more.</p>', 300e6),
  },
  'gzip-bomb-html': {
    is: 'a page of 200 MB that is one on the wire',
    alone: true,
    slow: true,
    verdicts: ['page-too-large'],
    serve: endless('<b>x</b>', 200e6, { zipped: true }),
  },
  'gzip-bomb-nul': {
    is: 'a page of a gigabyte of NULs that is one megabyte on the wire',
    verdicts: ['page-too-large'],
    not9: true,
    serve: endless('\0', 1e9, { zipped: true }),
  },
  'gzip-invalid': {
    is: 'a page that calls itself gzip and is not',
    verdicts: ['unreachable'],
    early: true,
    serve: html(good(), { 'content-encoding': 'gzip' }),
  },
  'length-short': {
    is: 'a page that is 30 bytes longer than it says',
    verdicts: ['succeeded'],
    serve: raw(`${head(`Content-Length: ${atLeast - 30}`, 'Connection: close')}${good()}`),
  },
  'length-long': {
    is: 'a page that is shorter than it says',
    verdicts: ['unreachable'],
    early: true,
    serve: raw(`${head('Content-Length: 5000', 'Connection: close')}${good()}`),
  },
  'length-long-open': {
    is: 'a page that is shorter than it says, on a connection that stays open',
    slow: true,
    verdicts: ['succeeded'],
    serve: raw(`${head('Content-Length: 5000')}${good()}`, () => {}),
  },
  'header-300k': {
    is: 'a page with a header of 300 KB',
    verdicts: ['unreachable'],
    early: true,
    serve: html(good(), { 'x-long': 'x'.repeat(300_000) }),
  },
  'early-hints': {
    is: 'a good page after early hints',
    verdicts: ['succeeded'],
    serve: ({ response }) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(good());
    },
  },

  // Connections
  'reset-mid-body': {
    is: 'half a page, then a reset',
    verdicts: ['unreachable'],
    early: true,
    common: true,
    // After a pause: a reset that overtakes the bytes before it would leave no page at all.
    serve: raw(`${head('Content-Length: 5000')}${good()}`, (socket) => setTimeout(() => socket.resetAndDestroy(), 200)),
  },
  'close-at-once': {
    is: 'a server that hangs up',
    verdicts: ['unreachable'],
    early: true,
    serve: ({ request }) => request.socket.end(),
  },
  'bytes-not-http': {
    is: 'a server that does not speak HTTP',
    verdicts: ['unreachable'],
    early: true,
    serve: raw('\x00\x01\x02 nothing that a browser knows\r\n\r\n'),
  },
  'refused-port': {
    is: 'a port where nobody listens',
    verdicts: ['unreachable'],
    early: true,
    common: true,
    at: ({ http }) => `http://127.0.0.2:${http}/`, // we listen at 127.0.0.1 only
  },
  'unsafe-port': {
    is: 'a port that browsers refuse',
    verdicts: ['forbidden-target', 'unreachable'],
    at: () => 'http://127.0.0.1:22/',
  },
  'dns-nxdomain': {
    is: 'a name that can not exist',
    verdicts: ['forbidden-target'], // refused at once, as RFC 6761 reserves .invalid: it would be dns-failure
    early: true,
    at: () => 'http://nowhere-to-be-found.invalid/',
  },
  'tls-self-signed': {
    is: 'a certificate that nobody vouches for',
    verdicts: ['tls-error'],
    early: true,
    common: true,
    at: ({ tls }) => `https://127.0.0.1:${tls}/`,
  },
  'http-on-tls-port': {
    is: 'a server that speaks TLS only, asked without',
    verdicts: ['http-error', 'unreachable'],
    at: ({ tls }) => `http://127.0.0.1:${tls}/`,
  },
  'tls-on-http-port': {
    is: 'a server that speaks no TLS, asked with it',
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
    is: 'a redirect to a 404',
    verdicts: ['http-error'],
    serve: redirect('gone'),
    files: { gone: html(good(), {}, 404) },
  },
  'redirect-to-file': {
    is: 'a redirect to a file of the machine',
    verdicts: ['forbidden-target', 'unreachable'],
    early: true,
    serve: redirect('file:///etc/passwd'),
  },
  'redirect-to-dead': {
    is: 'a redirect to a server that is gone',
    verdicts: ['unreachable'],
    early: true,
    ownServer: true,
    serve: ({ response, hangUp }) => {
      response.writeHead(302, { location: 'gone', connection: 'close' }).end();
      hangUp();
    },
  },
  'redirect-other-origin': {
    is: 'a redirect to another origin of loopback',
    verdicts: ['forbidden-target'], // a check of loopback is held to its own
    early: true,
    serve: (visit) => redirect(visit.otherOrigin)(visit),
  },
};
