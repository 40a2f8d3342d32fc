import { crc32, deflateSync } from 'node:zlib';
import { work } from './busy-pages.ts';

/** Pages that differ from `shop` in one thing each, and what proves that it was found. */
export const changes = {
  same: { title: 'nothing', metrics: [], names: '' },
  script: { title: 'a script works 100 ms longer', metrics: ['tbt'], names: 'app.js' },
  image: { title: 'an image has 300 KB more', metrics: ['bytes', 'lcp'], names: 'hero.png' },
  handler: { title: 'a handler works 100 ms longer', metrics: ['interactions:search:inp'], names: 'handler.js' },
  party: { title: 'a third party works 200 ms', metrics: ['tbt'], names: 'tag.js' },
} as const;
export type ChangeName = keyof typeof changes;
export const changeNames = Object.keys(changes) as ChangeName[];

/** Width and height of the pictures, in pixels. A pixel of noise has 3 bytes. */
const SMALL = 100;
const LARGE = 332;

/** Changes whose trials measure an interaction too. */
export const withInteractions: readonly ChangeName[] = ['same', 'handler'];
export const searchInteraction = { name: 'search', steps: [{ click: '#search' }] };

/** Returns the files of `shop` and of the pages that differ from it. */
export const changedFiles = (): [path: string, body: string | Buffer][] =>
  ['shop', ...changeNames].flatMap((name): [string, string | Buffer][] => [
    [`/changed/${name}/index.html`, htmlWith(name === 'party')],
    [`/changed/${name}/app.js`, `{ ${work} work(${name === 'script' ? 250 : 150}); }`],
    [`/changed/${name}/handler.js`, handlerWith(name === 'handler' ? 150 : 50)],
    [`/changed/${name}/tag.js`, `{ ${work} work(200); }`],
    [`/changed/${name}/hero.png`, pngOf(name === 'image' ? LARGE : SMALL)],
  ]);

const handlerWith = (ms: number): string =>
  `{ ${work} document.querySelector('#search').onclick = function onSearch() { work(${ms}); this.textContent += '.'; }; }`;

/** The host of the third party is another name of the site's own. */
const htmlWith = (hasParty: boolean) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta name="description" content="A shop">
    <title>A shop</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <h1>A shop</h1>
    <img src="hero.png" alt="A shop" width="360" height="360">
    <button type="button" id="search">Search</button>
    <script src="handler.js"></script>
    <script>
      const load = (src) => document.body.append(Object.assign(document.createElement('script'), { src }));
      setTimeout(() => load('app.js'), 1000);
      ${hasParty ? "setTimeout(() => load('//localhost:' + location.port + location.pathname + 'tag.js'), 1500);" : ''}
    </script>
  </body>
</html>
`;

/** Returns a picture of noise, always the same, which no compression makes smaller. */
const pngOf = (size: number): Buffer => {
  let state = 1;
  const noise = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
  const row = () => Buffer.from([0, ...Array.from({ length: 3 * size }, noise)]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2], 8); // 8 bits a colour, three colours
  const data = deflateSync(Buffer.concat(Array.from({ length: size }, row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, part('IHDR', header), part('IDAT', data), part('IEND', Buffer.alloc(0))]);
};

const part = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};
