import { afterLoad, good, html, script } from '../../support/hostile-server.ts';
import type { ReportedPage } from '../../support/reported-page.ts';

/** Pages that are special by their content or their scripts. */
export const documents: Record<string, ReportedPage> = {
  'tall-200000': {
    is: 'a page of 200,000 px height',
    verdicts: ['succeeded'],
    serve: html(good({ body: '<div style="height: 200000px; background: linear-gradient(red, blue)"></div>' })),
  },
  'endless-feed': {
    is: 'a feed that grows whenever its end comes into view',
    verdicts: ['succeeded'],
    serve: html(
      good({
        body: `<div id="feed"></div><div id="end">The end</div><script>
          const grow = () => { for (let n = 0; n < 20; n++) feed.insertAdjacentHTML('beforeend', '<p style="height: 100px">One more entry.</p>') };
          new IntersectionObserver(([entry]) => { if (entry.isIntersecting) grow() }, { rootMargin: '500px' }).observe(end);
        </script>`,
      }),
    ),
  },
  'old-prototypes': {
    is: 'an old script library that extends the prototypes of arrays, strings and objects',
    verdicts: ['succeeded'],
    whole: true,
    serve: script(`
      Array.prototype.toJSON = function () { return '[' + Array.prototype.join.call(this, ', ') + ']' };
      String.prototype.toJSON = function () { return '"' + this + '"' };
      Object.prototype.each = function (visit) { for (const key in this) visit(this[key]) };
    `),
  },
  'old-natives': {
    is: 'an old script library that replaces Array.from and Function.prototype.bind',
    verdicts: ['succeeded'],
    whole: true,
    serve: script(`
      Array.from = (list) => { const all = []; for (let n = 0; n < list.length; n++) all.push(list[n]); return all };
      Function.prototype.bind = function (self) { const call = this; return function () { return call.apply(self, arguments) } };
    `),
  },
  'busy-worker': {
    is: 'a page whose worker keeps a core busy',
    verdicts: ['succeeded'],
    notContended: true,
    serve: script(`new Worker(URL.createObjectURL(new Blob(['for (;;);'])))`),
  },
  'hidden-3s': {
    is: 'a page that an experiment hides for 3 s',
    verdicts: ['succeeded'],
    observedFcpMs: 3000,
    serve: html(
      good({
        head: `<style>.hide { opacity: 0 !important }</style><script>
          document.documentElement.className = 'hide';
          setTimeout(() => { document.documentElement.className = '' }, 3000);
        </script>`,
      }),
    ),
  },
  'closed-shadow': {
    is: 'a page whose text is in a closed shadow root',
    verdicts: ['succeeded'],
    whole: true,
    serve: html(
      good({
        body: '<div id="host"></div><script>host.attachShadow({ mode: "closed" }).innerHTML = "<p>Text in the shadow.</p>"</script>',
      })
        .replace(/<h1>.*<\/h1>/, '')
        .replace(/<p>It has.*<\/p>/, ''),
    ),
  },
  'frozen-clocks': {
    is: 'a page whose test library freezes Date.now and performance.now',
    verdicts: ['succeeded'],
    whole: true,
    serve: script('const now = Date.now(); Date.now = () => now; performance.now = () => 1000'),
  },
  speculates: {
    is: 'a page with rules to prerender a 404 response and to prefetch twenty pages',
    verdicts: ['succeeded'],
    finalUrl: /speculates\/\d+\/$/,
    whole: true,
    serve: html(
      good({
        head: `<script type="speculationrules">${JSON.stringify({
          prerender: [{ source: 'list', urls: ['gone', 'other'], eagerness: 'immediate' }],
          prefetch: [
            { source: 'list', urls: Array.from({ length: 20 }, (_, i) => `other?${i}`), eagerness: 'immediate' },
          ],
        })}</script>`,
      }),
    ),
    files: { gone: html(good(), {}, 404), other: html(good({ body: '<p>The other page.</p>' })) },
  },
  'font-never': {
    is: 'a page whose web font never comes',
    verdicts: ['succeeded'],
    serve: html(
      good({
        head: `<style>@font-face { font-family: late; src: url(font) } body { font-family: late, sans-serif }</style>`,
      }),
    ),
    files: { font: () => {} },
  },
  'broken-promises': {
    is: 'a page whose promises never settle, and that keeps drawing',
    verdicts: ['page-hung'],
    serve: script(`
      const draw = () => { document.title = Math.random(); requestAnimationFrame(draw) };
      requestAnimationFrame(draw);
      const Native = Promise;
      Native.prototype.then = Native.prototype.catch = Native.prototype.finally = () => new Native(() => {});
      Promise = class extends Native { constructor() { super(() => {}) } };
    `),
  },
  'broken-promises-quiet': {
    is: 'a page whose promises never settle',
    verdicts: ['page-hung'],
    atBusyTimes: true,
    serve: script(`
      const Native = Promise;
      Native.prototype.then = Native.prototype.catch = Native.prototype.finally = () => new Native(() => {});
      Promise = class extends Native { constructor() { super(() => {}) } };
    `),
  },
  'leaves-nothing': {
    is: 'a page that goes to an address with a 204 response after load',
    verdicts: ['succeeded'],
    whole: true,
    serve: afterLoad(4000, 'location = "nothing"'),
    files: { nothing: ({ response }) => response.writeHead(204).end() },
  },
};
