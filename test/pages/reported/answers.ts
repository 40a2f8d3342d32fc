import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterLoad, good, html, redirect } from '../../support/hostile-server.ts';
import type { ReportedPage } from '../../support/reported-page.ts';

const noise = (bytes: number) => {
  let text = '';
  for (let i = 0; text.length < bytes; i++) text += createHash('sha256').update(String(i)).digest('hex');
  return text;
};
const zipped = gzipSync(good({ body: `<p>${noise(100_000)}</p>` }));
/** `Ａ` and hiragana in Shift_JIS. */
const SHIFT_JIS = Buffer.from([0x82, 0x60, 0x82, 0xa0, 0x82, 0xa2, 0x82, 0xa4]);

/** Pages that are special by their address or their response. */
export const answers: Record<string, ReportedPage> = {
  // Addresses
  'path-emoji': {
    is: 'an address with an emoji and a rare kanji',
    verdicts: ['succeeded'],
    path: '😀/𠮷野家',
    finalUrl: /%F0%9F%98%80\/%F0%A0%AE%B7/,
    serve: html(),
  },
  'path-odd': {
    is: 'a path with umlauts, blanks and a bare %',
    verdicts: ['succeeded'],
    path: 'über uns/100% gut',
    finalUrl: /%C3%BCber%20uns\/100%%20gut$/,
    serve: html(),
  },
  'path-1100': {
    is: 'an address of 1,100 characters',
    verdicts: ['succeeded'],
    path: `${'%E3%81%82'.repeat(100)}?${'q'.repeat(150)}=end`,
    finalUrl: /%E3%81%82\?q+=end$/,
    serve: html(),
  },
  'route-in-fragment': {
    is: 'an app with its route in the fragment',
    verdicts: ['succeeded'],
    path: '#/products/1',
    finalUrl: /\/#\/products\/1$/,
    serve: html(),
  },
  'route-replaced': {
    is: 'an app that renames its route in the fragment by replaceState',
    verdicts: ['succeeded'],
    path: '#/products/1',
    finalUrl: /\/#\/products\/2$/,
    serve: afterLoad(0, 'history.replaceState(0, "", "#/products/2")'),
  },
  'route-pushed': {
    is: 'an app that adds a route by pushState',
    verdicts: ['succeeded'],
    finalUrl: /\/shop#\/products\/3$/,
    serve: afterLoad(0, 'history.pushState(0, "", "shop#/products/3")'),
    files: { shop: html() },
  },

  // Character sets
  'utf-16': {
    is: 'a page in UTF-16 with a byte order mark',
    verdicts: ['succeeded'],
    serve: html(Buffer.from(`\uFEFF${good()}`, 'utf16le'), { 'content-type': 'text/html' }),
  },
  'shift-jis': {
    is: 'a page in Shift_JIS by its header',
    verdicts: ['succeeded'],
    serve: html(
      Buffer.concat([
        Buffer.from(good().replace('<meta charset="utf-8">', '').replace('</main>', '<p>')),
        SHIFT_JIS,
        Buffer.from('</p></main>'),
      ]),
      { 'content-type': 'text/html; charset=Shift_JIS' },
    ),
  },

  // Statuses and types
  'download-404': {
    is: 'a 404 response that is a download',
    verdicts: ['http-error'],
    message: /status 404/,
    early: true,
    serve: html(good(), { 'content-disposition': 'attachment; filename="gone.html"' }, 404),
  },
  'json-500': {
    is: 'a 500 response in JSON',
    verdicts: ['http-error'],
    message: /status 500/,
    serve: html('{}', { 'content-type': 'application/json' }, 500),
  },
  'zip-403': {
    is: 'a 403 response with a file that browsers download',
    verdicts: ['http-error'],
    message: /status 403/,
    serve: html('PK', { 'content-type': 'application/zip' }, 403),
  },
  'disposition-own': {
    is: 'a page with a Content-Disposition of a type of its own',
    verdicts: ['not-html'],
    early: true,
    serve: html(good(), { 'content-disposition': 'x-keep; filename="page.html"' }),
  },
  'xml-with-style': {
    is: 'XML with a style sheet that makes HTML',
    verdicts: ['not-html'],
    serve: html('<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="style"?><page>Text</page>', {
      'content-type': 'application/xml',
    }),
    files: {
      style: html(
        `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="/"><html><body><h1><xsl:value-of select="page"/></h1></body></html></xsl:template></xsl:stylesheet>`,
        { 'content-type': 'text/xsl' },
      ),
    },
  },
  'gzip-cut': {
    is: 'a gzip response that is cut off in the middle',
    verdicts: ['succeeded', 'unreachable', 'load-timeout'],
    never: /10 MB|10 MiB|larger/,
    serve: html(zipped.subarray(0, zipped.length / 2), { 'content-encoding': 'gzip' }),
  },
  'gzip-cut-open': {
    is: 'a gzip response that is cut off in the middle, on a connection that stays open',
    verdicts: ['succeeded', 'unreachable', 'load-timeout'],
    never: /10 MB|10 MiB|larger/,
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
      response.write(zipped.subarray(0, zipped.length / 2));
    },
  },

  // Headers
  'early-hints-300': {
    is: 'a page after three 103 responses',
    verdicts: ['succeeded'],
    serve: ({ response }) => {
      for (const file of ['a', 'b', 'c']) response.writeEarlyHints({ link: `</${file}.css>; rel=preload; as=style` });
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(good());
    },
  },
  'cookies-200': {
    is: 'a page with 200 Set-Cookie headers',
    verdicts: ['succeeded'],
    serve: ({ response }) => {
      const cookies = Array.from({ length: 200 }, (_, i) => `name${i}=${'v'.repeat(100)}`);
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'set-cookie': cookies }).end(good());
    },
  },
  'headers-400k': {
    is: 'a page with 400 KB of headers',
    verdicts: ['unreachable', 'http-error'],
    early: true,
    serve: ({ response }) => {
      for (let i = 0; i < 100; i++) response.setHeader(`x-long-${i}`, 'x'.repeat(4000));
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(good());
    },
  },
  'trusted-types': {
    is: 'a page that enforces Trusted Types and forbids eval',
    verdicts: ['succeeded'],
    whole: true,
    serve: html(good(), {
      'content-security-policy': "require-trusted-types-for 'script'; script-src 'self'; default-src 'self' data:",
    }),
  },
  'sandbox-with-scripts': {
    is: 'a page that is sandboxed with allow-scripts',
    verdicts: ['succeeded'],
    whole: true,
    serve: html(good(), { 'content-security-policy': 'sandbox allow-scripts' }),
  },
  isolated: {
    is: 'a cross-origin isolated page whose Permissions-Policy forbids unload',
    verdicts: ['succeeded'],
    whole: true,
    serve: html(good(), {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'permissions-policy': 'unload=()',
    }),
  },
  'clear-site-data': {
    is: 'a page with Clear-Site-Data',
    verdicts: ['succeeded'],
    whole: true,
    serve: html(good(), { 'clear-site-data': '"cache", "cookies", "storage", "executionContexts"' }),
  },

  'redirect-invalid': {
    is: 'a redirect to an address without a host',
    verdicts: ['invalid-response'],
    early: true,
    message: /not a valid URL/,
    serve: redirect('http://'),
  },

  // Other servers on the same machine
  'parts-on-other-ports': {
    is: 'a page at a name under localhost whose style sheet and API have ports of their own',
    verdicts: ['succeeded'],
    whole: true,
    never: /blocked/,
    host: 'shop.localhost',
    serve: (visit) =>
      html(
        good({
          head: `<link rel="stylesheet" href="${visit.otherPort}/style.css">`,
          body: `<p id="products">The shop is not available.</p><script>
            fetch("${visit.otherOrigin}/products")
              .then((answer) => answer.json())
              .then(([product]) => {
                products.textContent = product;
                if (getComputedStyle(document.querySelector("h1")).color !== "rgb(1, 2, 3)") throw 0;
              })
              .catch(() => document.body.remove())</script>`, // without a body the audit fails
        }),
      )(visit),
  },
};
