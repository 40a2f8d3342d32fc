import { expect, test } from 'vitest';
import { limitLines } from '../../clients/web/trend/trend-lines.ts';
import { trendMetric, trendMetricsOf } from '../../clients/web/trend/trend-metric.ts';
import { plotOf } from '../../clients/web/trend/trend-plot.ts';
import type { AssertionResult } from '../../shared/assertions/assertions.ts';
import type { InteractionTime } from '../../shared/interactions/series.ts';
import { noMetrics, valueNames } from '../../shared/metrics/page-metrics.ts';
import { pick } from '../../shared/pick.ts';
import { type RunSummary, runSummary } from '../../shared/summaries.ts';

const runAt = (hour: number, interactions?: InteractionTime[], change: Partial<RunSummary> = {}): RunSummary => {
  const id = `00000000-0000-4000-8000-00000000000${hour}`;
  const at = `2031-01-01T0${hour}:00:00.000Z`;
  const metrics = { ...noMetrics, performance: 90, lcp: 900 + hour };
  const unknown = { contended: null, host: null, chromium: null, sandbox: null, fonts: null, revision: null };
  return {
    ...runSummary(
      {
        id,
        checkId: id,
        url: 'https://example.com/',
        region: 'us-west1',
        device: 'mobile',
        state: 'succeeded',
        auditVersion: '13.5.0',
        createdAt: at,
        finishedAt: at,
        ...metrics,
        ...unknown,
        sampleCount: 1,
        errorCode: null,
        benchmarkIndex: null,
        throttling: null,
        blockedUrlPatterns: null,
        interactions,
      },
      { isExpired: false },
    ),
    numericValues: pick(metrics, valueNames),
    ...change,
  };
};
const search = (inp: number | null): InteractionTime => ({ name: 'search', inp });
/** Newest first: measured, failed interaction, failed run, no interactions, measured with another one. */
const runs = [
  runAt(5, [search(120)]),
  runAt(4, [search(null)]),
  runAt(3, undefined, { state: 'failed' }),
  runAt(2),
  runAt(1, [search(324), { name: 'menu', inp: 50 }]),
];

test('a trend offers the INP of each interaction of its runs after the metrics of the page', () => {
  expect(trendMetricsOf(runs).map(({ id, label }) => [id, label])).toEqual([
    ['performance', 'Performance'],
    ['lcp', 'LCP'],
    ['interactions:menu:inp', 'INP of menu'],
    ['interactions:search:inp', 'INP of search'],
  ]);
});

test('uploads have a line of their own', () => {
  const uploaded = runAt(1, undefined, { region: 'elsewhere' });
  const settings = { width: 800, scheme: 'light', nameOf: String, lines: [], choose: () => {} } as const;
  const { options, data } = plotOf([uploaded], trendMetric('performance'), settings);
  expect([options.series[1]?.label, data[1]]).toEqual(['elsewhere', [90]]);
});

test('a run or an interaction that failed is a gap, and a run without the interaction is no point', () => {
  const metric = trendMetric('interactions:search:inp');
  const tried = runs.filter(metric.isTried);
  expect(tried.map(({ createdAt }) => createdAt.slice(11, 13))).toEqual(['05', '04', '03', '01']);
  const settings = {
    width: 800,
    scheme: 'light',
    nameOf: (region: string) => region,
    lines: [],
    choose: () => {},
  } as const;
  const [, values] = plotOf(tried, metric, settings).data;
  expect(values).toEqual([324, null, null, 120]);
  expect(plotOf(runs, trendMetric('lcp'), settings).data[1]).toEqual([901, 902, null, 904, 905]);
});

test('an address that names no metric shows the performance score', () => {
  const idOf = (text: string | null) => trendMetric(text).id;
  expect(['lcp', 'interactions:a.b:inp', 'interactions:a:fcp', 'interactions:a:tbt', 'none', null].map(idOf)).toEqual([
    ...['lcp', 'interactions:a.b:inp', 'performance', 'performance', 'performance', 'performance'],
  ]);
});

test('the limit of an assertion is a line of its own metric, also with dots in its key', () => {
  const limit = (key: string, expected: number): AssertionResult => ({
    key,
    name: 'maxNumericValue',
    level: 'error',
    passed: true,
    expected,
    actual: 1,
    operator: '<=',
    message: '',
  });
  const results = [limit('interactions.search.inp', 200), limit('largest-contentful-paint', 2500)];
  const textsOf = (id: string) => limitLines([{ assertions: results }], trendMetric(id)).map(({ text }) => text);
  expect(textsOf('interactions:search:inp')).toEqual(['limit 200 ms']);
  expect(textsOf('interactions:menu:inp')).toEqual([]);
  expect(textsOf('lcp')).toEqual(['limit 2.5 s']);
});
