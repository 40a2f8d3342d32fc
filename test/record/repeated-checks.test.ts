import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { recordOf } from '../../shared/record.ts';
import { startPages } from '../bench/pages.ts';
import { setup as bundleAuditor } from '../support/bundle-auditor.ts';
import { type RecordedCheck, startSampleLab } from '../support/sample-lab.ts';

/** A light page, two seconds of blocking time, half a second of it, and images. */
const pages = ['small', 'script', 'app', 'images'] as const;
const ROUNDS = 12;
const SAMPLES = 5;
/** The checks of a page are as far apart as other programs need to change the load. */
const ROUND_MS = 7.5 * 60_000;
const LIMIT_MS = 95 * 60_000;

test('records repeated checks of pages that do not change', { timeout: 2 * LIMIT_MS }, async () => {
  await bundleAuditor();
  await using site = await startPages();
  await using lab = await startSampleLab();
  const checks = recordOf(pages, (): RecordedCheck[] => []);
  const turns = recordOf(pages, (): RecordedCheck[] => []);
  /** Writes the recording after each check, so that an interrupt loses none. */
  const record = async (kind: typeof checks, page: (typeof pages)[number], samples: number) => {
    const check = await lab.check(site.url(page), samples).catch((error: Error) => error);
    if (check instanceof Error) return void console.error(`A check of ${page} failed: ${check.message}`);
    kind[page].push(check);
    writeFileSync('test/recorded/repeated-checks.json.gz', gzipSync(JSON.stringify({ checks, turns }), { level: 9 }));
  };
  const startedAt = Date.now();
  for (let round = 0; round < ROUNDS && Date.now() - startedAt < LIMIT_MS; round++) {
    for (const page of pages) await record(checks, page, SAMPLES);
    const next = startedAt + (round + 1) * ROUND_MS;
    // Both variants of a check in turns are the same page here, so that its verdicts have to be the same.
    if (Date.now() < next) await record(turns, pages[round % pages.length] as (typeof pages)[number], 2 * SAMPLES);
    await pause(Math.max(0, next - Date.now()));
  }
  expect(Math.min(...pages.map((page) => checks[page].length))).toBeGreaterThanOrEqual(ROUNDS / 2);
});
