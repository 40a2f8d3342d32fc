import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startPages } from '../bench/pages.ts';
import { setup as bundleAuditor } from '../support/bundle-auditor.ts';
import { serveChanged } from '../support/changed-files.ts';
import { type RecordedCheck, startSampleLab } from '../support/sample-lab.ts';

const unchanged = ['small', 'script', 'app', 'images', 'fonts', 'requests', 'shift'] as const;
/** Pages whose scripts work a fifth longer, by a page that does not. */
const slower = { small12: 'small', script12: 'script' } as const;
const SAMPLES = 5;
const LIMIT_MS = 35 * 60_000;
const file = 'test/recorded/steady-checks.json.gz';

/** Adds a recording to the earlier ones. The checks of a page are minutes apart, as the pages take turns. */
test('records checks of pages with steady values, and of two with slower scripts', {
  timeout: 2 * LIMIT_MS,
}, async () => {
  await bundleAuditor();
  await using site = await startPages();
  await using slowed = await serveChanged(site.url('small'), withMoreWork);
  await using lab = await startSampleLab({ categories: ['performance'] });
  const urls = {
    ...Object.fromEntries(unchanged.map((page) => [page, site.url(page)])),
    ...Object.fromEntries(Object.entries(slower).map(([name, page]) => [name, slowed.url(`/${page}/`)])),
  };
  const recordings = JSON.parse(gunzipSync(readFileSync(file)).toString());
  const startedAt = Date.now();
  const recording: Record<string, (RecordedCheck & { id: string })[]> = {};
  recordings[new Date(startedAt).toISOString().slice(0, 16)] = recording;
  for (let round = 1; Date.now() - startedAt < LIMIT_MS; round++)
    for (const [page, url] of Object.entries(urls)) {
      const check = await lab.check(url, SAMPLES).catch((error: Error) => error);
      if (check instanceof Error) {
        console.error(`A check of ${page} failed: ${check.message}`);
        continue;
      }
      recording[page] = [...(recording[page] ?? []), { id: `${page}-${round}`, ...check }];
      writeFileSync(file, gzipSync(JSON.stringify(recordings), { level: 9 })); // An interrupt loses no check.
    }
  expect(Object.keys(recording)).toHaveLength(Object.keys(urls).length);
});

/** Returns a script that does a fifth more. */
const withMoreWork = (script: string): string =>
  script
    .replace('i < 4e7', 'i < 4.8e7')
    .replace('const formula of formulas', 'const formula of [...formulas, ...formulas.slice(0, 60)]');
