import { afterLoad, good, html, redirect } from '../../support/hostile-server.ts';
import type { ReportedPage } from '../../support/reported-page.ts';

/** A busy machine may measure a page only after it has left. */
const LEFT = /navigated to \S+\/other while it was being audited|was redirected to \S+\/other/;
/** Long after the load, and surely within the audit: each version observes a page for two seconds after its load. */
const LATER_MS = 1500;
/** On a busy machine the page may leave at the moment of the second visit, which then can't be audited. */
const AT_REST = 'unless busy';
const speculates = (how: 'prefetch' | 'prerender') =>
  html(
    good({
      head: `<script type="speculationrules">{"${how}":[{"source":"list","urls":["other"],"eagerness":"immediate"}]}</script>
<script>onload = () => setTimeout(() => { location = 'other' }, ${LATER_MS})</script>`,
    }),
  );
const RELOADED = /reloaded itself (while it was being audited|before it was measured)/;

/** Pages that go elsewhere by themselves. */
export const leaving: Record<string, ReportedPage> = {
  'bot-check': {
    is: 'a 503 response that sets a cookie and reloads itself into a 200 response',
    verdicts: ['http-error'],
    message: /status 503\. The page then reloaded itself\./,
    serve: (visit) =>
      /seen=1/.test(visit.request.headers.cookie ?? '')
        ? html()(visit)
        : html(good({ head: '<script>document.cookie = "seen=1"; location.reload()</script>' }), {}, 503)(visit),
  },
  'refresh-meta-1s': {
    is: 'a page that refreshes to another page after 1 s',
    verdicts: ['succeeded'],
    finalUrl: /\/other$/,
    warning: /refresh-meta-1s\/\d+\/\) was redirected to \S+\/other\./,
    serve: html(good({ head: '<meta http-equiv="refresh" content="1;url=other">' })),
    files: { other: html() },
  },
  'refresh-header-0': {
    is: 'a page whose Refresh header leads to another page at once',
    verdicts: ['succeeded'],
    finalUrl: /\/other$/,
    warning: /refresh-header-0\/\d+\/\) was redirected to \S+\/other\./,
    serve: html(good(), { refresh: '0; url=other' }),
    files: { other: html() },
  },
  ...Object.fromEntries(
    [500, LATER_MS, 3500, 6000].map((ms): [string, ReportedPage] => [
      `leaves-after-${ms}`,
      {
        is: `a page that goes elsewhere ${ms} ms after load`,
        verdicts: ['succeeded'],
        ...(ms <= LATER_MS && { warning: LEFT }), // a fast audit is over soon after
        whole: AT_REST,
        ...(ms === LATER_MS && { atBusyTimes: true }),
        serve: afterLoad(ms, 'location = "other"'),
        files: { other: html(good({ body: '<p>The other page.</p>' })) },
      },
    ]),
  ),
  'leaves-for-prefetched': {
    is: 'a page that goes to a prefetched page after 1.5 s',
    verdicts: ['succeeded'],
    warning: LEFT,
    whole: AT_REST,
    serve: speculates('prefetch'),
    files: { other: html(good({ body: '<p>The other page.</p>' })) },
  },
  'leaves-for-prerendered': {
    is: 'a page that goes to a prerendered page after 1.5 s',
    verdicts: ['succeeded'],
    warning: LEFT,
    whole: AT_REST,
    serve: speculates('prerender'),
    files: { other: html(good({ body: '<p>The other page.</p>' })) },
  },
  'reloads-on-resize': {
    is: 'a page that reloads itself whenever its window changes its size',
    verdicts: ['succeeded'],
    attempts: 1,
    warning: RELOADED,
    never: /hung|stopped responding/,
    serve: html(
      good({
        head: '<script>onresize = () => location.reload()</script>',
        body: '<div style="height: 3000px">A long page.</div>',
      }),
    ),
  },
  'downloads-late': {
    is: 'a page that starts a download after 1.5 s',
    verdicts: ['succeeded'],
    never: /navigated|redirected/,
    whole: true,
    serve: afterLoad(LATER_MS, 'location = "file"'),
    files: { file: ({ response }) => response.writeHead(200, { 'content-disposition': 'attachment' }).end('saved') },
  },
  'leaves-by-form': {
    is: 'a form that submits itself after 1.5 s',
    verdicts: ['succeeded'],
    warning: LEFT,
    whole: AT_REST,
    serve: html(
      good({
        body: `<form id="form" method="post" action="other"></form>
<script>onload = () => setTimeout(() => form.submit(), ${LATER_MS})</script>`,
      }),
    ),
    files: { other: html() },
  },
  'leaves-for-consent': {
    is: 'a page that asks its server for consent and goes to a consent page',
    verdicts: ['succeeded'],
    warning: LEFT,
    whole: true,
    serve: afterLoad(
      3000,
      `fetch('consent').then((answer) => answer.json()).then(({ given }) => { if (!given) location.assign('other') })`,
    ),
    files: {
      consent: ({ response }) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{ "given": false }'),
      other: html(),
    },
  },
  'reloads-once-later': {
    is: 'a page that reloads itself once after 1.5 s',
    verdicts: ['succeeded'],
    finalUrl: /reloads-once-later\/\d+\/$/,
    warning: RELOADED,
    whole: true,
    serve: afterLoad(LATER_MS, 'if (!sessionStorage.seen) { sessionStorage.seen = 1; location.reload() }'),
  },
  'reloads-once-soon': {
    is: 'a page that reloads itself once at load',
    verdicts: ['succeeded'],
    finalUrl: /reloads-once-soon\/\d+\/$/,
    warning: /reloaded itself before it was measured/,
    whole: true,
    serve: afterLoad(0, 'if (!sessionStorage.seen) { sessionStorage.seen = 1; location.reload() }'),
  },
  'leaves-again-and-again': {
    is: 'a page that reloads itself every 1.5 s',
    verdicts: ['succeeded'],
    warning: /reloaded itself/,
    whole: AT_REST,
    serve: html(good({ head: `<script>setInterval(() => location.reload(), ${LATER_MS})</script>` })),
  },
  'leaves-to-the-dead': {
    is: 'a page that goes to a server that never answers',
    verdicts: ['succeeded'],
    warning: LEFT,
    whole: true,
    serve: afterLoad(LATER_MS, 'location = "other"'),
    files: { other: () => {} },
  },
  'consent-302': {
    is: 'a redirect to a consent page that sets a cookie and sends back',
    verdicts: ['succeeded'],
    finalUrl: /consent-302\/\d+\/$/,
    serve: (visit) => (/consent=1/.test(visit.request.headers.cookie ?? '') ? html() : redirect('consent'))(visit),
    files: {
      consent: ({ response }) => response.writeHead(302, { location: './', 'set-cookie': 'consent=1; Path=/' }).end(),
    },
  },
  'service-worker': {
    is: 'a page that reloads itself once when its service worker takes over',
    verdicts: ['succeeded'],
    whole: true,
    serve: html(
      good({
        head: `<script>
          navigator.serviceWorker.register('worker.js');
          let reloaded = false;
          navigator.serviceWorker.addEventListener('controllerchange', () => {
            if (!reloaded) { reloaded = true; location.reload() }
          });
        </script>`,
      }),
    ),
    files: {
      'worker.js': ({ response }) =>
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(`
          oninstall = () => skipWaiting();
          onactivate = (event) => event.waitUntil(clients.claim());
          onfetch = (event) => event.respondWith(fetch(event.request));`),
    },
  },
  'service-worker-later': {
    is: 'a page that its service worker serves, and that reloads itself after 1.5 s',
    verdicts: ['succeeded'],
    warning: /reloaded itself/,
    whole: true,
    serve: html(
      good({
        head: `<script>
          navigator.serviceWorker.register('worker.js');
          onload = () => setTimeout(() => { if (!sessionStorage.seen) { sessionStorage.seen = 1; location.reload() } }, ${LATER_MS});
        </script>`,
      }),
    ),
    files: {
      'worker.js': ({ response }) =>
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(`
          oninstall = () => skipWaiting();
          onactivate = (event) => event.waitUntil(clients.claim());
          onfetch = (event) => event.respondWith(new Response('<h1>From the worker</h1>', { headers: { 'content-type': 'text/html' } }));`),
    },
  },
  'app-behind-404': {
    is: 'a 404 response with an app that redirects by script',
    verdicts: ['succeeded'],
    finalUrl: /\/app\?route$/,
    warning: /answered with status 404/,
    serve: html(good({ head: '<script>location.replace("app?route")</script>' }), {}, 404),
    files: { app: html() },
  },
  'opener-policy-swap': {
    is: 'a script that navigates to a page whose opener policy swaps the browsing context',
    verdicts: ['succeeded'],
    finalUrl: /\/other$/,
    serve: afterLoad(0, 'location = "other"'),
    files: {
      other: html(good(), {
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
      }),
    },
  },
};
