import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';

/** One state of the site. A recording compares two states that differ in one field. */
export type SiteState = {
  /** Time of the script `/chat.…js` on the main thread, in milliseconds. */
  chatMs?: number;
  heroSide?: number;
  font?: 'swap' | 'block';
  tagDelayMs?: number;
  withoutLabel?: boolean;
  withoutDescription?: boolean;
  banner?: boolean;
  lateNotice?: boolean;
  withoutCaching?: boolean;
  redirects?: number;
  theme?: boolean;
  documentDelayMs?: number;
  /** The hash in the file names. A new build changes it, and the files stay the same. */
  build?: string;
};

/** Each pair of states has one known cause. The sentence must match `names`. */
export const knownCauses: Record<string, { before?: SiteState; after: SiteState; names: RegExp }> = {
  'a script added': {
    after: { chatMs: 500 },
    names: /new script \/chat\.1a2b3c4d\.js keeps the main thread busy for \d/,
  },
  'an image larger': { after: { heroSide: 560 }, names: /image \/hero\.png is 802 KiB larger/ },
  'a font blocking': {
    before: { font: 'swap', heroSide: 0 },
    after: { font: 'block', heroSide: 0 },
    names: /font \/font\.ttf hides text/,
  },
  'a third party slow': {
    after: { tagDelayMs: 2000 },
    names: /third-party render-blocking script localhost:8001\/tag\.js takes 2\.\d s instead of/,
  },
  'a label gone': {
    after: { withoutLabel: true },
    names: /“Form elements do not have associated labels” fails now \(input#mail\)/,
  },
  'another LCP element': { after: { banner: true }, names: /the LCP element is now img\.banner instead of p/ },
  'a cache header gone': {
    after: { withoutCaching: true },
    names: /the cache lifetime of \/plain\.1a2b3c4d\.css and \/hero\.png is gone/,
  },
  'a redirect more': { after: { redirects: 1 }, names: /1 redirect instead of 0/ },
  'a blocking stylesheet': { after: { theme: true }, names: /new render-blocking stylesheet \/theme\.css \(258 KiB\)/ },
  'a slower server': { after: { documentDelayMs: 2000 }, names: /the server responds in 2\.\d s instead of \d+ ms/ },
  'a notice that shifts the page': {
    after: { lateNotice: true },
    names: /CLS is 0\.\d+ higher \(−\d+ points\): body moves/,
  },
  'a description gone': {
    after: { withoutDescription: true },
    names: /“Document does not have a meta description” fails now/,
  },
  'a new build': { after: { build: '9d8c7b6a' }, names: /^(?!.*plain)/ },
};

/** Serves the site on 127.0.0.1, and its third party on `localhost`, which is another host to a browser. */
export const serveChangingSite = async () => {
  let state: SiteState = {};
  const tags = await listen(async (_request, response) => {
    await sleep(state.tagDelayMs ?? 0);
    response.writeHead(200, { ...typeOf('x.js'), 'cache-control': 'max-age=31536000' }).end('window.tagged = true;');
  });
  const site = await listen(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const hops = state.redirects ?? 0;
    if (pathname === '/' && hops > 0) return void response.writeHead(302, { location: '/home' }).end();
    if (pathname === '/' || pathname === '/home') {
      await sleep(state.documentDelayMs ?? 0);
      return void response
        .writeHead(200, typeOf('x.html'))
        .end(documentOf(state, `http://localhost:${tags.port}/tag.js`));
    }
    const body = fileOf(pathname, state);
    if (!body) return void response.writeHead(404, typeOf('x.txt')).end('not found');
    const caching = state.withoutCaching ? {} : { 'cache-control': 'max-age=31536000' };
    response.writeHead(200, { ...typeOf(pathname), ...caching }).end(body);
  });
  return {
    url: `http://127.0.0.1:${site.port}/`,
    show: (next: SiteState) => {
      state = next;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([site.close(), tags.close()]);
    },
  };
};

const listen = async (listener: RequestListener) => {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, close };
};

const documentOf = (state: SiteState, tag: string): string => {
  const build = state.build ?? '1a2b3c4d';
  const field = '<input type="email" name="mail" id="mail">';
  const { heroSide = 200 } = state;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>A site that changes</title>
${state.withoutDescription ? '' : '<meta name="description" content="A site for recordings">'}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/plain.${build}.css">
${state.theme ? '<link rel="stylesheet" href="/theme.css">' : ''}
<script src="${tag}"></script>
${state.chatMs ? `<script src="/chat.${build}.js?v=7" defer></script>` : ''}
${state.lateNotice ? '<script src="/notice.js" defer></script>' : ''}
</head>
<body>
${state.banner ? '<img class="banner" src="/banner.png" alt="A banner" width="380" height="400">' : ''}
<h1>A site that changes in one thing</h1>
${heroSide > 0 ? '<img class="hero" src="/hero.png" alt="A hero" width="340" height="260">' : ''}
<form>${state.withoutLabel ? field : `<label for="mail">Mail address</label>${field}`}</form>
<p>${'This text fills the page, as texts do. '.repeat(8)}</p>
</body>
</html>`;
};

const fileOf = (path: string, state: SiteState): string | Buffer | undefined => {
  if (path.startsWith('/plain.')) return stylesOf(state);
  if (path === '/theme.css') return `/* ${'a theme of many rules '.repeat(12_000)} */`;
  if (path.startsWith('/chat.')) return busyScript(state.chatMs ?? 0);
  if (path === '/notice.js') return lateNotice;
  if (path === '/font.ttf') return font();
  if (path === '/hero.png') return noise(state.heroSide ?? 200);
  if (path === '/banner.png') return noise(300);
  return undefined;
};

const stylesOf = ({ font: display }: SiteState): string =>
  [
    'body { margin: 16px; font: 20px sans-serif; color: #222 } img { display: block } input { min-height: 48px }',
    ...(display ? [`@font-face { font-family: Ours; src: url(/font.ttf); font-display: ${display} }`] : []),
    ...(display ? ['body { font-family: Ours, sans-serif }'] : []),
  ].join('\n');

const busyScript = (ms: number) =>
  `function chat() { const end = performance.now() + ${ms}; while (performance.now() < end); }\nchat();\n`;

const lateNotice = `setTimeout(() => {
  const notice = document.createElement('div');
  notice.id = 'notice';
  notice.style.height = '300px';
  notice.textContent = 'A notice';
  document.body.prepend(notice);
}, 400);
`;

const font = () => readFileSync(createRequire(import.meta.url).resolve('katex/dist/fonts/KaTeX_Main-Regular.ttf'));

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
  png: 'image/png',
  ttf: 'font/ttf',
  txt: 'text/plain',
};
const typeOf = (path: string) => ({ 'content-type': types[path.split('.').at(-1) ?? ''] ?? 'text/plain' });

/** Returns a PNG image of noise. Its size in bytes is about three times the square of its side. */
const noise = (side: number): Buffer => {
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed & 255;
  };
  const row = () => Buffer.from([0, ...Array.from({ length: side * 3 }, random)]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const data = deflateSync(Buffer.concat(Array.from({ length: side }, row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
};

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type), data]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([size, named, sum]);
};
