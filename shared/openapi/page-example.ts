import { mainNames, noMetrics } from '../metrics/page-metrics.ts';
import { judgedPage, pageOf, type StoredResult } from '../pages/listed-pages.ts';
import { noSeries, packedSeries, type StoredPoint, seriesWith } from '../pages/page-points.ts';
import type { Page, PageList } from '../pages/pages.ts';
import { pick } from '../pick.ts';

/** End of all entries of the example, in seconds. */
const EXPIRES = Date.parse('2027-12-30T00:00:00.000Z') / 1000;

const newest: StoredResult = {
  ...pick({ ...noMetrics, performance: 55, accessibility: 100, lcp: 3795, cls: 0.02 }, mainNames),
  id: 'c124b5ca-fa0b-5761-a622-2aef394377d8',
  checkId: 'bc5e8280-fb70-4b8a-9d1c-2aef394377d8',
  createId: '7d9a2f50-9d3b-4f0e-8a0c-4f1d5c2b6e11',
  createdAt: '2026-11-25T16:49:27.905Z',
  finishedAt: '2026-11-25T16:49:52.905Z',
  state: 'succeeded',
  bytes: 412_876,
  assertionsPassed: null,
  errorCode: null,
  errorMessage: null,
  auditVersion: '13.5.0',
  sampleCount: 3,
  contended: false,
  labels: { branch: 'main' },
  runExpiresAt: EXPIRES,
  expiresAt: EXPIRES,
};

/** Returns the check of a day. The page got slower on the 24th. */
const pointOf = (day: number): StoredPoint => {
  const isSlow = day >= 24;
  return {
    at: Date.parse(`2026-11-${day}T16:49:27.905Z`),
    checkId: `bc5e8280-fb70-4b8a-9d1c-2aef394377${day === 25 ? 'd8' : day}`,
    inputs: 'default',
    machine: 'usual',
    isFailed: false,
    expiresAt: EXPIRES,
    locations: {
      performance: [isSlow ? 55 : 74, 0.3],
      accessibility: [100, 0],
      lcp: [(isSlow ? 3795 : 2436) + (day % 3) * 6, 100],
      cls: [0.02, 0],
    },
  };
};

/** Returns a page as the API shows it. */
export const pageExample = (): Page => {
  const days = Array.from({ length: 12 }, (_, i) => pointOf(14 + i));
  const series = packedSeries(days.reduce(seriesWith, noSeries));
  const now = new Date('2026-11-25T17:00:00.000Z');
  const page = { url: 'https://example.com/', device: 'mobile', region: 'us-west1', newest, series } as const;
  return pageOf([judgedPage(page, now.getTime() - 7 * 24 * 3600 * 1000, now)], now);
};

export const pagesExample = (): PageList => ({
  pages: [pageExample()],
  since: '2026-11-18T17:00:00.000Z',
  counts: { total: 1, worse: 1, failed: 0, better: 0, unchanged: 0, untold: 0 },
  cut: false,
  nextCursor: null,
});
