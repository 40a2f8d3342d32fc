import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AssertionResult } from '../../../shared/assertions/assertions.ts';
import { presets } from '../../../shared/assertions/presets.ts';
import type { Environment } from '../../../shared/environment.ts';
import { type Api, startApi } from '../../support/api.ts';
import { type Row, reportOfCases, rowOfResult } from '../../support/assertion-cases.ts';
import { runHere } from '../../support/command-context.ts';
import { environment } from '../../support/environment.ts';
import { readShapeOutcomes, shapes, writeShape } from '../../support/lighthouserc-shapes.ts';
import { waitFor } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const folder = temporaryFolder('shapes');
const report = gzipSync(JSON.stringify(reportOfCases('13.5.0')));

type Measured = { environment?: Environment; more?: string[] };

/** Runs the command for a page that has the report. Returns the exit code and the failed results. */
const judged = async (files: Record<string, unknown>, { environment, more = [] }: Measured = {}) => {
  const label = `test:${randomUUID()}`;
  const own = mkdtempSync(join(folder, 'shape-'));
  const file = writeShape(own, files);
  const before = process.cwd();
  process.chdir(own); // paths in a file are relative to the folder of the command
  try {
    const args = ['run', 'https://example.com/', '--label', label, '--assert', file, '--format', 'json', ...more];
    const ended = runHere(args, api.url);
    const { id } = await waitFor(async () => (await api.client.list({ label: [label] })).checks[0]);
    const run = await api.world.runOf(id);
    await api.world.finishWith(run, report, environment && { environment });
    const { code, stdout, stderr } = await ended;
    const [check] = JSON.parse(stdout).checks;
    const results: AssertionResult[] = check.runs[0].assertions;
    return {
      code,
      stderr,
      warnings: check.runs[0].warnings.join(),
      failed: results.filter((each) => !each.passed).map(rowOfResult),
    };
  } finally {
    process.chdir(before);
  }
};

/** Differences on purpose: a preset names audits that no version has, and an unknown level counts as `warn`. */
const explained = (rows: readonly Row[], own: readonly string[]): Row[] =>
  rows
    .filter(([key, name]) => !(name === 'auditRan' && key in presets['lighthouse:all'] && !own.includes(key)))
    .map(([key, name, level, ...more]) => [key, name, level === 'error' ? level : 'warn', ...more]);
const sorted = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row)).sort();

test.each(Object.entries(shapes))('the command and Lighthouse CI agree on %s', async (name, files) => {
  const theirs = readShapeOutcomes()[name];
  const { code, failed, warnings } = await judged(files);
  const own = name === 'sizes and numbers of resources' ? ['no-such-audit'] : [];
  expect(sorted(failed)).toEqual(sorted(explained(theirs?.failed ?? [], own)));
  expect(code).toBe(theirs?.exitCode);
  expect(warnings.includes('of the preset')).toBe((theirs?.failed ?? []).length > failed.length);
});

test('a time that other programs may have changed proves nothing, and another fault still fails', async () => {
  const rc = (assertions: object) => ({ 'lighthouserc.json': { ci: { assert: { assertions } } } });
  const [time, other] = [{ 'largest-contentful-paint': ['error', { maxNumericValue: 1 }] }, { 'image-alt': 'error' }];
  const busy = { environment: { ...environment, contended: true } };
  const unjudged = await judged(rc(time), busy);
  expect([unjudged.code, unjudged.failed.map(([, , , , , , passed]) => passed)]).toEqual([2, [null]]);
  expect(unjudged.stderr).toContain('An assertion was not judged, because the machine was busy.');
  expect((await judged(rc(time), { ...busy, more: ['--allow-empty'] })).code).toBe(0);
  expect((await judged(rc({ ...time, ...other }), busy)).code).toBe(1);
});
