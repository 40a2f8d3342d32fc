import { expect, test } from 'vitest';
import { annotationsOf } from '../../clients/cli/ci/findings.ts';
import { codeQualityOf, variablesOf } from '../../clients/cli/ci/gitlab.ts';
import { jsonOf } from '../../clients/cli/formats/json.ts';
import { junitOf } from '../../clients/cli/formats/junit.ts';
import { markdownOf } from '../../clients/cli/formats/markdown.ts';
import { textOf } from '../../clients/cli/formats/text.ts';
import { hasVerdict, noVerdictText } from '../../clients/cli/run/base.ts';
import { comparisonAnswer } from '../../clients/mcp/comparison.ts';
import { headlineOfChange } from '../../clients/words/headline.ts';
import type { CheckComparison } from '../../shared/comparison/schemas.ts';
import type { Sample } from '../../shared/metrics/page-metrics-schemas.ts';
import { baseId, checkWith, resultOf, samplesOf, succeeded } from '../support/check-results.ts';
import { commandContext } from '../support/command-context.ts';
import { startFakeService } from '../support/fake-service.ts';

type Values = Partial<Sample>;
const checkOf = (count: number, values: Values, id?: string) =>
  checkWith(
    { 'us-west1': succeeded(samplesOf('unchanged', 0, count).map((sample) => ({ ...sample, ...values }))) },
    id === undefined ? {} : { id },
  );

/** Returns the result of a check whose base had other values. Each side has so many samples. */
const resultWith = (count: number, before: Values, after: Values) => {
  const result = resultOf(checkOf(count, after), { base: checkOf(count, before, baseId) });
  const base = result.base as CheckComparison;
  return { ...result, base, baseProblem: hasVerdict(base) ? null : noVerdictText(base) };
};

/** A page that became much slower, while a category without noise became better. One sample a side proves only that. */
const slower = () =>
  resultWith(1, { performance: 100, lcp: 1000, bestPractices: 92 }, { performance: 77, lcp: 2500, bestPractices: 96 });
const view = { width: 200, color: false };
const answer = 'Not judged: Performance 100 → 77, LCP 1.0 s → 2.5 s. Too few samples; 5 samples a side would tell.';

test('an open main metric makes no answer green: not in words, text, Markdown, JUnit, GitLab, GitHub or for agents', () => {
  const result = slower();
  const json = JSON.parse(jsonOf([result]));
  expect(result.base).toMatchObject({ verdict: 'unknown', unjudged: ['performance', 'lcp', 'tbt', 'cls'] });
  expect(headlineOfChange(result.base)).toBe(answer);
  expect(textOf([result], view).split('\n')[0]).toBe(`? ${answer}`);
  expect(markdownOf([result])).toMatch(/^### ⚠️ Not judged: Performance 100 → 77/);
  expect(markdownOf([result])).not.toMatch(/✅ (?!improved)/);
  expect(junitOf([result])).toMatch(
    /name="comparison with the base">\s*<skipped\/>\s*<system-out>.*Performance 100 → 77/,
  );
  expect(codeQualityOf(json)).toMatchObject([{ severity: 'minor', check_name: 'no-verdict' }]);
  expect(annotationsOf(json)).toMatchObject([{ level: 'warning', message: expect.stringContaining(answer) }]);
  expect(variablesOf([result])).toContain('PAGE_AUDIT_PASSED=unknown\n');
  expect(comparisonAnswer(result.base, 'http://127.0.0.1:4080')).toMatchObject({ answer, verdict: 'unknown' });
});

test('a gate with an open main metric is exit code 2, and 0 if an empty answer is allowed', async () => {
  const result = slower();
  await using service = await startFakeService({
    create: () => result.check,
    get: () => result.check,
    comparison: () => result.base,
  });
  const { run } = commandContext(service.url);
  const options = { base: 'branch=main', format: 'text' as const, confirm: false };
  expect([await run(options), await run({ ...options, allowEmpty: true })]).toEqual([2, 0]);
});

test('a metric that got worse stays the answer, and the open ones are named beside it', () => {
  const { base } = resultWith(1, { performance: 100, seo: 100 }, { performance: 77, seo: 60 });
  expect(base).toMatchObject({ verdict: 'regressed', unjudged: expect.arrayContaining(['performance']) });
  expect(headlineOfChange(base)).toBe('SEO 100 → 60 (−40). Not judged: Performance 100 → 77');
});

test('an open main metric that may have changed by less than counts is neither green nor a failure', () => {
  const result = resultWith(5, { lcp: 1000, performance: 90 }, { lcp: 1010, performance: 90 });
  expect(result.base).toMatchObject({ verdict: 'unknown', unjudged: [] });
  expect(result.baseProblem).toBeNull();
  expect(textOf([result], view)).toMatch(/^○ No sign of a change: Performance 90 → 90\n/);
  expect(markdownOf([result])).toMatch(/^### ⚪ No sign of a change/);
  expect(variablesOf([result])).toContain('PAGE_AUDIT_PASSED=true\n');
});

test('each main metric that is the same or better makes an answer green', () => {
  const values = { lcp: 1000, tbt: 0, cls: 0, performance: 100, fcp: 900, si: 900, tti: 1000, mainThreadCpu: 50 };
  const same = resultWith(15, values, values);
  expect(same.base).toMatchObject({ verdict: 'same', unjudged: [] });
  expect(textOf([same], view)).toMatch(/^✓ No change: Performance 100 → 100\n/);
  const better = resultWith(15, { ...values, accessibility: 60 }, { ...values, accessibility: 90 });
  expect(better.base.verdict).toBe('improved');
  expect(textOf([better], view)).toMatch(/^✓ Accessibility 60 → 90 \(\+30\)\n/);
});
