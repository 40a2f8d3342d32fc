import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { setup as bundleAuditor } from '../support/bundle-auditor.ts';
import { servePages } from '../support/pages.ts';
import { startSampleLab } from '../support/sample-lab.ts';

test('records repeated audits of a page, before and after it became slower', async () => {
  await bundleAuditor();
  await using pages = await servePages();
  await using slower = await serveSlower(pages.url('/'));
  await using lab = await startSampleLab();
  const samplesOf = async (url: string, count: number) => (await lab.check(url, count)).samples;
  const recorded = { unchanged: await samplesOf(pages.url('/busy'), 21), slower: await samplesOf(slower.url, 9) };
  writeFileSync('test/recorded/samples.json', `${JSON.stringify(recorded, null, 1)}\n`);
  expect(recorded.unchanged).toHaveLength(21);
});

/** Serves the busy page with a task of 500 ms instead of 400. */
const serveSlower = async (origin: string) => {
  const server = createServer(async (request, response) => {
    const answer = await fetch(new URL(request.url ?? '/', origin));
    const text = (await answer.text()).replace('performance.now() + 400', 'performance.now() + 500');
    const type = answer.headers.get('content-type') ?? 'text/plain';
    response.writeHead(answer.status, { 'content-type': type }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/busy`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
