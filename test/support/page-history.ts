import { gunzipSync, gzipSync } from 'node:zlib';
import type { Report } from '../../shared/explanation/report.ts';
import { pick } from '../../shared/pick.ts';
import { knownCauses } from './changing-site.ts';
import { finishedCheck, finishRun } from './finished-checks.ts';
import { nameOf, readReports } from './recorded-explanations.ts';
import { readReport } from './recorded-reports.ts';
import { aCheck, type World } from './world.ts';

const HOUR_MS = 3600_000;
/** Results of a page before and after an image grew. */
const [good, bad] = [
  { lcps: [1500, 1510, 1490], performance: 92 },
  { lcps: [5500, 5510, 5490], performance: 61 },
];

/** Returns a report as JSON with the images of another one, because recorded explanations have none. */
const withFrames = (report: Report | undefined, { audits }: Report): string => {
  const images = pick(audits, ['screenshot-thumbnails', 'final-screenshot', 'full-page-screenshot']);
  return JSON.stringify({ ...report, audits: { ...report?.audits, ...images } });
};

/**
 * Stores checks of a page in one region, one every two hours, which got slower with a deploy so many checks ago. The two checks
 * around the deploy have reports. Returns their ids.
 */
export const slowedPage = async (world: World, url: string, { checks = 100, dropped = 60 } = {}) => {
  const reports = readReports();
  const frames = JSON.parse(gunzipSync(await readReport('13.5.0')).toString()) as Report;
  const ids: string[] = [];
  for (let i = checks; i > 0; i -= 1) {
    const now = new Date(Date.now() - i * 2 * HOUR_MS);
    const isBad = i <= dropped;
    const inputs = { url, now, regions: ['us-west1' as const], samples: 3, labels: { deploy: isBad ? 'v2' : 'v1' } };
    if (i !== dropped && i !== dropped + 1) {
      ids.push((await finishedCheck(world, inputs, [isBad ? bad : good])).id);
      continue;
    }
    const check = aCheck(inputs);
    const [run] = await world.create(check);
    if (!run) throw new Error('The check has no run.');
    const served = isBad ? knownCauses['an image larger']?.after : {};
    const report = await world.storeReport(run, gzipSync(withFrames(reports[nameOf('13.5.0', served ?? {})], frames)));
    await finishRun(world, run, isBad ? bad : good, report);
    ids.push(check.id);
  }
  const [before = '', after = ''] = ids.slice(checks - dropped - 1);
  return { before, after, newest: ids.at(-1) ?? '' };
};
