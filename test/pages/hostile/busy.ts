import { afterLoad, good, type HostilePage, html, type Serve, script } from '../../support/hostile-server.ts';

const busy = (ms: number) => `for (const start = performance.now(); performance.now() - start < ${ms}; );`;
/** A page that contains itself. Each level has its own URL, because browsers don't nest a URL in itself. */
const recursion =
  (element: (address: string) => string): Serve =>
  (visit) =>
    html(good({ body: element(`?${Number(visit.query) + 1}`) }))(visit);

const frames = (count: number) =>
  afterLoad(
    0,
    `for (let n = 0; n < ${count}; n++) document.body.appendChild(document.createElement('iframe')).remove()`,
  );
const framesItself = recursion((address) => `<iframe title="Itself" src="${address}"></iframe>`);
const nested =
  (levels: number): Serve =>
  (visit) =>
    Number(visit.query) < levels ? framesItself(visit) : html(good())(visit);

/** A page that paints, but has no text, image or video. */
const canvas = html(
  good().replace(
    /<main>.*<\/main>/s,
    '<canvas id="all"></canvas><script>all.getContext("2d").fillRect(0, 0, 200, 100)</script>',
  ),
);

/** A font that fails after 2.5 s. With `font-display: block`, Chromium hides the text for up to 3 s. */
const fontless: Serve = ({ response }) => setTimeout(() => response.writeHead(404).end(), 2500).unref();

/** Pages that keep the CPU, the network or the renderer busy. */
export const busyPages: Record<string, HostilePage> = {
  // Long tasks
  'spin-forever': { is: 'an endless script', verdicts: ['page-hung'], serve: script('for (;;);') },
  'spin-after-load': {
    is: 'an endless script that starts 1 s after load',
    verdicts: ['page-hung'],
    serve: afterLoad(1000, 'for (;;);'),
  },
  'spin-5s': { is: 'a script that runs for 5 s', verdicts: ['succeeded'], serve: script(busy(5000)) },
  'spin-20s': {
    is: 'a script that runs for 20 s',
    verdicts: ['page-hung', 'succeeded', 'no-content'],
    serve: script(busy(20_000)),
  },
  'spin-on-resize': {
    is: 'a script that never ends once the window is resized',
    verdicts: ['page-hung', 'succeeded'],
    serve: script('onresize = () => { for (;;); }'),
  },
  'busy-100': {
    is: 'a page that is busy for 95 of every 100 ms',
    verdicts: ['succeeded'],
    warning: /loaded, but was not idle/,
    serve: script(`setInterval(() => { ${busy(95)} }, 100)`),
  },
  'workers-50': {
    is: 'a page with 50 endless workers',
    alone: true,
    verdicts: ['succeeded'],
    serve: script(`
      const source = URL.createObjectURL(new Blob(['for (;;);']));
      for (let n = 0; n < 50; n++) new Worker(source);
    `),
  },
  'fake-fcp': {
    is: 'a page that starts its work 12 s after load',
    verdicts: ['succeeded'],
    serve: afterLoad(12_000, busy(4000)),
  },
  'crash-only-second-load': {
    is: 'a page that hangs on its second load in the same browser',
    alone: true,
    not9: true, // it loads a page once
    verdicts: ['succeeded', 'page-hung'],
    warning: /bf-cache|back/i,
    serve: script('if (sessionStorage.seen) for (;;); sessionStorage.seen = true'),
  },
  'good-for-one-visitor': {
    is: 'a page that hangs on every visit but the first',
    alone: true,
    not9: true, // it loads a page once
    verdicts: ['succeeded', 'page-hung'],
    warning: /bf-cache|back/i,
    // Uncacheable, so that the server receives the second visit.
    serve: (visit) =>
      html(good({ head: visit.nth > 1 ? '<script>for (;;);</script>' : '' }), { 'cache-control': 'no-store' })(visit),
  },

  // Dialogs, windows and permissions
  dialogs: {
    is: 'a page with alert, confirm, prompt and beforeunload dialogs',
    verdicts: ['succeeded'],
    serve: script(
      'alert(1); confirm(2); prompt(3); onbeforeunload = (event) => { event.preventDefault(); return "Stay" }',
    ),
  },
  'alert-forever': {
    is: 'a page that opens alerts without end',
    verdicts: ['page-hung'],
    serve: script('for (;;) alert(1)'),
  },
  'alert-once-loaded': {
    is: 'a page that opens alerts without end after load',
    verdicts: ['page-hung'],
    serve: script('onload = () => { for (;;) alert(1) }'),
  },
  'alert-fifty': {
    is: 'a good page that opens 50 alerts',
    verdicts: ['succeeded'],
    serve: script('for (let i = 0; i < 50; i++) alert(i)'),
  },
  'confirm-to-stay': {
    is: 'a page that stays only if its visitor confirms',
    verdicts: ['succeeded'],
    serve: html(good({ head: '<script>if (!confirm("Stay?")) location = "elsewhere"</script>' })),
    files: { elsewhere: html(good(), {}, 500) },
  },
  print: { is: 'a page that prints itself', verdicts: ['succeeded'], serve: script('print(); onload = () => print()') },
  'window-close': { is: 'a page that closes itself', verdicts: ['succeeded', 'no-content'], serve: script('close()') },
  popups: {
    is: 'a page that opens five windows',
    alone: true,
    verdicts: ['succeeded'],
    serve: script('for (let n = 0; n < 5; n++) open("popup?" + n)'),
    files: { popup: html() },
  },
  'popups-that-close': {
    is: 'a page that opens 30 windows and closes each at once',
    alone: true,
    verdicts: ['succeeded'],
    serve: script(`for (let n = 0; n < 30; n++) {
      const popup = open("popup?" + n);
      setTimeout(() => popup?.close(), 3 * n);
    }`),
    files: { popup: html() },
  },
  'dialog-modal': {
    is: 'a page with a modal dialog',
    verdicts: ['succeeded'],
    serve: html(good({ body: '<dialog id="box"><h2>A dialog</h2></dialog><script>box.showModal()</script>' })),
  },
  fullscreen: {
    is: 'a page that requests full screen',
    verdicts: ['succeeded'],
    serve: script('onload = () => document.documentElement.requestFullscreen().catch(() => {})'),
  },
  permissions: {
    is: 'a page that requests notifications, location, camera and MIDI',
    verdicts: ['succeeded'],
    serve: script(`onload = () => {
      Notification.requestPermission();
      navigator.geolocation.getCurrentPosition(() => {});
      navigator.mediaDevices.getUserMedia({ video: true }).catch(() => {});
      navigator.requestMIDIAccess().catch(() => {});
    }`),
  },

  // Network
  'fetch-forever': {
    is: 'a page that sends a request every 50 ms',
    verdicts: ['succeeded'],
    warning: /loaded, but was not idle/,
    serve: script('let n = 0; setInterval(() => fetch("data?" + n++).catch(() => {}), 50)'),
    files: { data: html('data') },
  },
  'fetch-hanging': {
    is: 'a page with four requests that are never answered',
    verdicts: ['succeeded'],
    serve: script('for (let n = 0; n < 4; n++) fetch("data?" + n)'),
    files: { data: () => {} },
  },
  'requests-2000': {
    is: 'a page with 2,000 images',
    alone: true,
    verdicts: ['succeeded'],
    serve: script(`onload = () => {
      for (let n = 0; n < 2000; n++) document.body.append(Object.assign(new Image(8, 8), { alt: '', src: 'dot?' + n }));
    }`),
    files: {
      dot: html(Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'), {
        'content-type': 'image/gif',
      }),
    },
  },
  websockets: {
    is: 'a page that opens a WebSocket every 100 ms',
    verdicts: ['succeeded'],
    serve: script(
      'setInterval(() => { const socket = new WebSocket("socket"); socket.onopen = () => socket.send("hello") }, 100)',
    ),
  },
  'websocket-flood': {
    is: 'a page with a WebSocket that receives data without end',
    verdicts: ['succeeded', 'page-too-large'],
    serve: script('new WebSocket("flood").binaryType = "arraybuffer"'),
  },
  'event-stream': {
    is: 'a page with an event stream that never ends',
    verdicts: ['succeeded'],
    serve: script('new EventSource("events")'),
    files: {
      events: ({ response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const timer = setInterval(() => response.write('data: event\n\n'), 100);
        response.on('close', () => clearInterval(timer));
      },
    },
  },
  'service-worker': {
    is: 'a page whose service worker answers every request',
    verdicts: ['succeeded'],
    serve: script('navigator.serviceWorker.register("worker.js")'),
    files: {
      'worker.js': html(
        'oninstall = () => skipWaiting(); onactivate = () => clients.claim(); onfetch = (event) => event.respondWith(fetch(event.request))',
        { 'content-type': 'text/javascript' },
      ),
    },
  },
  'preload-dead': {
    is: 'a page that preloads from a closed port',
    verdicts: ['succeeded'],
    serve: (visit) => {
      const dead = `http://127.0.0.2:${visit.request.socket.localPort}`; // the server listens on 127.0.0.1 only
      const head = `<link rel="preconnect" href="${dead}"><link rel="preload" as="script" href="${dead}/a.js"><link rel="stylesheet" href="${dead}/a.css">`;
      html(good({ head }))(visit);
    },
  },
  'private-link': {
    is: 'a page that embeds link-local, private and file addresses',
    verdicts: ['succeeded'],
    warning: /The service blocked \d+ request/,
    serve: html(
      good({
        body: `
          <img width="8" height="8" alt="" src="http://169.254.169.254/latest/meta-data/">
          <iframe title="A router" src="http://192.168.0.1/"></iframe>
          <script>for (const address of ['http://10.0.0.1/', 'http://[fd00:ec2::254]/', 'file:///etc/passwd']) fetch(address).catch(() => {})</script>`,
      }),
    ),
  },

  // Painting, layout shifts, console and trace
  'font-late': {
    is: 'a page whose text waits for a late font',
    common: true,
    verdicts: ['succeeded'],
    warningBefore: [12, /no first meaningful paint/],
    serve: html(
      good({
        head: `
          <style>
            @font-face { font-family: late; font-display: block; src: url(late) }
            @font-face { font-family: later; font-display: block; src: url(later) }
            p { font-family: late, later }
          </style>`,
        body: `<p>${'Nobody sees it yet. '.repeat(20)}</p>`,
      }),
    ),
    files: { late: fontless, later: fontless },
  },
  'style-never': {
    is: 'a page whose style sheet never arrives',
    verdicts: ['load-timeout'],
    serve: html(good({ head: '<link rel="stylesheet" href="style">' })),
    files: { style: () => {} },
  },
  'fade-in': {
    is: 'a page that fades in, for which Chromium reports no paint',
    verdicts: ['no-content', 'succeeded'],
    attempts: 1,
    serve: html(
      good({ head: '<style>@keyframes appear { from { opacity: 0 } } body { animation: appear 1s both }</style>' }),
    ),
  },
  'canvas-only': {
    is: 'a page that consists of a canvas',
    common: true,
    verdicts: ['no-content'],
    serve: canvas,
  },
  'canvas-for-seo': {
    is: 'a page that consists of a canvas, audited without performance',
    categories: ['accessibility', 'seo'],
    verdicts: ['succeeded'],
    serve: canvas,
  },
  'colours-of-today': {
    is: 'a page with colours that old contrast checks can not parse',
    common: true,
    verdicts: ['succeeded'],
    warningBefore: [10, /do not count: color-contrast/],
    serve: html(good({ head: '<style>p { color: oklch(50% .1 200) }</style>' })),
  },
  'animation-forever': {
    is: 'a page whose animation never ends',
    verdicts: ['succeeded'],
    serve: html(
      good({
        head: '<style>@keyframes turn { to { rotate: 1turn } } i { display: block; width: 9em; height: 9em; background: #06c; animation: turn 1s infinite }</style>',
        body: '<i></i>',
      }),
    ),
  },
  'shift-forever': {
    is: 'a page that shifts its layout in every frame',
    verdicts: ['succeeded'],
    serve: script(`
      let n = 0;
      const shift = () => { document.body.style.paddingTop = n++ % 2 * 200 + 'px'; requestAnimationFrame(shift) };
      onload = shift;
    `),
  },
  'lcp-forever': {
    is: 'a page that adds a larger paragraph every 100 ms',
    verdicts: ['succeeded'],
    serve: script(`
      let n = 16;
      const grow = () => {
        const text = Object.assign(document.createElement('p'), { textContent: 'Larger and larger' });
        text.style.fontSize = n++ + 'px';
        document.body.prepend(text);
      };
      setInterval(grow, 100);
    `),
  },
  'console-4000': {
    is: 'a page that logs 4,000 errors',
    verdicts: ['succeeded'],
    serve: script('for (let n = 0; n < 4000; n++) console.error("error " + n)'),
  },
  'console-big': {
    is: 'a page that logs 100 errors of a megabyte',
    verdicts: ['succeeded'],
    serve: script('for (let n = 0; n < 100; n++) console.error("x".repeat(1e6))'),
  },
  throws: {
    is: 'a page that throws an error',
    verdicts: ['succeeded'],
    serve: script('throw new Error("thrown by the page")'),
  },
  'trace-flood': {
    is: 'a page that makes 20,000 performance entries a second',
    alone: true,
    verdicts: ['succeeded'],
    serve: script(`
      const mark = () => { for (let n = 0; n < 1000; n++) { performance.mark('mark ' + n); performance.measure('measure ' + n) } };
      setInterval(mark, 100);
    `),
  },

  // Frames
  'iframe-recursion': {
    is: 'a page that frames itself',
    verdicts: ['page-too-large'],
    serve: framesItself,
  },
  'frames-1001': {
    is: 'a page that opens and closes 1,001 frames',
    verdicts: ['page-too-large'],
    serve: frames(1001),
  },
  'frames-600': {
    is: 'a page that opens and closes 600 frames on each load',
    verdicts: ['succeeded'],
    serve: frames(600),
  },
  'frames-900-in-turn': {
    is: 'a page that adds and writes a frame every 40 ms, 900 in all, and keeps the newest four',
    verdicts: ['succeeded'],
    serve: html(
      good({
        body: `<div id="box"></div><script>
          const add = (left) => {
            box.insertAdjacentHTML('beforeend', '<iframe title="One of many" width="9" height="9" src="about:blank"></iframe>');
            if (box.children.length > 4) box.firstChild.remove();
            const written = box.lastChild.contentDocument;
            written.write('<p>A frame</p>');
            written.close();
            if (left > 1) setTimeout(add, 40, left - 1);
          };
          add(900)</script>`,
      }),
    ),
  },
  'frames-nested-20': { is: 'a page of 20 nested frames', verdicts: ['succeeded'], serve: nested(20) },
  'frames-nested-40': {
    is: 'a page of 40 nested frames, too deep for the DevTools protocol',
    verdicts: ['page-too-large'],
    serve: nested(40),
  },
  'frames-nested-40-for-performance': {
    is: 'a page of 40 nested frames, audited for performance and accessibility',
    categories: ['performance', 'accessibility'],
    verdicts: ['succeeded'],
    serve: nested(40),
  },
  'object-recursion': {
    is: 'a page that embeds itself',
    verdicts: ['page-too-large'],
    serve: recursion((address) => `<object type="text/html" data="${address}">Itself</object>`),
  },
  'iframe-alternating-host': {
    is: 'a page that frames itself under another name of the same machine',
    verdicts: ['page-too-large'],
    serve: (visit) => {
      const { host = '' } = visit.request.headers;
      const other = host.startsWith('localhost')
        ? host.replace('localhost', '127.0.0.1')
        : host.replace('127.0.0.1', 'localhost');
      recursion(
        (address) =>
          `<iframe title="Itself" src="http://${other}${visit.request.url?.split('?')[0]}${address}"></iframe>`,
      )(visit);
    },
  },
};
