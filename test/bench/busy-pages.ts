/*
 * Pages whose main thread does one kind of work, always as much of it. A phone is slower than any host, so each page has its
 * work after its first paint, except for `xhr`, which can't paint before.
 */
export const work = `const work = (ms) => {
  let sum = 0;
  for (let i = 0; i < ms * 4e5; i++) sum += Math.sqrt(i % 1000);
  return sum;
};`;

/** Scripts by page. The number of milliseconds is that of a processor of 2026. */
const scripts = {
  task20: `${work} work(20);`,
  task250: `${work} work(250);`,
  tasks: `${work} let left = 10; const next = () => { work(40); if (--left > 0) setTimeout(next, 5); }; next();`,
  xhr: `const request = new XMLHttpRequest();
    request.open('GET', 'answer.json?waitMs=300', false);
    request.send();`,
  readback: `const canvas = Object.assign(document.createElement('canvas'), { width: 1024, height: 1024 });
    const context = canvas.getContext('2d');
    for (let i = 0; i < 12; i++) {
      for (let j = 0; j < 400; j++) {
        context.fillStyle = 'hsl(' + 7 * (i + j) + ' 80% 50%)';
        context.beginPath();
        context.arc((37 * j) % 1024, (61 * j) % 1024, 60, 0, 7);
        context.fill();
      }
      context.getImageData(0, 0, 1024, 1024);
    }`,
  lock: `for (let i = 0; i < 400; i++) {
      document.cookie = 'turn=' + i;
      if (!document.cookie.includes(i)) throw new Error('The cookie is missing.');
    }`,
} as const;

/** The pages that are audited beside other programs, each with its kind. */
export const busyPages = {
  task20: 'a script of 20 ms',
  task250: 'a script of 250 ms',
  tasks: 'ten tasks of 40 ms',
  app: 'a single-page application',
  images: 'a landing page with photographs',
  xhr: 'a synchronous request before the first paint, answered after 300 ms',
  readback: 'a canvas that is read back twelve times',
  lock: '400 cookies, each of which blocks the page until another process has stored it',
} as const;
export type BusyPage = keyof typeof busyPages;
export const busyPageNames = Object.keys(busyPages) as BusyPage[];

/** Returns the files of the pages that no other benchmark has. */
export const busyFiles = (): [path: string, text: string][] =>
  Object.entries(scripts).flatMap(([name, script]) => {
    const isFirst = name === 'xhr';
    const load = `const load = () => document.body.append(Object.assign(document.createElement('script'), { src: 'work.js' }));
      setTimeout(load, 1000);`;
    return [
      [
        `/${name}/index.html`,
        htmlOf(name as BusyPage, isFirst ? '<script src="work.js"></script>' : '', isFirst ? '' : load),
      ],
      [`/${name}/work.js`, script],
      [`/${name}/answer.json`, '{}'],
    ];
  });

const htmlOf = (name: BusyPage, head: string, script: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta name="description" content="A page with work">
    <title>${busyPages[name]}</title>
    <link rel="icon" href="data:,">
    ${head}
  </head>
  <body>
    <h1>${busyPages[name]}</h1>
    <script>${script}</script>
  </body>
</html>
`;
