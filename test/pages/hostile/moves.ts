import { afterLoad, good, type HostilePage, html, script } from '../../support/hostile-server.ts';

const meta = (seconds: number, to: string) =>
  html(good({ head: `<meta http-equiv="refresh" content="${seconds};url=${to}">` }));

const speculates = (how: 'prefetch' | 'prerender') =>
  html(
    good({
      head: `<script type="speculationrules">{"${how}":[{"source":"list","urls":["good"],"eagerness":"immediate"}]}</script>
<script>onload = () => setTimeout(() => { location = 'good' }, 1500)</script>`,
    }),
  );

/** Pages that navigate. */
export const moves: Record<string, HostilePage> = {
  // Navigations without end
  'refresh-self-0': {
    is: 'a page that refreshes itself immediately',
    verdicts: ['redirect-loop'],
    early: true,
    serve: meta(0, '?'),
  },
  'refresh-chain': {
    is: 'two pages that refresh to each other',
    verdicts: ['redirect-loop'],
    early: true,
    serve: meta(0, 'back'),
    files: { back: meta(0, './') },
  },
  'reload-loop': {
    is: 'a page that reloads immediately',
    verdicts: ['redirect-loop'],
    early: true,
    serve: script('location.reload()'),
  },
  'reload-loop-on-load': {
    is: 'a page that reloads 50 ms after load',
    verdicts: ['redirect-loop'],
    early: true,
    serve: afterLoad(50, 'location.reload()'),
  },
  'replace-counter': {
    is: 'a page that replaces itself with the next number',
    verdicts: ['redirect-loop'],
    early: true,
    serve: script('location.replace("?" + (Number(location.search.slice(1)) + 1))'),
  },
  'ping-pong-slow': {
    is: 'two pages that navigate to each other after 800 ms',
    verdicts: ['redirect-loop'],
    early: 20,
    serve: afterLoad(800, 'location = "pong"'),
    files: { pong: afterLoad(800, 'location = "./"') },
  },
  'pushstate-loop': {
    is: 'a page that pushes a history state every 10 ms',
    verdicts: ['succeeded'],
    serve: script('let n = 0; setInterval(() => history.pushState(0, "", "?" + n++), 10)'),
  },
  'hash-loop': {
    is: 'a page that changes its hash every 10 ms',
    verdicts: ['succeeded'],
    serve: script('let n = 0; setInterval(() => { location.hash = n++ }, 10)'),
  },

  // Single navigations
  'refresh-once': {
    is: 'a page that refreshes to a good one',
    verdicts: ['succeeded'],
    common: true,
    serve: meta(0, 'good'),
    files: { good: html() },
  },
  'download-while-it-comes': {
    is: 'a page that starts a download before its own document has arrived',
    verdicts: ['succeeded'],
    serve: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.write(good({ body: '<script>location = "file"</script>' }));
      setTimeout(() => response.end('<p>And that was all.</p>'), 3000).unref();
    },
    files: { file: ({ response }) => response.writeHead(200, { 'content-disposition': 'attachment' }).end('saved') },
  },
  'forbidden-once-known': {
    is: 'a good page that reloads itself into a 403 response',
    verdicts: ['http-error'],
    serve: (visit) =>
      visit.nth === 1 ? script('onload = () => location.reload()')(visit) : html(good(), {}, 403)(visit),
  },
  'forbidden-until-known': {
    is: 'a 403 response that reloads itself into a good page',
    verdicts: ['succeeded', 'http-error'],
    serve: (visit) =>
      visit.nth === 1
        ? html(good({ head: '<script>onload = () => location.reload()</script>' }), {}, 403)(visit)
        : html()(visit),
  },
  'form-post-once': {
    is: 'a page that submits a form to a page that accepts only POST',
    verdicts: ['succeeded'],
    serve: html(good({ body: '<form id="form" method="post" action="posted"></form><script>form.submit()</script>' })),
    files: { posted: (visit) => html(good(), {}, visit.request.method === 'POST' ? 200 : 405)(visit) },
  },
  'moves-to-prefetched': {
    is: 'a page that navigates to a prefetched page',
    verdicts: ['succeeded'],
    serve: speculates('prefetch'),
    files: { good: html() },
  },
  'moves-to-prerendered': {
    is: 'a page that navigates to a prerendered page',
    verdicts: ['succeeded'],
    serve: speculates('prerender'),
    files: { good: html() },
  },
  'moves-after-5s': {
    is: 'a page that navigates to a good page after 5 s',
    verdicts: ['succeeded'],
    serve: afterLoad(5000, 'location = "good"'),
    files: { good: html() },
  },
  'client-other-origin': {
    is: 'a script that navigates to another loopback origin',
    verdicts: ['succeeded'],
    serve: (visit) => script(`location.replace("${visit.otherOrigin}")`)(visit),
  },
  'client-to-dead': {
    is: 'a script that navigates to a closed port',
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
    is: 'a script that navigates to a blob',
    verdicts: ['forbidden-target', 'no-content'],
    serve: script('location = URL.createObjectURL(new Blob(["<h1>A blob</h1>"], { type: "text/html" }))'),
  },
  'client-to-blank': {
    is: 'a script that navigates to about:blank',
    verdicts: ['no-content', 'forbidden-target'],
    serve: afterLoad(500, 'location = "about:blank"'),
  },
  'client-to-data': {
    is: 'a script that tries to navigate to a data: URL',
    verdicts: ['succeeded'],
    serve: script('location = "data:text/html,<h1>Data</h1>"'),
  },
  'client-to-crash': {
    is: 'a script that tries to navigate to chrome://crash',
    verdicts: ['succeeded'],
    serve: script('location = "chrome://crash"'),
  },
  'client-to-file': {
    is: 'a script that tries to navigate to a local file',
    verdicts: ['succeeded'],
    serve: script('location = "file:///etc/passwd"'),
  },
  'client-to-mailto': {
    is: 'a script that navigates to a mailto: URL after load',
    verdicts: ['succeeded'],
    serve: afterLoad(0, 'location = "mailto:nobody@example.com"'),
  },
  'mailto-at-once': {
    is: 'a script that navigates to a mailto: URL before the page has content',
    verdicts: ['no-content', 'load-timeout'], // Chromium stops parsing the page
    serve: script('location = "mailto:nobody@example.com"'),
  },
  'download-navigation': {
    is: 'a script that navigates to a download',
    verdicts: ['succeeded'],
    serve: afterLoad(0, 'location = "file"'),
    files: { file: html('a file', { 'content-disposition': 'attachment' }) },
  },
  'download-click': {
    is: 'a script that clicks a download link',
    verdicts: ['succeeded'],
    serve: html(good({ body: '<a id="file" href="file" download>A file</a><script>file.click()</script>' })),
    files: { file: html('a file') },
  },
  'javascript-link': {
    is: 'a javascript: link that replaces the document at load',
    verdicts: ['succeeded'],
    serve: html(
      good({
        body: `<a id="link" href="javascript:'<h1>Rewritten</h1>'">A link</a><script>onload = () => link.click()</script>`,
      }),
    ),
  },
  'write-at-load': {
    is: 'a page that rewrites its document at load',
    verdicts: ['succeeded'],
    serve: script('onload = () => { document.write("<title>New</title><h1>Written anew</h1>"); document.close() }'),
  },
  'url-1mb-push': {
    is: 'a page that sets a URL of 1 MB',
    verdicts: ['succeeded'],
    serve: script('history.replaceState(0, "", "?" + "x".repeat(1e6))'),
  },
};
