import { expect, test } from 'vitest';
import { annotationsOf } from '../../clients/cli/ci/findings.ts';
import { jsonOf } from '../../clients/cli/formats/json.ts';
import { junitOf } from '../../clients/cli/formats/junit.ts';
import { markdownOf } from '../../clients/cli/formats/markdown.ts';
import type { FormatName } from '../../clients/cli/formats/render.ts';
import { compare } from '../../clients/cli/read/read.ts';
import { compareChecks } from '../../shared/comparison/comparison.ts';
import type { Sample } from '../../shared/metrics/page-metrics-schemas.ts';
import {
  baseId,
  checkId,
  checkWith,
  failed,
  otherVariant,
  resultOf,
  samplesOf,
  succeeded,
} from '../support/check-results.ts';
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
  const same = await runAgainst(100);
  expect([same.code, same.stdout]).toEqual([
    2,
    expect.stringMatching(/^\? Not judged: Performance 70 → 70\. Too few samples/),
  ]);
  const json = await runAgainst(100, { format: 'json', device: ['mobile', 'desktop'] });
  expect(`${json.stdout}${json.stderr}`.match(/--samples 5/g)).toHaveLength(1);
});

test('a gate without any verdict, or without a base, is no success', async () => {
  const none = await runAgainst(null);
  expect([none.code, none.stdout]).toEqual([2, expect.stringMatching(/\? The check .* is not judged against/)]);
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
  expect(shown.stderr).toContain('is not judged against');
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

/** A base, and a check whose TBT its samples alone show to be higher. `by` is by how much. */
const suspicious = (by: number, inputs: object = {}, count = 5) => {
  const [sample] = samplesOf('unchanged', 3, 1) as [Sample];
  const runOf = (more: number) =>
    succeeded(Array.from({ length: count }, (_, i) => ({ ...sample, tbt: 1000 + 4 * (i % 5) + more })));
  return {
    base: checkWith({ 'us-west1': runOf(0) }, { id: baseId, samples: 5, ...inputs }),
    check: checkWith({ 'us-west1': runOf(by) }, { samples: 5 }),
  };
};
const [turnsId, furtherId] = ['5f2c1a90-5d7e-4b11-9c1d-0a4be1f2d701', '5f2c1a90-5d7e-4b11-9c1d-0a4be1f2d702'];

type Confirmed = { by: number; format?: FormatName; confirm?: boolean; state?: 'succeeded' | 'failed' };
/**
 * Runs the command on a page whose TBT is perhaps 150 ms higher than that of another page. Both are audited in turns if that
 * page still answers, and then differ by `by`. A further check is slower by it too.
 */
const confirmAgainst = async (inputs: object, { by, format = 'json', confirm, state = 'succeeded' }: Confirmed) => {
  const { base, check } = suspicious(150, inputs);
  const again = { ...suspicious(by).check, id: furtherId };
  const pairs = suspicious(by, {}, 12);
  const inTurns = checkWith(
    {
      'us-west1':
        state === 'failed'
          ? failed('dns-failure')
          : { ...pairs.check.runs[0], ...otherVariant({ url: base.url, samples: pairs.base.runs[0]?.samples ?? [] }) },
    },
    { id: turnsId, against: { url: base.url } },
  );
  const bodies: { samples: unknown; against?: object; labels?: object }[] = [];
  const queries: string[] = [];
  const all = [check, again, inTurns];
  await using service = await startFakeService({
    create: (_, body) => {
      bodies.push(body as never);
      const made = bodies.length === 1 ? check : bodies.at(-1)?.against ? inTurns : again;
      return resultOf(made).check;
    },
    get: ({ pathname }) => resultOf(all.find(({ id }) => pathname.includes(id)) ?? check).check,
    comparison: ({ pathname, search }) => {
      queries.push(search);
      if (pathname.includes(turnsId)) return resultOf(inTurns).base;
      return search.includes('again=')
        ? compareChecks(base, check, { again: [again], intended: ['url'] })
        : compareChecks(base, check, { intended: ['url'] });
    },
  });
  const { run, shown } = commandContext(service.url);
  const options = { base: 'branch=main', intended: ['url'], format, ...(confirm !== undefined && { confirm }) };
  const code = await run(options as never);
  const confirmation = format === 'json' ? JSON.parse(shown.stdout).checks[0].confirmation : undefined;
  return { code, confirmation, bodies, queries, ...shown };
};
const production = { url: 'https://production.example/' };

test('a suspected change is confirmed in turns with the page of the base, and then fails the gate', async () => {
  const { code, confirmation, bodies } = await confirmAgainst(production, { by: 400 });
  expect(bodies[1]).toMatchObject({ samples: 'auto', against: production, labels: { confirms: checkId } });
  expect([code, confirmation]).toMatchObject([
    1,
    {
      checkId: turnsId,
      by: 'turns',
      state: 'confirmed',
      changes: [{ metric: 'tbt', verdict: 'regressed' }],
      problem: null,
    },
  ]);
  const text = await confirmAgainst(production, { by: 400, format: 'text' });
  expect(text.stdout.replace(/\s+/g, ' ')).toContain('✘ Confirmed in turns with the page of the base');
});

test('a suspected change that one more check refutes is no failure, and the result says so', async () => {
  const { code, confirmation } = await confirmAgainst(production, { by: 0 });
  expect([code, confirmation]).toMatchObject([0, { state: 'refuted', changes: [{ metric: 'tbt', verdict: 'same' }] }]);
  const { stdout } = await confirmAgainst(production, { by: 0, format: 'markdown' });
  expect(stdout).toContain('- ✅ Not confirmed in turns with the page of the base');
});

test('the same page, and a base that no longer answers, get a further check that counts together with the first', async () => {
  const same = await confirmAgainst({}, { by: 150 });
  expect(same.bodies[1]).toMatchObject({ samples: 5, labels: { confirms: checkId } });
  expect(same.queries.at(-1)).toContain(`again=${furtherId}`);
  expect(same.confirmation).toMatchObject({ checkId: furtherId, by: 'again' });
  const gone = await confirmAgainst(production, { by: 150, state: 'failed' });
  expect(gone.bodies).toHaveLength(3);
  expect(gone.confirmation).toMatchObject({ checkId: furtherId, by: 'again' });
});

test('--no-confirm, and a regression that is proved, audit nothing once more', async () => {
  const left = await confirmAgainst(production, { by: 400, confirm: false });
  expect([left.code, left.bodies.length, left.confirmation]).toEqual([2, 1, null]);
});
