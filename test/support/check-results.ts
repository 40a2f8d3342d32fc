import { readFileSync } from 'node:fs';
import { type CheckResult, resultsOf } from '../../clients/cli/run/result.ts';
import type { AssertionResult } from '../../shared/assertions/assertions.ts';
import { type Check, type CheckInputs, CheckView, checkView, newCheck } from '../../shared/check.ts';
import { compareChecks } from '../../shared/comparison/comparison.ts';
import { compareRegions } from '../../shared/comparison/regions.ts';
import { CheckComparison, RegionComparison } from '../../shared/comparison/schemas.ts';
import { compareVariants } from '../../shared/comparison/variants.ts';
import { unmeasured } from '../../shared/measured.ts';
import { noMetrics, spreadOf } from '../../shared/metrics/page-metrics.ts';
import type { Sample } from '../../shared/metrics/page-metrics-schemas.ts';
import { type RunProblemCode, runError } from '../../shared/problems.ts';
import type { Region } from '../../shared/regions.ts';
import type { Run } from '../../shared/run.ts';
import { printableValue } from '../../shared/text.ts';
import { environment } from './environment.ts';

const recorded: Record<'unchanged' | 'slower', Sample[]> = JSON.parse(
  readFileSync('test/recorded/samples.json', 'utf8'),
);
const createdAt = new Date('2026-11-25T12:00:00.000Z');
const finishedAt = '2026-11-25T12:00:31.000Z';
export const checkId = '71cce6bf-1f0e-4c55-8a0b-2f6f3c0f9a11';
export const baseId = '3f2c1a90-5d7e-4b11-9c1d-0a4be1f2d733';

/** Time that the script of the slower page works longer than recorded. One check then proves the change. */
const MORE_WORK = 1000;

/** Returns recorded samples of a real page. */
export const samplesOf = (page: keyof typeof recorded, from: number, count = 3): Sample[] =>
  recorded[page].slice(from, from + count).map(({ tbt, tti, ...sample }) => {
    const more = page === 'slower' ? MORE_WORK : 0;
    return {
      ...noMetrics,
      ...sample,
      tbt: (tbt ?? 0) + more,
      tti: (tti ?? 0) + more,
      contended: false,
    };
  });

/** Returns what a succeeded run of these samples has. It shows the second sample. */
export const succeeded = (samples: readonly Sample[], change: Partial<Run> = {}): Partial<Run> => ({
  ...samples[1 % samples.length],
  state: 'succeeded',
  startedAt: createdAt.toISOString(),
  finishedAt,
  updatedAt: finishedAt,
  samples: [...samples],
  spread: spreadOf(samples),
  environment,
  ...change,
});

/** Returns the second variant of a run with these samples. It shows the second sample. */
export const otherVariant = ({ url, samples }: { url: string; samples: readonly Sample[] }): Pick<Run, 'against'> => ({
  against: {
    url,
    device: 'mobile',
    auditVersion: '13.5.0',
    ...unmeasured,
    ...samples[1 % samples.length],
    samples: [...samples],
    spread: spreadOf(samples),
    environment,
  },
});

export const failed = (code: RunProblemCode, detail?: string): Partial<Run> => ({
  state: 'failed',
  startedAt: createdAt.toISOString(),
  finishedAt,
  updatedAt: finishedAt,
  error: runError(code, detail === undefined ? {} : { detail }),
});

/** Returns a stored check whose runs have these changes, by region. */
export const checkWith = (
  runs: Partial<Record<Region, Partial<Run>>>,
  inputs: Partial<CheckInputs> & { id?: string } = {},
): Check => {
  const { id = checkId, ...rest } = inputs;
  const regions = Object.keys(runs) as Region[];
  const runIds = regions.map((_, i) => `0000000${i}-0000-4000-8000-000000000000`);
  const all = { url: 'https://shop.example/', auditVersion: '13.5.0' as const, regions, ...rest };
  const check = newCheck(all, { id, runIds, now: createdAt });
  return { ...check, runs: check.runs.map((run) => ({ ...run, ...runs[run.region] })) };
};

/** Returns the result of a check as a command gets it from the service. */
export const resultOf = (
  check: Check,
  { base, assertions = {} }: { base?: Check; assertions?: Partial<Record<Region, AssertionResult[]>> } = {},
): CheckResult => {
  const hasAssertions = Object.keys(assertions).length > 0;
  const runs = check.runs.map((run) => ({ ...run, assertions: assertions[run.region] ?? null }));
  const asserted = { ...check, runs, ...(hasAssertions && { assertions: { 'image-alt': 'error' as const } }) };
  const view = CheckView.parse(checkView(asserted));
  const comparison = compareRegions(check);
  const changes = base ? compareChecks(base, check) : compareVariants(check);
  return printableValue({
    check: view,
    comparison: comparison ? RegionComparison.parse(comparison) : null,
    base: changes ? CheckComparison.parse(changes) : null,
    baseProblem: null,
    explanation: null,
    assertions: resultsOf(view),
    fixes: null,
    server: 'http://127.0.0.1:4080',
    readWith: '',
    isOnePlace: false,
  });
};
