import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Sample } from '../../shared/page-metrics-schemas.ts';
import { startPages } from '../bench/pages.ts';
import { startSampleLab } from '../support/sample-lab.ts';

const pages = ['script', 'images', 'app'] as const;
const CHECKS = 5;
const SAMPLES = 5;

test('records repeated checks of pages that do not change', { timeout: 3_600_000 }, async () => {
  await using site = await startPages();
  await using lab = await startSampleLab();
  const recorded: Record<(typeof pages)[number], Sample[][]> = { script: [], images: [], app: [] };
  for (let check = 0; check < CHECKS; check++) {
    for (const page of pages) recorded[page].push(await lab.repeat(site.url(page), SAMPLES, 5 * SAMPLES));
  }
  writeFileSync('test/recorded/repeated-checks.json', `${JSON.stringify(recorded, null, 1)}\n`);
  expect(recorded.app).toHaveLength(CHECKS);
});
