import { expect, test } from 'vitest';
import { annotationsOf } from '../../clients/action/annotations.ts';
import { jsonOf } from '../../clients/cli/formats/json.ts';
import { junitOf } from '../../clients/cli/formats/junit.ts';
import { markdownOf } from '../../clients/cli/formats/markdown.ts';
import type { FormatName } from '../../clients/cli/formats/render.ts';
import { compare } from '../../clients/cli/read.ts';
import type { Sample } from '../../shared/page-metrics-schemas.ts';
import { baseId, checkId, checkWith, resultOf, samplesOf, succeeded } from '../support/check-results.ts';
import { commandContext } from '../support/command-context.ts';
import { startFakeService } from '../support/fake-service.ts';
import { cases } from './formats/cases.ts';

const checkOf = (accessibility: number | null, id = checkId) =>
  checkWith(
    { 'us-west1': succeeded([{ ...(samplesOf('unchanged', 3, 1)[0] as Sample), ...scores(accessibility) }]) },
    { id },
  );
const scores = (accessibility: number | null) => ({ accessibility, bestPractices: null, seo: null });

/** Runs the command against a service where the score was 100, and is this one now. All checks have one sample. */
const runAgainst = async (
  accessibility: number | null,
  { format = 'text' as FormatName, device = ['mobile'], hasBase = true } = {},
) => {
  const { check, base } = resultOf(checkOf(accessibility), { base: checkOf(accessibility && 100, baseId) });
  await using service = await startFakeService({
    create: () => check,
    get: () => check,
    comparison: () => (hasBase ? base : 'not-found'),
  });
  const { run, shown } = commandContext(service.url);
  return { code: await run({ base: 'branch=main', format, device }), ...shown };
};

test('a gate with one sample finds a score that got worse, and says once how to judge times', async () => {
  const { code, stdout, stderr } = await runAgainst(53, { device: ['mobile', 'desktop'] });
  expect([code, stdout]).toEqual([1, expect.stringMatching(/Accessibility 100 → 53: 47 points lower/)]);
  expect(`${stdout}${stderr}`.match(/--samples 5/g)).toHaveLength(1);
  expect((await runAgainst(100)).code).toBe(0);
  const json = await runAgainst(100, { format: 'json', device: ['mobile', 'desktop'] });
  expect(`${json.stdout}${json.stderr}`.match(/--samples 5/g)).toHaveLength(1);
});

test('a gate without any verdict, or without a base, is no success', async () => {
  const none = await runAgainst(null);
  expect([none.code, none.stdout]).toEqual([2, expect.stringMatching(/✘ No metric of the check .* has a verdict/)]);
  const first = await runAgainst(100, { hasBase: false, format: 'json' });
  expect([first.code, first.stderr]).toEqual([2, expect.stringMatching(/No earlier finished check .* branch=main/)]);
  expect(JSON.parse(first.stdout).checks[0]).toMatchObject({
    base: null,
    baseProblem: expect.stringMatching(/^No earl/),
  });
});

test('`compare` without any verdict is exit code 2', async () => {
  const { base } = resultOf(checkOf(null), { base: checkOf(null, baseId) });
  await using service = await startFakeService({ comparison: () => base });
  const { context, shown } = commandContext(service.url);
  expect(await compare(context, checkId, { base: baseId, format: 'text' })).toBe(2);
  expect(shown.stderr).toContain('No metric of the check');
});

test('a base with another URL names the difference, and the flag for a difference that was meant', async () => {
  const other = { ...checkOf(100, baseId), url: 'https://preview.example/' };
  const { base } = resultOf(checkOf(100), { base: other });
  const queries: string[] = [];
  await using service = await startFakeService({
    comparison: ({ search }) => {
      queries.push(search);
      return base;
    },
  });
  const { context, shown } = commandContext(service.url);
  const options = { base: 'branch=main', pool: 3, intended: ['device', 'url'], format: 'text' as const };
  expect(await compare(context, checkId, options)).toBe(2);
  expect(queries).toEqual(['?base=label%3Abranch%3Dmain&pool=3&intended=device%2Curl']);
  expect(shown.stdout).toContain('The URLs differ: https://preview.example/ and https://shop.example/.');
  expect(shown.stderr).toContain('If you meant the differences, use --intended url.');
});

test('a base without a verdict is an error in every report', () => {
  const results = cases['no-verdict']?.() ?? [];
  expect(markdownOf(results)).toMatch(/^### ❌ [\s\S]*\*\*Not compared\.\*\* No earlier/);
  expect(junitOf(results)).toMatch(/errors="1"[\s\S]*<error [^>]*type="no-verdict"/);
  const title = 'Not compared';
  expect(annotationsOf(JSON.parse(jsonOf(results)))).toMatchObject([{ level: 'error', title }]);
  const allowed = annotationsOf(JSON.parse(jsonOf(results)), { allowEmpty: true });
  expect(allowed).toMatchObject([{ level: 'warning', title }]);
});
