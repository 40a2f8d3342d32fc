import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readSitemap, sitemapLimits } from '../../clients/cli/many/sitemap.ts';
import { startOddServer } from '../support/odd-server.ts';

type Files = Readonly<Record<string, string | Buffer | ((response: ServerResponse) => void)>>;

/** Starts a host with these files. `HOST` in a text is the address of the host. */
const startHost = async (files: Files) => {
  const server = await startOddServer(({ url = '' }, response) => {
    const file = files[url];
    if (typeof file === 'function') return file(response);
    const text = typeof file === 'string' ? file.replaceAll('HOST', server.url) : file;
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  return server;
};

const urlset = (...urls: string[]) =>
  `<?xml version="1.0"?><urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('\n')}</urlset>`;
const index = (...urls: string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;

const signal = new AbortController().signal;
const read = async (
  files: Files,
  {
    limit = 50,
    limits = {},
    path = '/sitemap.xml',
    moved,
  }: { limit?: number; limits?: object; path?: string; moved?: string } = {},
) => {
  await using host = await startHost(files);
  const found = await readSitemap(`${host.url}${path}`, {
    limit,
    signal,
    moved,
    limits: { ...sitemapLimits, ...limits },
  }).catch((error: Error) => ({ urls: [], notes: [error.message] }));
  const here = (text: string) => text.replaceAll(host.url, '').replaceAll(new URL(host.url).host, 'HERE');
  return {
    urls: found.urls.map(here),
    notes: found.notes.map(here).join('\n'),
    requests: host.requests.map(({ url }) => url),
  };
};

test('the pages of a sitemap are in its order, each once, without images and other addresses', async () => {
  const text = `﻿<?xml version="1.0" encoding="UTF-8"?>
    <s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
      <!-- <url><loc>HOST/comment</loc></url> -->
      <s:url><s:loc> HOST/b?x=1&amp;y=2 </s:loc><lastmod>2026-01-01</lastmod>
        <image:image><image:loc>HOST/image.png</image:loc></image:image></s:url>
      <s:url><s:loc><![CDATA[HOST/a]]></s:loc></s:url><s:url><s:loc>HOST/a#part</s:loc></s:url>
    </s:urlset>`;
  expect(await read({ '/sitemap.xml': text })).toMatchObject({ urls: ['/b?x=1&y=2', '/a'], notes: '' });
});

test('an index and its gzipped sitemaps are read until the limit, and no further', async () => {
  const zipped = gzipSync(urlset('/1', '/2'));
  const files = {
    '/sitemap.xml': index('HOST/a.xml.gz', 'HOST/b.xml', 'HOST/c.xml'),
    '/a.xml.gz': zipped,
    '/b.xml': urlset('HOST/3', 'HOST/4'),
    '/c.xml': urlset('HOST/5'),
  };
  expect(await read(files, { limit: 3 })).toMatchObject({
    urls: ['/1', '/2', '/3'],
    requests: ['/sitemap.xml', '/a.xml.gz', '/b.xml'],
  });
  const encoded = (response: ServerResponse) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(zipped));
  expect(await read({ '/sitemap.xml': encoded })).toMatchObject({ urls: ['/1', '/2'] });
});

test('an endless sitemap is read until the limit', async () => {
  const endless = (response: ServerResponse) => {
    response.write('<urlset>');
    const more = () => {
      for (let i = 0; i < 100; i += 1) response.write(`<url><loc>/${Math.random()}</loc></url>`);
      if (!response.destroyed) setImmediate(more);
    };
    more();
  };
  expect((await read({ '/sitemap.xml': endless }, { limit: 20 })).urls).toHaveLength(20);
});

test('addresses of other hosts and ports are neither read nor audited', async () => {
  const others = ['https://evil.example/x', 'http://169.254.169.254/', 'http://127.0.0.1:9/', 'http://[::1]/'];
  const files = {
    '/sitemap.xml': index('HOST/pages.xml', 'http://127.0.0.1:9/sitemap.xml'),
    '/pages.xml': urlset('HOST/own', ...others, 'javascript:alert(1)', 'http://me:secret@127.0.0.1/', 'http://'),
  };
  const { urls, notes } = await read(files);
  expect(urls).toEqual(['/own']);
  expect(notes).toBe(
    'Left out: 1 URL of evil.example, 1 URL of 169.254.169.254, 2 URLs of 127.0.0.1:9, 1 URL of other hosts. A sitemap is for its own host, HERE. To audit the same paths there, use --sitemap-host same.\n' +
      'Left out: 3 URLs that no browser opens as a page, or with more than 2048 characters.',
  );
  const moved = (response: ServerResponse) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
  expect((await read({ '/sitemap.xml': moved })).notes).toContain('redirects to another host, http://127.0.0.1:9/.');
});

const latin1 = Buffer.from(
  '<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc>/caf\u00e9</loc></url></urlset>',
  'latin1',
);
const typed = (type: string, body: Buffer) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': type }).end(body);

test.each<[string, Files[string], string[]]>([
  ['a list with a byte order mark and CRLF', '\uFEFFHOST/a\r\nHOST/b', ['/a', '/b']],
  ['a list with comments, blank lines and repeats', '# pages\n\n HOST/a \nHOST/a\n/b\n', ['/a', '/b']],
  ['a list as UTF-16', Buffer.from('\uFEFFhttp://left-out.example/\n/a', 'utf16le'), ['/a']],
  ['a gzipped list', gzipSync('http://example.com/left-out\n/a'), ['/a']],
  ['a gzip with a text behind it', Buffer.concat([gzipSync(urlset('/a')), Buffer.from('\n<!-- cached -->')]), ['/a']],
  ['XML in Latin-1', latin1, ['/caf%C3%A9']],
  [
    'XML whose type names another encoding',
    typed('text/xml; charset=iso-8859-1', Buffer.from(urlset('/\u00e9'), 'latin1')),
    ['/%C3%A9'],
  ],
  ['a robots.txt', '\uFEFF# robots\nUser-agent: *\nDisallow: /x\nsitemap: /s.xml\nSitemap: HOST/t.txt', ['/s', '/t']],
])('%s has its pages', async (_, file, urls) => {
  const others = { '/s.xml': urlset('HOST/s'), '/t.txt': 'HOST/t' };
  expect((await read({ ...others, '/robots.txt': file }, { path: '/robots.txt' })).urls).toEqual(urls);
});

test('the pages of production are audited on the host of its preview, also those of an index', async () => {
  const files = {
    '/sitemap.xml': index('https://www.example.com/a.xml', 'https://cdn.example.net/b.xml'),
    '/a.xml': urlset('https://example.com//x?y=1#z', 'https://www.example.com/b'),
    '/b.xml': urlset('https://other.example/c'),
  };
  const all = await read(files, { moved: 'all' });
  expect(all.urls).toEqual(['//x?y=1', '/b', '/c']);
  expect(all.notes).toBe(
    'The pages of www.example.com, example.com, cdn.example.net are audited under the same paths on HERE.',
  );
  const one = await read(files, { moved: 'example.com' });
  expect([one.urls, one.notes]).toEqual([
    ['//x?y=1', '/b'],
    expect.stringContaining('Left out: 1 URL of cdn.example.net'),
  ]);
  const none = await read({ '/sitemap.xml': files['/a.xml'] });
  expect([none.urls, none.notes]).toEqual([
    [],
    expect.stringMatching(/names no page to audit.*use --sitemap-host same\./),
  ]);
});

test('an index that names itself, or the same file again, ends', async () => {
  const files = {
    '/sitemap.xml': index('HOST/sitemap.xml', 'HOST/a.xml', 'HOST/a.xml#again', 'HOST/moved.xml'),
    '/a.xml': index('HOST/sitemap.xml', 'HOST/b.xml'),
    '/b.xml': urlset('/page'),
    '/moved.xml': (response: ServerResponse) => response.writeHead(301, { location: '/moved.xml' }).end(),
  };
  const { urls, notes, requests } = await read(files);
  expect([urls, notes]).toEqual([['/page'], 'Left out: /moved.xml redirects more than 5 times.']);
  expect(requests.filter((url) => url !== '/moved.xml')).toEqual(['/sitemap.xml', '/a.xml', '/b.xml']);
});

const bomb = `<!DOCTYPE urlset [<!ENTITY a "${'x'.repeat(1000)}">${Array.from('bcdefgh', (name, i) => `<!ENTITY ${name} "${`&${'abcdefg'[i]};`.repeat(100)}">`).join('')}]>
<urlset><url><loc>&h;</loc></url></urlset>`;
const spaces = Buffer.alloc(64 * 1024, ' ');

test.each([
  ['an entity bomb', bomb, /has a DOCTYPE/],
  ['an external entity', '<!DOCTYPE x SYSTEM "file:///etc/passwd"><urlset/>', /has a DOCTYPE/],
  [
    'an unknown entity',
    '<urlset><url><loc>/&own;</loc></url></urlset>',
    /line 1, column \d+: Invalid character entity\./,
  ],
  ['a web page', '<html><head></head></html>', /is no sitemap\. Its first element is <html>\./],
  ['JSON', '{"urls":[]}', /is no valid XML/],
  ['nothing', '', /is empty or no XML/],
  ['half a sitemap', '<urlset><url><loc>/a', /is no valid XML in line 1, column 21: Unclosed root tag/],
  ['no page', '<urlset/>', /names no page to audit/],
  ['deep elements', `<urlset>${'<a>'.repeat(100_000)}`, /more than 16 deep/],
  ['many attributes', `<urlset ${Array.from({ length: 100 }, (_, i) => `a${i}=""`).join(' ')}/>`, /64 attributes/],
  ['a long comment', `<urlset><!--${spaces}${spaces}--></urlset>`, /Max buffer length exceeded/],
  ['a large file', `<urlset>${spaces}${spaces}${spaces}`, /is larger than a sitemap may be/],
  ['a gzip bomb', gzipSync(Buffer.alloc(20 * 2 ** 20, ' ')), /is larger than a sitemap may be/],
  ['broken gzip', gzipSync(urlset('/a')).subarray(0, 20), /can't be read \(Z_BUF_ERROR\)/],
  ['a robots.txt without a sitemap', 'User-agent: *\nDisallow: /x', /is a robots\.txt that names no sitemap\./],
  ['blank lines only', `${'\n'.repeat(100_000)}x`, /is no valid XML/],
  ['a list with an endless line', `https://a.example/${'x'.repeat(70_000)}`, /has a line that is too long/],
  ['a refusal', (response: ServerResponse) => response.writeHead(403).end(), /answered 403/],
] as const)('%s is an error that says so', async (_, file, message) => {
  const { urls, notes } = await read({ '/sitemap.xml': file }, { limits: { fileBytes: 150_000 } });
  expect([urls, notes]).toEqual([[], expect.stringMatching(message)]);
  expect(notes.length).toBeLessThan(300);
});

test('a silent host ends with the time limit', async () => {
  const { notes } = await read({ '/sitemap.xml': () => {} }, { limits: { seconds: 0.1 } });
  expect(notes).toContain('/sitemap.xml was not read within 0.1 s.');
});

test('the files of an index are bounded in number, depth and bytes', async () => {
  const many = Array.from({ length: 10 }, (_, i) => `HOST/${i}.xml`);
  const files = Object.fromEntries(many.map((url) => [url.slice(4), urlset()]));
  const bounded = (limits: object) => read({ ...files, '/sitemap.xml': index(...many) }, { limits });
  expect((await bounded({ files: 4 })).notes).toContain('The sitemap has more than 4 files.');
  expect((await bounded({ bytes: 600 })).notes).toContain('is larger than a sitemap may be');
  const deep = Object.fromEntries(many.map((_, i) => [`/${i}.xml`, index(`HOST/${i + 1}.xml`)]));
  expect((await read({ ...deep, '/sitemap.xml': index('HOST/0.xml') })).notes).toContain(
    '/2.xml is in too many indexes',
  );
});
