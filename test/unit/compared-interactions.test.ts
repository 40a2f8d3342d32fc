import { expect, test } from 'vitest';
import { hasRegressed } from '../../clients/cli/formats/outcome.ts';
import { comparedEntries, interactionNotes } from '../../clients/words/compared.ts';
import { headlineOfChange } from '../../clients/words/headline.ts';
import { changeOfTurns } from '../../shared/comparison/change.ts';
import { measuredOn } from '../../shared/comparison/comparable.ts';
import { compareChecks } from '../../shared/comparison/comparison.ts';
import { CheckComparison } from '../../shared/comparison/schemas.ts';
import type { ComparedCheck, ComparedRun } from '../../shared/comparison/sides.ts';
import { changesOfRun, compareVariants } from '../../shared/comparison/variants.ts';
import { interactionMetrics } from '../../shared/interactions/metrics.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { seededRandom } from '../simulation/random.ts';

const ids = ['6b1f8f5e-0d3f-4c5b-9f0e-0f8b6a2d9c11', '7c2f8f5e-0d3f-4c5b-9f0e-0f8b6a2d9c22'] as const;
const region = 'us-east4';
const valuesOf = (inp: number | null) => ({
  inp,
  tbt: inp === null ? null : 0,
  cls: inp === null ? null : 0,
  lcp: null,
});
type Interactions = NonNullable<ComparedRun['interactions']>;

/** Returns the result of an interaction with these INPs, or of one that failed. */
const search = (inps: readonly (number | null)[], reason: string | null = null): Interactions[number] => ({
  name: 'search',
  ...valuesOf(inps.find((inp) => inp !== null) ?? null),
  softNavigation: null,
  samples: inps.map(valuesOf),
  reason,
});
const runOf = (count: number, interactions: Interactions | null): ComparedRun => {
  const samples = Array.from({ length: count }, () => ({ ...noMetrics, lcp: 1000, cpuBusy: 0, contended: false }));
  return { ...noMetrics, lcp: 1000, region, state: 'succeeded', samples, environment: null, interactions };
};
const checkOf = (id: string, run: ComparedRun, inputs: Partial<ComparedCheck> = {}): ComparedCheck => ({
  id,
  url: 'https://example.com/',
  auditVersion: '13.5.0',
  runs: [run],
  ...inputs,
});
const compared = (
  base: ComparedCheck,
  check: ComparedCheck,
  options: Parameters<typeof compareChecks>[2] = {},
): CheckComparison => CheckComparison.parse(compareChecks(base, check, options));
const inTurns = (base: Interactions[number], own: Interactions[number]) => {
  const run = runOf(own.samples.length, [own]);
  const against = runOf(base.samples.length, [base]);
  const check = checkOf(ids[0], run, { interactions: [{ name: 'search', steps: [] }] });
  return { run: { ...run, against }, check: { ...check, runs: [{ ...run, against }] } };
};
const slower = [search([48, 56, 48, 64, 56]), search([152, 160, 144, 160, 152])] as const;

test('a slower handler is found in turns, and the load keeps its own verdict', () => {
  const { check, run } = inTurns(...slower);
  const { metrics, interactions, comparable } = CheckComparison.parse(compareVariants(check));
  expect(interactions[0]?.metrics.inp.regions[region]).toMatchObject({
    base: '48ms',
    value: '152ms',
    verdict: 'regressed',
    needs: null,
    change: { estimate: '100ms', by: 'turns', confidence: 0.99 },
  });
  expect(interactions[0]?.reasons).toEqual([]);
  expect([metrics.lcp.verdict, metrics.performance.verdict, comparable]).toEqual(['same', 'unknown', true]);
  const changes = changesOfRun({ ...run, url: check.url, auditVersion: check.auditVersion });
  expect(changes?.interactions.get('search')?.inp.verdict).toBe('regressed');
});

test('a slower interaction is the headline of a comparison, fails the command, and says what a side lacks', () => {
  const comparison = CheckComparison.parse(compareVariants(inTurns(...slower).check));
  expect(headlineOfChange(comparison)).toMatch(/^INP of search 48 ms → 152 ms \(\+100 ms; /);
  expect(hasRegressed(comparison)).toBe(true);
  expect(comparedEntries(comparison).map(({ id }) => id)).toContain('interactions:search:lcp');
  const [base, head] = [runOf(5, []), runOf(5, [search([48, 48, null, 48, 48])])];
  const lacking = compared(checkOf(ids[0], base), checkOf(ids[1], head));
  expect(hasRegressed(lacking)).toBe(false);
  expect(interactionNotes(lacking)).toEqual([
    'search: The base has no such interaction.',
    'search: The check measured it in some samples only: 1 of 5 samples failed.',
  ]);
});

test('a single pair shows no noise, and a pair whose audit failed does not count', () => {
  const inp = (base: (number | null)[], own: (number | null)[]) => {
    const [interaction] = CheckComparison.parse(compareVariants(inTurns(search(base), search(own)).check)).interactions;
    return { ...interaction?.metrics.inp.regions[region], reasons: interaction?.reasons };
  };
  expect(inp([48], [152])).toMatchObject({ verdict: 'unknown', change: { confidence: 0 }, needs: { kind: 'turns' } });
  const [pairs, reasons] = [
    inp([48, null, 48, 56, 48, 48, 48], [152, 160, 160, 144, 152, null, 152]),
    ['base', 'value'],
  ];
  expect(pairs).toMatchObject({ verdict: 'regressed', change: { estimate: '104ms' } });
  expect(pairs.reasons).toEqual(
    reasons.map((side) => ({ code: 'failed-samples', region, side, detail: '1 of 7 samples failed.' })),
  );
});

test('two checks alone show no change of an interaction, because nobody knows how it moves from check to check', () => {
  const [base, head] = slower.map((each, i) => checkOf(ids[i] as string, runOf(5, [each])));
  const inp = compared(base as ComparedCheck, head as ComparedCheck).interactions[0]?.metrics.inp.regions[region];
  expect(inp).toMatchObject({ verdict: 'unknown', suspected: true, noise: null, needs: { kind: 'checks', count: 3 } });
  const more = (side: 0 | 1) =>
    [1, 2].map((i) => checkOf(`${ids[side].slice(0, -1)}${i + 3}`, runOf(5, [slower[side]])));
  const pooled = compared(base as ComparedCheck, head as ComparedCheck, { pool: more(0), again: more(1) });
  expect(pooled.interactions[0]?.metrics.inp).toMatchObject({ verdict: 'regressed' });
});

test('the earlier checks of the page show how an interaction moves by itself', () => {
  const [base, head] = slower.map((each, i) => checkOf(ids[i] as string, runOf(5, [each]))) as [
    ComparedCheck,
    ComparedCheck,
  ];
  const judgedBy = (inps: readonly number[]) => {
    const series = inps.map((inp, i) => ({
      url: base.url,
      auditVersion: base.auditVersion,
      ...measuredOn(null),
      checkId: `${i}`,
      createdAt: '',
      locations: { 'interactions:search:inp': [inp, null] as const },
    }));
    return compared(base, head, { history: { [region]: series } }).interactions[0]?.metrics.inp.regions[region];
  };
  const quiet = [48, 56, 48, 64, 48, 56, 56, 48, 64, 48];
  expect(judgedBy(quiet)).toMatchObject({ verdict: 'regressed', noise: { from: 'page', checks: 12 } });
  expect(judgedBy(quiet.map((inp, i) => (i % 2 ? inp : 3 * inp)))?.verdict).toBe('unknown');
  expect(judgedBy(quiet.slice(0, 4))?.verdict).toBe('unknown');
});

test('an interaction that a side lacks, that failed or whose steps differ has no verdict', () => {
  const five = [48, 48, 48, 48, 48];
  const judged = (
    base: Interactions,
    own: Interactions,
    steps: [unknown, unknown] = [{ click: '#a' }, { click: '#a' }],
  ) => {
    const [before, after] = [base, own].map((interactions, i) =>
      checkOf(ids[i] as string, runOf(5, interactions), { interactions: [{ name: 'search', steps: [steps[i]] }] }),
    ) as [ComparedCheck, ComparedCheck];
    const { interactions, metrics } = compared(before, after, { inTurns: true });
    expect(metrics.lcp.verdict).toBe('same');
    return interactions[0];
  };
  const missing = judged([], [search(five)]);
  expect(missing).toMatchObject({ name: 'search', reasons: [{ code: 'missing', region, side: 'base', detail: null }] });
  const failed = judged(
    [search(five)],
    [
      search(
        five.map(() => null),
        'Step 1 (click #a) failed.',
      ),
    ],
  );
  expect(failed?.reasons).toEqual([{ code: 'failed', region, side: 'value', detail: 'Step 1 (click #a) failed.' }]);
  const other = judged([search(five)], [search([248, 248, 248, 248, 248])], [{ click: '#a' }, { click: '#b' }]);
  expect(other?.reasons).toMatchObject([{ code: 'other-steps' }]);
  for (const each of [missing, failed, other])
    expect(Object.values(each?.metrics ?? {}).map(({ verdict }) => verdict)).toEqual(Array(4).fill('unknown'));
});

const random = seededRandom(20_261_127);
/** Returns an INP: work with the noise of a machine, until the next frame, rounded as Chrome rounds. */
const inpOf = (work: number, noise: number): number => {
  const end = work * (1 + noise * (random.next() + random.next() - 1)) + 16.7 * random.next();
  return 8 * Math.ceil(end / 8);
};
const shareOf = (pairs: number, [base, head]: [number, number], noise: number, direction: string): number => {
  const trial = () =>
    changeOfTurns(
      interactionMetrics.inp,
      Array.from({ length: pairs }, () => inpOf(base, noise)),
      Array.from({ length: pairs }, () => inpOf(head, noise)),
    ).direction === direction;
  return Array.from({ length: 2000 }, trial).filter(Boolean).length / 2000;
};

test.each([
  [3, 40, 0.1],
  [5, 40, 0.1],
  [5, 400, 0.05],
  [5, 400, 0.3],
  [12, 200, 0.3],
])(
  '%i pairs of an unchanged INP of %i ms with the noise %d give a false verdict in at most 1 % of trials',
  (pairs, inp, noise) => {
    expect(shareOf(pairs, [inp, inp], noise, 'higher')).toBeLessThanOrEqual(0.01);
  },
);

test('five pairs find a handler that takes 100 ms more in nine of ten trials, also on a machine with noise', () => {
  for (const noise of [0.05, 0.2]) expect(shareOf(5, [50, 150], noise, 'higher')).toBeGreaterThanOrEqual(0.9);
});
