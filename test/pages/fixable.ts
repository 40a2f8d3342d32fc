import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';

type Body = { type: string; body: string | Buffer };
type Page = { before: Record<string, Body>; after: Record<string, Body> };

const html = (head: string, body: string): Body => ({
  type: 'text/html; charset=utf-8',
  body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page with one clear fault</title>
<meta name="viewport" content="width=device-width"><meta name="description" content="A page for tests.">
<link rel="icon" href="data:,">${head}</head><body><main><h1>A page with one clear fault</h1>${body}</main></body></html>`,
});

/** Returns bytes that no compression makes smaller, the same each time. */
const noise = (length: number): Buffer => {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, i) => createHash('sha256').update(`${i}`).digest());
  return Buffer.concat(blocks).subarray(0, length);
};

/** Returns a script that its page uses as a whole: a text without blanks, so that nothing is to be minified. */
const script = (name: string, bytes: number): Body => ({
  type: 'text/javascript',
  body: `self.${name}="${noise((bytes * 3) / 4).toString('base64')}"`,
});

/** Returns a picture of noise, with 8 bits for each pixel. */
const picture = (width: number, height: number): Body => {
  const pixels = noise(width * height);
  const rows = Array.from({ length: height }, (_, y) => [
    Buffer.of(0),
    pixels.subarray(y * width, (y + 1) * width),
  ]).flat();
  const chunk = (type: string, data: Buffer) => {
    const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(content), 4);
    return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8); // 8 bits of grey
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return { type: 'image/png', body: Buffer.concat([signature, ...chunks]) };
};

const image = '<img src="picture.png" alt="Noise" width="300" height="200">';
const scripts = (attribute: string) =>
  ['a', 'b', 'c'].map((name) => `<script ${attribute} src="${name}.js"></script>`).join('');
const scriptFiles = { 'a.js': script('a', 300_000), 'b.js': script('b', 300_000), 'c.js': script('c', 300_000) };
/** Returns a script that keeps the main thread busy three times, after the first paint. */
const busyFor = (ms: number): Body => ({
  type: 'text/javascript',
  body: `const work=()=>{const end=performance.now()+${ms};while(performance.now()<end);};
addEventListener('load',()=>{for(const delay of [300,400,500])setTimeout(work,delay)})`,
});
const banner = (reserved: string) =>
  html(
    '<style>.banner{height:300px;background:#ccc}</style>',
    `<div id="place"${reserved}></div><p>${'Some text that moves. '.repeat(60)}</p>
<script>setTimeout(()=>{place.innerHTML='<div class="banner">A banner</div>'},400)</script>`,
  );
const form = (alt: string) =>
  html(
    '',
    `${'<img src="picture.png" width="30" height="20">'.repeat(7).replaceAll('<img', `<img${alt}`)}<form><input name="a"></form>`,
  );

/** Pages with one clear fault each, and the same pages after its repair. */
export const fixablePages = {
  /** The picture has nine times the pixels that the screen shows. */
  image: {
    before: { '': html('', image), 'picture.png': picture(1575, 1050) },
    after: { '': html('', image), 'picture.png': picture(525, 350) },
  },
  /** Scripts in the head delay the first paint. */
  blocking: {
    before: { '': html(scripts(''), '<p>Text</p>'), ...scriptFiles },
    after: { '': html(scripts('defer'), '<p>Text</p>'), ...scriptFiles },
  },
  /** A script keeps the main thread busy. */
  busy: {
    before: { '': html('', '<p>Text</p><script defer src="busy.js"></script>'), 'busy.js': busyFor(200) },
    after: { '': html('', '<p>Text</p><script defer src="busy.js"></script>'), 'busy.js': busyFor(1) },
  },
  /** A banner comes late and moves the text. */
  shift: { before: { '': banner('') }, after: { '': banner(' style="min-height:300px"') } },
  /** Pictures without a text, and a field without a label. */
  alternative: {
    before: { '': form(''), 'picture.png': picture(52, 35) },
    after: { '': form(' alt="Noise"'), 'picture.png': picture(52, 35) },
  },
} as const satisfies Record<string, Page>;

export type FixablePage = keyof typeof fixablePages;

/** Serves the pages on loopback, for example at `/image/before/`. */
export const serveFixablePages = async () => {
  const server = createServer((request, response) => {
    const [, name = '', state = '', file = ''] = (request.url ?? '').split('/');
    const page: Page | undefined = fixablePages[name as FixablePage];
    const found = page?.[state as keyof Page]?.[file];
    if (!found) return response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    const caching = file === '' ? 'no-cache' : 'max-age=31536000, immutable';
    return response.writeHead(200, { 'content-type': found.type, 'cache-control': caching }).end(found.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (name: FixablePage, state: keyof Page) => `http://127.0.0.1:${port}/${name}/${state}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
