import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { MeasuredVariant } from '../../shared/measured.ts';
import { pick } from '../../shared/pick.ts';
import { Run } from '../../shared/run.ts';
import { type SiteState, serveChangingSite } from '../support/changing-site.ts';
import { startVariantLab } from '../support/variant-lab.ts';

/** Pages that are compared with themselves. */
const pages: readonly SiteState[] = [{ heroSide: 300 }, { font: 'block', heroSide: 0 }, { tagDelayMs: 300 }];
/** Samples of each variant, with and without a change. */
const SAMPLES = { slower: 5, equal: 3 };
const TASK_MS = 300;

const fields = [...Run.keyof().options].filter((name) => name !== 'attempts' && name !== 'blockedRequests');

test('records checks of two variants', { timeout: 3_600_000 }, async () => {
  await using site = await serveChangingSite();
  await using task = await serveTask();
  await using lab = await startVariantLab();
  const compare = async (url: string, blocked: string, samples: number) => {
    const run = await lab.compare({ url, samples, against: { blockedUrlPatterns: [blocked] } });
    const { report: _, ...against } = run.against as MeasuredVariant & { report?: object };
    const text = JSON.stringify({ ...pick(run, fields), against });
    return JSON.parse(text.replaceAll(url, 'http://127.0.0.1:8000/')) as object;
  };
  const slower = await compare(task.url, '/task.js', SAMPLES.slower);
  const equal = [await compare(task.url, 'matches-nothing', SAMPLES.equal)];
  for (const page of pages) {
    site.show(page);
    equal.push(await compare(site.url, 'matches-nothing', SAMPLES.equal));
  }
  writeFileSync('test/recorded/variants.json', `${JSON.stringify({ slower, equal }, null, 1)}\n`);
  expect(equal).toHaveLength(pages.length + 1);
});

/** Page that loads a script after its first paint, because time before the paint blocks nothing. */
const document = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="description" content="A page with one long task">
<title>A page with one long task</title>
<link rel="icon" href="data:,">
</head>
<body>
<p>A text to paint.</p>
<script>
new PerformanceObserver((list, observer) => {
  if (!list.getEntriesByName('first-contentful-paint').length) return;
  observer.disconnect();
  document.body.append(Object.assign(document.createElement('script'), { src: '/task.js' }));
}).observe({ type: 'paint', buffered: true });
</script>
</body>
</html>`;
const script = `function task() { const end = performance.now() + ${TASK_MS}; while (performance.now() < end); }
requestAnimationFrame(() => requestAnimationFrame(task));`;

/** Serves a page whose script `/task.js` has one task of 300 ms. */
const serveTask = async () => {
  const server = createServer(({ url }, response) => {
    const isScript = url === '/task.js';
    const type = isScript ? 'text/javascript' : 'text/html; charset=utf-8';
    response.writeHead(url === '/' || isScript ? 200 : 404, { 'content-type': type }).end(isScript ? script : document);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
