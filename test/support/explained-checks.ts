import { gzipSync } from 'node:zlib';
import { noMetrics, spreadOf } from '../../shared/metrics/page-metrics.ts';
import { runError } from '../../shared/problems.ts';
import type { Region } from '../../shared/regions.ts';
import { knownCauses } from './changing-site.ts';
import { nameOf, readReports } from './recorded-explanations.ts';
import { aCheck, type World } from './world.ts';

/** A result of a region: the LCP of each sample in milliseconds, and its median report. */
export type ReportedResult = { lcps: readonly number[]; report: string; bytes?: number };

/** Returns the results of a page before and after its image became larger, from a recording. */
export const largerImage = (): { fast: ReportedResult; slow: ReportedResult } => {
  const reports = readReports();
  const report = (state: object) => JSON.stringify(reports[nameOf('13.5.0', state)]);
  return {
    fast: { lcps: [1500, 1510, 1490, 1505, 1495], report: report({}) },
    slow: { lcps: [5500, 5510, 5490, 5505, 5495], report: report(knownCauses['an image larger']?.after ?? {}) },
  };
};

/** Creates a finished check with these results. A region without one has failed. Returns its id. */
export const reportedCheck = async (
  world: World,
  results: Partial<Record<Region, ReportedResult | undefined>>,
  labels: Record<string, string> = {},
): Promise<string> => {
  const check = aCheck({ regions: Object.keys(results) as Region[], labels });
  for (const run of await world.create(check)) {
    const result = results[run.region];
    if (!result) {
      await world.finish(run, { state: 'failed', error: runError('dns-failure') });
      continue;
    }
    const { lcps, report, bytes = report.length } = result;
    const samples = lcps.map((lcp) => ({ ...noMetrics, lcp, cpuBusy: 0, contended: false }));
    await world.finish(run, {
      state: 'succeeded',
      ...noMetrics,
      lcp: lcps[0] ?? null,
      samples,
      spread: spreadOf(samples),
      report: await world.storeReport(run, gzipSync(report), bytes),
    });
  }
  return check.id;
};
