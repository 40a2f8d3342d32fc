import { asCreated, type CheckView, checkView, newCheck } from '../check.ts';
import { compareRegions } from '../comparison/regions.ts';
import { spreadOf } from '../metrics/page-metrics.ts';
import type { Metrics } from '../metrics/page-metrics-schemas.ts';
import { optionsInEnvironment } from '../options/audit-options-schemas.ts';
import { presets } from '../options/throttling.ts';
import type { Run } from '../run.ts';
import { checkSummary, runSummary, seriesRun } from '../summaries.ts';
import { explanationExample } from './explanation-example.ts';

const id = 'bc5e8280-fb70-4b8a-9d1c-2aef394377d8';
const runIds = ['c124b5ca-fa0b-5761-a622-99f1725a32a7', '02271640-4272-5ce1-8aa2-967fe201f44c'];

export const createBody = {
  url: 'https://example.com/',
  auditVersion: '13',
  regions: ['us-west1', 'europe-north1'],
  samples: 3,
  blockedUrlPatterns: ['*://ads.example.com/*'],
  labels: { branch: 'main' },
};

const created = newCheck(
  { ...createBody, auditVersion: '13.5.0', regions: ['us-west1', 'europe-north1'] },
  { id, runIds, now: new Date('2026-11-25T16:49:27.405Z') },
);

const metrics: Metrics = {
  performance: 98,
  accessibility: 100,
  bestPractices: 100,
  pwa: null,
  seo: 90,
  agenticBrowsing: null,
  fcp: 633.1,
  si: 711.4,
  lcp: 912.6,
  tti: 912.6,
  tbt: 0,
  cls: 0.012,
  ttfb: 184.3,
  bytes: 412_876,
  requests: 31,
  mainThreadCpu: 152,
};
const use = { cpuBusy: 0.02, cpuWaitMs: 4, corrected: false, contended: false };

/** Returns the run as it is after an audit whose paints took this factor of the time. */
const succeeded = (run: Run, factor: number): Run => {
  const samples = [0.98, 1, 1.02].map((noise) => ({
    ...metrics,
    fcp: Math.round(633 * factor * noise),
    lcp: Math.round(912 * factor * noise),
    ...use,
  }));
  return {
    ...run,
    ...metrics,
    fcp: samples[1]?.fcp ?? null,
    lcp: samples[1]?.lcp ?? null,
    samples,
    spread: spreadOf(samples),
    state: 'succeeded',
    updatedAt: '2026-11-25T16:49:52.458Z',
    startedAt: '2026-11-25T16:49:27.905Z',
    finishedAt: '2026-11-25T16:49:52.458Z',
    finalUrl: run.url,
    attempts: samples.map((_, i) => ({
      number: i + 1,
      startedAt: `2026-11-25T16:49:${28 + 8 * i}.000Z`,
      finishedAt: `2026-11-25T16:49:${35 + 8 * i}.500Z`,
      seconds: 7.5,
      code: null,
      auditCode: null,
      contended: false,
    })),
    environment: {
      auditVersion: run.auditVersion,
      chromium: 'HeadlessChrome/153.0.8010.0',
      sandbox: true,
      fonts: '5c1b9a7e',
      revision: 1,
      device: 'mobile',
      throttling: 'simulate',
      throttlingValues: presets.mobile,
      ...optionsInEnvironment(createBody),
      benchmarkIndex: 2733.5,
      benchmarkedAt: '2026-11-25T16:45:12.250Z',
      cpuCount: 2,
      memoryMiB: 3538,
      kernel: '6.1.0',
      host: '08e094f9c233',
      cpuStolen: 0,
      ...use,
    },
  };
};

const runs = created.runs.map((run, i) => succeeded(run, 1 + i));
const view: CheckView = checkView({ ...created, runs });

/** Examples of the answers, made by the functions that make the answers. */
export const examples = {
  created: asCreated(created),
  check: view,
  run: view.runs[0],
  checks: { checks: [checkSummary(view)], nextCursor: null },
  runs: {
    runs: runs.map((run) =>
      runSummary(seriesRun({ ...run, checkId: id, labels: createBody.labels }), { isExpired: false }),
    ),
    nextCursor: null,
  },
  judged: {
    id,
    assertionsPassed: true,
    runs: runs.map((run) => ({
      id: run.id,
      region: run.region,
      state: run.state,
      assertions: [
        {
          key: 'categories:performance',
          ...({ name: 'minScore', level: 'error', passed: true } as const),
          ...({ expected: 0.9, actual: 0.98, operator: '>=' } as const),
          message: 'Performance: score 0.98, expected at least 0.9',
        },
      ],
      warnings: [],
    })),
  },
  comparison: compareRegions({ id, runs }),
  explanation: explanationExample(id, '0f5b6a0e-3c1d-4c8e-9a53-6d1f7f1f2a90'),
  fixes: {
    fixes: [
      {
        audit: 'image-delivery-insight',
        title: 'Improve image delivery',
        category: 'performance',
        points: 24.8,
        savings: { fcp: null, lcp: 7950, tbt: null, cls: null, ms: null, bytes: 1_624_748 },
        items: [
          {
            url: 'https://example.com/picture.png',
            selector: 'body > main > img',
            snippet: '<img src="picture.png" alt="Noise">',
            bytes: 1_624_748,
            ms: null,
          },
        ],
        itemCount: 1,
        contended: false,
        documentation: 'https://developer.chrome.com/docs/performance/insights/image-delivery',
      },
    ],
  },
  link: {
    url: `https://audits.example.com/checks/${id}#share=pas_share_ahS2pzXk9vY1c3JtR0pqZ2xkV0VhU1hMcG9uY0tBYlR1dkZtTnhR`,
    expiresAt: '2026-12-02T16:49:27.000Z',
  },
};
