/** A page that changes when Lighthouse makes its window as tall as the page. */
type ResizingPage = {
  kind: string;
  script: string;
  style?: string;
  html?: string;
  /** True if the wait must last as long as Lighthouse's own. */
  isLong: boolean;
  /** True if two pictures of the page never are the same. */
  isMoving?: boolean;
};

const onSeen = (then: string) =>
  `new IntersectionObserver((entries) => { for (const { isIntersecting, target } of entries) if (isIntersecting) { ${then} } })
    .observe(document.querySelector('#end'));`;
const onResize = (ms: number) =>
  `let timer; addEventListener('resize', () => { clearTimeout(timer);
    timer = setTimeout(() => document.body.style.background = 'hsl(' + innerHeight % 360 + ' 90% 80%)', ${ms}); });`;

export const resizingPages = {
  still: { kind: 'nothing', script: '', isLong: false },
  redrawn: { kind: 'draws itself again 250 ms after `resize`', script: onResize(250), isLong: false },
  revealed: {
    kind: 'fades a section in when it is seen, after a delay',
    style: '#end { opacity: 0; transition: opacity 0.2s 0.25s } #end.seen { opacity: 1 }',
    script: onSeen("target.classList.add('seen')"),
    isLong: false,
  },
  'lazy-images': {
    kind: 'requests images when they are seen',
    html: Array.from(
      { length: 12 },
      (_, i) => `<img loading="lazy" alt="" width="300" height="300" src="/small/disc.svg?waitMs=300&n=${i}">`,
    ).join(''),
    script: '',
    isLong: true,
  },
  'lazy-frame': {
    kind: 'requests a frame when it is seen',
    html: '<iframe loading="lazy" title="" width="300" height="300" src="/small/?waitMs=400"></iframe>',
    script: '',
    isLong: true,
  },
  fetching: {
    kind: 'requests its last section when it is seen',
    script: onSeen(
      "fetch('/small/?waitMs=500').then((answer) => answer.text()).then((text) => target.textContent = text)",
    ),
    isLong: true,
  },
  polling: {
    kind: 'polls its server',
    script: "setInterval(() => fetch('/small/?n=' + Math.random()), 150);",
    isLong: true,
  },
  waiting: {
    kind: 'has a request that is never answered',
    script: "setTimeout(() => fetch('/small/?waitMs=60000'), 500);",
    isLong: true,
  },
  spinning: {
    kind: 'has an endless animation',
    style:
      '@keyframes turn { to { transform: rotate(360deg) } } #end { width: 9rem; animation: turn 2s linear infinite }',
    script: '',
    isLong: true,
    isMoving: true,
  },
  drawing: {
    kind: 'draws each frame of a canvas',
    html: '<canvas width="300" height="300"></canvas>',
    script: `const context = document.querySelector('canvas').getContext('2d'); let turn = 0;
      const draw = () => { context.fillStyle = 'hsl(' + turn++ % 360 + ' 90% 50%)'; context.fillRect(0, 0, 300, 300); requestAnimationFrame(draw); };
      draw();`,
    isLong: true,
    isMoving: true,
  },
} as const satisfies Record<string, ResizingPage>;
export type ResizingPageName = keyof typeof resizingPages;
export const resizingPageNames = Object.keys(resizingPages) as ResizingPageName[];

/** Returns the files of the pages. */
export const resizingFiles = (): [path: string, html: string][] =>
  resizingPageNames.map((name) => [`/${name}/index.html`, htmlOf(name)]);

/** Returns a page that is several times as tall as the window. */
const htmlOf = (name: ResizingPageName): string => {
  const { script, style = '', html = '' }: ResizingPage = resizingPages[name];
  const words = '<p>The same few words again, so that there is something to lay out.</p>'.repeat(100);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A tall page</title>
    <style>${style}</style>
  </head>
  <body>${words}${html}<p id="end">The end</p><script>${script}</script></body>
</html>
`;
};
