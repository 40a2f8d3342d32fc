import { mainNames, noMetrics } from '../page-metrics.ts';
import { listedPage, type PageResult, pageResult, type StoredResult } from '../pages.ts';
import { pick } from '../pick.ts';

const measured = {
  ...{ contended: false, host: '08e094f9c233', chromium: 'HeadlessChrome/153.0.8010.0' },
  ...{ sandbox: true, fonts: '5c1b9a7e', revision: 1 },
};

const result = (id: string, createdAt: string, lcp: readonly number[]): StoredResult => ({
  ...pick({ ...noMetrics, performance: 71, accessibility: 100, lcp: lcp[1] ?? null, cls: 0.02 }, mainNames),
  id: `c124b5ca-fa0b-5761-a622-${id}`,
  checkId: `bc5e8280-fb70-4b8a-9d1c-${id}`,
  createId: '7d9a2f50-9d3b-4f0e-8a0c-4f1d5c2b6e11',
  runExpiresAt: Number.POSITIVE_INFINITY,
  expiresAt: Number.POSITIVE_INFINITY,
  createdAt,
  finishedAt: createdAt.replace(':27.', ':52.'),
  state: 'succeeded',
  errorCode: null,
  auditVersion: '13.5.0',
  samples: { performance: [71, 71, 71], accessibility: [100, 100, 100], lcp: [...lcp], cls: [0.02, 0.02, 0.02] },
  sampleCount: 3,
  ...measured,
  audited: {},
  labels: { branch: 'main' },
});

/** Returns a page of the list as the API shows it. */
export const pageExample = (): PageResult =>
  pageResult(
    listedPage({ url: 'https://example.com/', device: 'mobile', region: 'us-west1' }, [
      result('2aef394377d8', '2026-11-25T16:49:27.905Z', [3780, 3795, 3801]),
      result('99f1725a32a7', '2026-11-24T16:49:27.905Z', [2430, 2436, 2441]),
    ]),
    new Date('2026-11-25T17:00:00.000Z'),
  );
