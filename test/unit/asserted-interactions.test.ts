import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Assertions } from '../../shared/assertions/assertions.ts';
import { evaluate } from '../../shared/assertions/evaluate.ts';
import { faultsOfMethods } from '../../shared/assertions/samples.ts';
import { AssertedReport } from '../../shared/assertions/values.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { anInteraction } from '../support/an-interaction.ts';
import { readReport } from '../support/recorded-reports.ts';

const recorded = AssertedReport.parse(JSON.parse(gunzipSync(readReport('13.5.0')).toString()));
const limit = (maxNumericValue: number, more = {}): Assertions[string] => ['error', { maxNumericValue, ...more }];
const longestEvent = {
  type: 'click',
  selector: '#go',
  inputDelay: 4,
  processing: 300,
  presentation: 20,
  waited: 0,
  scripts: [],
};
const stepFailed = 'Step 1 (click #gone) failed: No element matches the selector.';
const samplesOf = (contended: (boolean | null)[]) =>
  contended.map((each) => ({ ...noMetrics, cpuBusy: null, contended: each }));

const messagesOf = (
  assertions: Assertions,
  interactions: AssertedReport['interactions'],
  measured: Parameters<typeof evaluate>[2] = {},
) =>
  evaluate(assertions, { ...recorded, interactions }, measured).map(({ passed, message }) => [
    passed,
    message.slice(0, 200),
  ]);

const passedOf = (...of: Parameters<typeof messagesOf>) => messagesOf(...of).map(([passed]) => passed);

test('a slow interaction fails, and the message names its longest event', () => {
  const slow = anInteraction([324], { longestEvent });
  expect(messagesOf({ 'interactions:search:inp': limit(200) }, [slow])).toEqual([
    [false, 'INP of search: 324 ms, expected at most 200 ms. Longest event: click on #go'],
  ]);
  expect(messagesOf({ 'interactions.search.inp': limit(400), 'interactions:search:cls': limit(0.1) }, [slow])).toEqual([
    [true, 'INP of search: 324 ms, expected at most 400 ms'],
    [true, 'CLS of search: 0, expected at most 0.1'],
  ]);
});

test('an interaction that failed has no value, and its assertion fails with the reason, also beside a busy CPU', () => {
  const failed = anInteraction([null], { reason: stepFailed });
  const message = `INP of search: no numeric value. ${stepFailed}`;
  for (const contended of [false, true])
    expect(messagesOf({ 'interactions:search:inp': limit(9999) }, [failed], { contended })).toEqual([[false, message]]);
});

test('the LCP of an interaction is that of its route change, and fails without one', () => {
  const softNavigation = { url: 'https://shop.example/a', lcp: 401, cls: 0 };
  const asserted = { 'interactions:search:lcp': limit(500) };
  expect(passedOf(asserted, [anInteraction([90], { softNavigation })])).toEqual([true]);
  expect(messagesOf(asserted, [anInteraction([90])])).toEqual([
    [false, 'LCP of search: no numeric value. The interaction caused no route change.'],
  ]);
});

test('a run without the interaction fails, and the message names those that it has', () => {
  const asserted = { 'interactions:menu:inp': limit(200) };
  expect(messagesOf(asserted, [anInteraction([90])])[0]).toEqual([
    false,
    'The run has no such interaction as interactions:menu:inp. Its interactions: search',
  ]);
  expect(messagesOf(asserted, null)[0]).toEqual([
    false,
    'The run has no such interaction as interactions:menu:inp. It has none',
  ]);
});

test.each([
  ['optimistic', 100, true],
  ['median', 150, true],
  ['pessimistic', 300, false],
] as const)('%s is about all samples of an interaction', (aggregationMethod, actual, passed) => {
  const asserted: Assertions = { 'interactions:search:inp': limit(200, { aggregationMethod }) };
  const interactions = [anInteraction([150, 300, 100, 150])];
  const samples = samplesOf([false, false, false, false]);
  expect(evaluate(asserted, { ...recorded, interactions }, { samples })).toMatchObject([{ actual, passed }]);
  expect(faultsOfMethods(asserted)).toEqual([]);
});

test('a sample in which the interaction failed is the worst one, and all of them together fail', () => {
  const asserted = (aggregationMethod: string) => ({ 'interactions:search:inp': limit(200, { aggregationMethod }) });
  const judged = (method: string, inps: (number | null)[]) =>
    messagesOf(asserted(method), [anInteraction(inps)], { samples: samplesOf([false, false]) })[0];
  expect(judged('pessimistic', [100, null])).toEqual([false, 'INP of search: no numeric value (worst of 2 samples)']);
  expect(judged('optimistic', [100, null])?.[0]).toBe(true);
  expect(judged('optimistic', [null, null])?.[0]).toBe(false);
});

test('the time of an interaction is not judged if the machine was busy, and its shift is', () => {
  const asserted = { 'interactions:search:inp': limit(200), 'interactions:search:cls': limit(0.1) };
  expect(passedOf(asserted, [anInteraction([100])], { contended: true })).toEqual([null, true]);
  const worst = { 'interactions:search:inp': limit(200, { aggregationMethod: 'pessimistic' }) };
  expect(passedOf(worst, [anInteraction([100, 100])], { samples: samplesOf([true, false]) })).toEqual([null]);
});

test('a name may have dots, and a key without a metric or with another limit is refused', () => {
  const interactions = [anInteraction([100], { name: 'a..b' })];
  for (const key of ['interactions:a..b:inp', 'interactions.a..b.inp', 'interactions:a::b:inp'])
    expect(passedOf({ [key]: limit(200) }, interactions)).toEqual([true]);
  const faultOf = (key: string, assertion: unknown) =>
    Assertions.safeParse({ [key]: assertion }).error?.issues[0]?.message;
  const form = 'Write the key as interactions:<name>:<inp or tbt or cls or lcp>.';
  for (const key of ['interactions', 'interactions:search', 'interactions:inp', 'interactions:search:fcp'])
    expect(faultOf(key, limit(200))).toBe(form);
  for (const other of ['error', ['warn', { minScore: 0.9 }], ['warn', { maxNumericValue: 1, maxLength: 1 }]])
    expect(faultOf('interactions:search:inp', other)).toContain('one limit');
  expect(faultOf('interactions:search:inp', 'off')).toBeUndefined();
});
