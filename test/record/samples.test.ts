import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { setup as bundleAuditor } from '../support/bundle-auditor.ts';
import { serveChanged } from '../support/changed-files.ts';
import { servePages } from '../support/pages.ts';
import { startSampleLab } from '../support/sample-lab.ts';

test('records repeated audits of a page, before and after it became slower', async () => {
  await bundleAuditor();
  await using pages = await servePages();
  await using slower = await serveChanged(pages.url('/'), withLongerTask);
  await using lab = await startSampleLab();
  const samplesOf = async (url: string, count: number) => (await lab.check(url, count)).samples;
  const recorded = {
    unchanged: await samplesOf(pages.url('/busy'), 21),
    slower: await samplesOf(slower.url('/busy'), 9),
  };
  writeFileSync('test/recorded/samples.json', `${JSON.stringify(recorded, null, 1)}\n`);
  expect(recorded.unchanged).toHaveLength(21);
});

/** Returns the script of the busy page with a task of 500 ms instead of 400. */
const withLongerTask = (text: string): string => text.replace('performance.now() + 400', 'performance.now() + 500');
