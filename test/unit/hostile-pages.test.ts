import { expect, test } from 'vitest';
import { emptyMainFrame } from '../../functions/auditor/messages.ts';
import { judge } from '../../functions/auditor/verdict/judge.ts';
import type { Observation } from '../../functions/auditor/verdict/observation.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { presets } from '../../shared/options/throttling.ts';
import { runProblems } from '../../shared/problems.ts';
import { hostilePages, shortSet, shortSetOf9 } from '../pages/hostile/index.ts';
import { anOrder } from '../support/order.ts';

const pages = [...shortSet, ...shortSetOf9].map((name) => hostilePages[name]);

test('the short sets name existing pages', () => {
  expect(pages).not.toContain(undefined);
});

test('the short set covers every error code that blames the page', () => {
  const certain = pages.flatMap((page) => (page?.verdicts.length === 1 ? page.verdicts : []));
  const codes = Object.entries(runProblems).flatMap(([code, { blame }]) => (blame === 'page' ? [code] : []));
  expect(codes.filter((code) => !certain.includes(code as keyof typeof runProblems))).toEqual([]);
});

/** An audit that causes every warning that the service has. */
const everyWarning: Observation = {
  order: anOrder({ auditVersion: '9.6.8', skipOptionalParts: true }),
  end: {
    how: 'audited',
    summary: {
      metrics: noMetrics,
      runtimeError: null,
      finalUrl: 'https://example.com/',
      warnings: [],
      benchmarkIndex: 1000,
      benchmarkedAt: '2026-11-25T16:45:12.250Z',
      throttling: 'simulate',
      throttlingValues: presets.mobile,
      erroredAudits: [{ id: 'unminified-css', message: 'Failed' }],
      screenshotMissing: true,
      withoutCharset: true,
      uncheckedRules: ['color-contrast'],
      withoutMeaningfulPaint: true,
      report: Buffer.alloc(0),
      reportBytes: 0,
    },
    pageAnswers: null,
    document: 'shown',
    status: 200,
  },
  mainFrame: emptyMainFrame,
  chromium: null,
  fonts: '5c1b9a7e',
  sandbox: null,
  machine: { cpuCount: 2, memoryMiB: 8192, kernel: '', host: '' },
  cpu: null,
  starvedShare: 0,
  stoodStillMs: 0,
  proxyHeldMs: 0,
  blocked: {
    blockedRequests: [{ host: '10.0.0.1', port: 80, reason: 'private address', count: 1 }],
    blockedRequestCount: 1,
  },
  shortage: undefined,
  frozen: null,
  overCap: [{ host: 'example.com', reason: 'bytes per audit' }],
  decisionOn: () => undefined,
};
/** test/all/audit/audit-options.test.ts covers this warning: hostile pages cause it only after a hang of two minutes. */
const coveredElsewhere = /bf-cache/;

test('the short set covers every warning', () => {
  const expected = pages.flatMap((page) =>
    [page?.warning, page?.warningBefore?.[1]].filter((each) => each !== undefined),
  );
  const { warnings } = judge(everyWarning);
  expect(warnings).toHaveLength(8);
  const uncovered = warnings.filter((warning) => ![...expected, coveredElsewhere].some((regex) => regex.test(warning)));
  expect(uncovered).toEqual([]);
});
