import { afterLoad, type Case, good, html, script } from '../../support/hostile-server.ts';

const meta = (seconds: number, to: string) =>
  html(good({ head: `<meta http-equiv="refresh" content="${seconds};url=${to}">` }));

const speculates = (how: 'prefetch' | 'prerender') =>
  html(
    good({
      head: `<script type="speculationrules">{"${how}":[{"source":"list","urls":["good"],"eagerness":"immediate"}]}</script>
<script>onload = () => setTimeout(() => { location = 'good' }, 1500)</script>`,
    }),
  );

/** Pages that do not stay where they are. */
export const moves: Record<string, Case> = {
  // Without end
  'refresh-self-0': {
    is: 'a page that refreshes itself at once',
    verdicts: ['redirect-loop'],
    seconds: 40,
    serve: meta(0, '?'),
  },
  'refresh-chain': {
    is: 'two pages that refresh to each other',
    verdicts: ['redirect-loop'],
    seconds: 40,
    serve: meta(0, 'back'),
    files: { back: meta(0, './') },
  },
  'reload-loop': {
    is: 'a page that reloads at once',
    verdicts: ['redirect-loop'],
    seconds: 40,
    serve: script('location.reload()'),
  },
  'reload-loop-on-load': {
    is: 'a page that reloads 50 ms after its load',
    verdicts: ['redirect-loop'],
    seconds: 40,
    serve: afterLoad(50, 'location.reload()'),
  },
  'replace-counter': {
    is: 'a page that replaces itself by the next of its kind',
    verdicts: ['redirect-loop'],
    seconds: 40,
    serve: script('location.replace("?" + (Number(location.search.slice(1)) + 1))'),
  },
  'ping-pong-slow': {
    is: 'two pages that lead to each other after 800 ms',
    verdicts: ['redirect-loop'],
    seconds: 60,
    serve: afterLoad(800, 'location = "pong"'),
    files: { pong: afterLoad(800, 'location = "./"') },
  },
  'pushstate-loop': {
    is: 'a page that pushes a state every 10 ms',
    verdicts: ['succeeded'],
    serve: script('let n = 0; setInterval(() => history.pushState(0, "", "?" + n++), 10)'),
  },
  'hash-loop': {
    is: 'a page that changes its hash every 10 ms',
    verdicts: ['succeeded'],
    serve: script('let n = 0; setInterval(() => { location.hash = n++ }, 10)'),
  },

  // Once
  'refresh-once': {
    is: 'a page that refreshes to a good one',
    verdicts: ['succeeded'],
    common: true,
    serve: meta(0, 'good'),
    files: { good: html() },
  },
  'download-while-it-comes': {
    is: 'a page that asks for a file to save while its own document is still on its way',
    slow: true,
    verdicts: ['succeeded'],
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.write(good({ body: '<script>location = "file"</script>' }));
      setTimeout(() => response.end('<p>And that was all.</p>'), 3000).unref();
    },
    files: { file: ({ response }) => response.writeHead(200, { 'content-disposition': 'attachment' }).end('saved') },
  },
  'forbidden-once-known': {
    is: 'a good page that reloads itself, and is then forbidden',
    verdicts: ['http-error'],
    serve: (visit) =>
      visit.nth === 1 ? script('onload = () => location.reload()')(visit) : html(good(), {}, 403)(visit),
  },
  'forbidden-until-known': {
    is: 'a page that is forbidden, reloads itself, and is then good',
    verdicts: ['succeeded', 'http-error'],
    serve: (visit) =>
      visit.nth === 1
        ? html(good({ head: '<script>onload = () => location.reload()</script>' }), {}, 403)(visit)
        : html()(visit),
  },
  'form-post-once': {
    is: 'a page that posts a form, which gives a good page to nothing but a POST',
    verdicts: ['succeeded'],
    serve: html(good({ body: '<form id="form" method="post" action="posted"></form><script>form.submit()</script>' })),
    files: { posted: (visit) => html(good(), {}, visit.request.method === 'POST' ? 200 : 405)(visit) },
  },
  'moves-to-prefetched': {
    is: 'a page that leads to a good one, which it had the browser fetch before',
    verdicts: ['succeeded'],
    serve: speculates('prefetch'),
    files: { good: html() },
  },
  'moves-to-prerendered': {
    is: 'a page that leads to a good one, which it had the browser render before',
    verdicts: ['succeeded'],
    serve: speculates('prerender'),
    files: { good: html() },
  },
  'moves-after-5s': {
    is: 'a page that leads to a good one after 5 s',
    verdicts: ['succeeded'],
    serve: afterLoad(5000, 'location = "good"'),
    files: { good: html() },
  },
  'client-other-origin': {
    is: 'a script that leads to another origin of loopback',
    verdicts: ['forbidden-target'], // a check of loopback is held to its own
    early: true,
    serve: (visit) => script(`location.replace("${visit.otherOrigin}")`)(visit),
  },
  'client-to-dead': {
    is: 'a script that leads to a server that is gone',
    verdicts: ['unreachable'],
    early: true,
    ownServer: true,
    serve: (visit) => {
      visit.response.setHeader('connection', 'close');
      afterLoad(500, 'location = "gone"')(visit);
      visit.hangUp();
    },
  },
  'client-to-blob': {
    is: 'a script that leads to a blob',
    slow: true,
    verdicts: ['forbidden-target', 'no-content'],
    serve: script('location = URL.createObjectURL(new Blob(["<h1>A blob</h1>"], { type: "text/html" }))'),
  },
  'client-to-blank': {
    is: 'a script that leads to a blank page',
    slow: true,
    verdicts: ['no-content', 'forbidden-target'],
    serve: afterLoad(500, 'location = "about:blank"'),
  },
  'client-to-data': {
    is: 'a script that would lead to a data: address',
    verdicts: ['succeeded'],
    serve: script('location = "data:text/html,<h1>Data</h1>"'),
  },
  'client-to-crash': {
    is: 'a script that would lead to chrome://crash',
    verdicts: ['succeeded'],
    serve: script('location = "chrome://crash"'),
  },
  'client-to-file': {
    is: 'a script that would lead to a file of the machine',
    verdicts: ['succeeded'],
    serve: script('location = "file:///etc/passwd"'),
  },
  'client-to-mailto': {
    is: 'a script that would write a mail',
    verdicts: ['succeeded'],
    serve: afterLoad(0, 'location = "mailto:nobody@example.com"'),
  },
  'mailto-at-once': {
    is: 'a script that would write a mail before there is anything to see',
    slow: true,
    verdicts: ['no-content', 'load-timeout'], // Chromium reads no further
    serve: script('location = "mailto:nobody@example.com"'),
  },
  'download-navigation': {
    is: 'a script that leads to a download',
    verdicts: ['succeeded'],
    serve: afterLoad(0, 'location = "file"'),
    files: { file: html('a file', { 'content-disposition': 'attachment' }) },
  },
  'download-click': {
    is: 'a script that clicks on a download',
    verdicts: ['succeeded'],
    serve: html(good({ body: '<a id="file" href="file" download>A file</a><script>file.click()</script>' })),
    files: { file: html('a file') },
  },
  'javascript-link': {
    is: 'a link that rewrites the document, clicked at load',
    verdicts: ['succeeded'],
    serve: html(
      good({
        body: `<a id="link" href="javascript:'<h1>Rewritten</h1>'">A link</a><script>onload = () => link.click()</script>`,
      }),
    ),
  },
  'write-at-load': {
    is: 'a page that writes itself anew at load',
    verdicts: ['succeeded'],
    serve: script('onload = () => { document.write("<title>New</title><h1>Written anew</h1>"); document.close() }'),
  },
  'url-1mb-push': {
    is: 'a page that gives itself an address of a megabyte',
    verdicts: ['succeeded'],
    serve: script('history.replaceState(0, "", "?" + "x".repeat(1e6))'),
  },
};
