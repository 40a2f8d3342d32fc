import { afterLoad, good, type HostilePage, html, script } from '../../support/hostile-server.ts';

/** Returns an uncompressed image of about 15 MB. */
const bitmap = () => {
  const side = 2236;
  const bytes = Buffer.alloc(54 + side * side * 3, 0x80);
  bytes.fill(0, 0, 54);
  bytes.write('BM');
  for (const [at, value] of [
    [2, bytes.length],
    [10, 54],
    [14, 40],
    [18, side],
    [22, side],
  ] as const)
    bytes.writeUInt32LE(value, at);
  for (const [at, value] of [
    [26, 1],
    [28, 24],
  ] as const)
    bytes.writeUInt16LE(value, at);
  return bytes.toString('base64');
};

const deep = (levels: number) =>
  html(good({ body: `${'<div>'.repeat(levels)}The innermost${'</div>'.repeat(levels)}` }));

/** Pages whose document is large, deep, unusual or empty. */
export const documents: Record<string, HostilePage> = {
  // Size
  'dom-20000': {
    is: 'a page of 20,000 nodes',
    verdicts: ['succeeded'],
    serve: html(good({ body: '<i>x</i> '.repeat(20_000) })),
  },
  'dom-200000': {
    is: 'a page of 200,000 nodes',
    alone: true,
    not9: true, // its protocol times out, also in its command line
    verdicts: ['succeeded'], // if the machine checks its accessibility within the auditor's limit
    serve: html(good({ body: '<i>x</i> '.repeat(200_000) })),
  },
  'dom-append-forever': {
    is: 'a page that adds 1,000 nodes every 100 ms',
    alone: true, // beside other audits it has too many nodes when Lighthouse reads it
    verdicts: ['succeeded'],
    serve: script('setInterval(() => document.body.insertAdjacentHTML("beforeend", "<i>x</i> ".repeat(1000)), 100)'),
  },
  'dom-deep-100': { is: 'a page of 100 nested boxes', verdicts: ['succeeded'], serve: deep(100) },
  'dom-deep-200': {
    is: 'a page of 200 nested boxes, too deep for the DevTools protocol',
    verdicts: ['page-too-large'],
    serve: deep(200),
  },
  'dom-deep-200-for-performance': {
    is: 'a page of 200 nested boxes, audited for performance and accessibility',
    categories: ['performance', 'accessibility'],
    verdicts: ['succeeded'],
    serve: deep(200),
  },
  'dom-deep-5000': {
    is: 'a page of 5,000 nested boxes',
    verdicts: ['page-crashed'],
    attempts: 2, // a renderer may crash by chance
    serve: afterLoad(
      0,
      `
      let inner = document.body;
      for (let n = 0; n < 5000; n++) inner = inner.appendChild(document.createElement('div'));
      inner.textContent = 'The innermost';
    `,
    ),
  },
  'tall-1m-px': {
    is: 'a page 1,000,000 pixels high',
    verdicts: ['succeeded'],
    serve: html(good({ body: '<div style="height: 1000000px"></div>' })),
  },
  'wide-100k-px': {
    is: 'a page 100,000 pixels wide',
    verdicts: ['succeeded'],
    serve: html(good({ body: '<div style="width: 100000px; height: 1px"></div>' })),
  },
  'image-inline-15mb': {
    is: 'a page with an inline image of 15 MB',
    alone: true,
    verdicts: ['succeeded', 'page-too-large'],
    serve: (visit) =>
      html(good({ body: `<img width="100" height="100" alt="Grey" src="data:image/bmp;base64,${bitmap()}">` }))(visit),
  },
  'image-huge-dimensions': {
    is: 'a page with an image of 30,000 by 30,000 pixels',
    verdicts: ['succeeded'],
    serve: html(
      good({
        body: `<img alt="Blue" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='30000' height='30000'><rect width='30000' height='30000' fill='blue'/></svg>">`,
      }),
    ),
  },
  'memory-heap': {
    is: 'a page that fills its heap',
    alone: true,
    verdicts: ['page-crashed', 'page-too-large'],
    serve: script('const all = []; for (;;) all.push(new Array(1e6).fill(1.5))'),
  },
  'memory-buffers': {
    is: 'a page that fills memory outside its heap',
    alone: true,
    verdicts: ['page-too-large', 'page-crashed'],
    // It stops at 8 GB, so that a service without a limit doesn't bring the machine down.
    serve: script('const all = []; setInterval(() => all.length < 80 && all.push(new Uint8Array(1e8).fill(1)), 50)'),
  },

  // Headers and encodings
  'csp-none': {
    is: 'a page whose policy forbids its own script and style',
    verdicts: ['succeeded'],
    serve: html(good({ head: '<style>p { color: #111 }</style><script>document.title = "Never"</script>' }), {
      'content-security-policy': "default-src 'none'",
    }),
  },
  'csp-sandbox': {
    is: "a page whose policy forbids every script, also an auditor's",
    verdicts: ['page-hung'],
    early: true,
    serve: html(good(), { 'content-security-policy': "default-src 'self'; sandbox allow-forms" }),
  },
  'csp-sandbox-scripts': {
    is: 'a page whose sandbox policy allows scripts',
    verdicts: ['succeeded'],
    serve: html(good(), { 'content-security-policy': 'sandbox allow-scripts' }),
  },
  'x-frame-options': {
    is: 'a page that may not be framed',
    verdicts: ['succeeded'],
    serve: html(good(), { 'x-frame-options': 'DENY' }),
  },
  'coop-coep': {
    is: 'a cross-origin isolated page',
    verdicts: ['succeeded'],
    serve: html(good(), {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    }),
  },
  'trusted-types': {
    is: 'a page with trusted types enforced',
    verdicts: ['succeeded'],
    serve: html(good(), { 'content-security-policy': "require-trusted-types-for 'script'; trusted-types 'none'" }),
  },
  'shift-jis': {
    is: 'a page in Shift_JIS',
    verdicts: ['succeeded'],
    serve: html(
      Buffer.from(good({ body: '<p lang="ja">\x93\xfa\x96\x7b\x8c\xea</p>' }).replace('utf-8', 'shift_jis'), 'latin1'),
      {
        'content-type': 'text/html; charset=shift_jis',
      },
    ),
  },
  'bad-utf8': {
    is: 'a page with invalid UTF-8 and a lone surrogate in its title',
    verdicts: ['succeeded'],
    serve: html(
      Buffer.from(
        good({ body: '<p>\xc3\x28 \xff\xfe \xed\xa0\x80</p><script>document.title = "Half \\ud800"</script>' }),
        'latin1',
      ),
    ),
  },
  noindex: {
    is: 'a page with noindex',
    verdicts: ['succeeded'],
    serve: html(good({ head: '<meta name="robots" content="noindex, nofollow">' })),
  },
  'title-hostile': {
    is: 'a page with markup and control characters in its title',
    verdicts: ['succeeded'],
    serve: html(
      good().replace(/<title>.*<\/title>/, `<title>&lt;/title><script>alert(1)</script>"'\u202e\u2028😈</title>`),
    ),
  },
  'base-other': {
    is: 'a page with a base URL of another origin',
    verdicts: ['succeeded'],
    serve: (visit) =>
      html(
        good({ head: `<base href="${visit.otherOrigin}">`, body: '<img width="8" height="8" alt="" src="dot.svg">' }),
      )(visit),
  },
  'hide-from-auditor': {
    is: "a bad page that shows a good one to the auditor's user agent",
    verdicts: ['succeeded'],
    serve: (visit) =>
      (/moto g power/i.test(visit.request.headers['user-agent'] ?? '')
        ? html()
        : html('<img src="x"><script>for (const start = Date.now(); Date.now() - start < 3000; );</script>'))(visit),
  },

  // Pages without a body
  frameset: {
    is: 'a page that is a frameset',
    verdicts: ['no-content'],
    serve: html(
      '<!doctype html><html lang="en"><title>Frames</title><frameset cols="100%"><frame src="good"></frameset></html>',
    ),
    files: { good: html() },
  },
  'iframe-late': {
    is: 'a page that is one frame, added by a script',
    verdicts: ['no-content'],
    serve: html(`<!doctype html><title>A frame</title><body><script>
      setTimeout(() => { document.body.innerHTML = '<iframe title="All there is" src="good"></iframe>' }, 1000);
    </script>`),
    files: { good: html() },
  },
  'remove-body': {
    is: 'a page that removes its body',
    verdicts: ['no-content'],
    serve: afterLoad(0, 'document.body.remove()'),
  },
  'remove-html': {
    is: 'a page that removes its root element',
    verdicts: ['no-content'],
    serve: afterLoad(0, 'document.documentElement.remove()'),
  },
};
