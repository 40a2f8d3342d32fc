import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { auditors } from '../../functions/auditor/parent/auditors.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { type FixablePage, fixablePages, serveFixablePages } from '../pages/fixable.ts';
import { testChromium } from '../support/chromium-dir.ts';
import { anOrder } from '../support/order.ts';
import { type CategoryScores, type Experiment, writeExperiments } from '../support/recorded-fixes.ts';

const everyPage = Object.keys(fixablePages) as FixablePage[];
/** The pages by version, and the number of audits before and after the repair. */
const plans: { version: AuditVersion; pages: FixablePage[]; times: number }[] = [
  { version: '13.5.0', pages: everyPage, times: 3 },
  { version: '12.8.2', pages: ['busy', 'shift'], times: 1 },
  { version: '11.7.1', pages: ['busy', 'image'], times: 1 },
  { version: '10.4.0', pages: ['busy'], times: 1 },
  { version: '9.6.8', pages: ['image'], times: 1 },
];
const cases = plans.flatMap(({ pages, ...plan }) => pages.map((page) => ({ ...plan, page })));

const experiments: Experiment[] = [];
const lab = auditors({ targets: { targets: 'local', ports: [] }, ...testChromium() });
afterAll(() => lab.close());

test.each(cases)('records the page `$page` with its fault and without it, in $version', async (plan) => {
  const { version, page, times } = plan;
  await using pages = await serveFixablePages();
  const repeat = async (state: 'before' | 'after') => {
    const reports = [];
    while (reports.length < times) reports.push(await audit(pages.url(page, state), version));
    return reports;
  };
  const [before, after] = [await repeat('before'), await repeat('after')];
  const byScore = [...before].sort((a, b) => performanceOf(a) - performanceOf(b));
  const report = byScore[Math.floor(times / 2)] as Report; // the median
  experiments.push({ version, page, report, before: before.map(scoresOf), after: after.map(scoresOf) });
});

test('stores the records', () => {
  expect(experiments).toHaveLength(cases.length);
  writeExperiments(experiments);
});

type Report = Experiment['report'];

const audit = async (url: string, auditVersion: AuditVersion): Promise<Report> => {
  const order = anOrder({ url, auditVersion });
  const verdict = await lab.audit(order, new AbortController().signal);
  if (!verdict.report) throw new Error(JSON.stringify(verdict));
  const { categories, audits }: Report = JSON.parse(gunzipSync(verdict.report.gzip).toString());
  const kept = Object.entries(audits).filter(([id]) => !large.includes(id));
  return { categories, audits: Object.fromEntries(kept) };
};

/** Audits that no fix comes from. */
const large = [
  ...['final-screenshot', 'screenshot-thumbnails', 'full-page-screenshot', 'script-treemap-data'],
  ...['network-requests', 'main-thread-tasks', 'metrics', 'diagnostics', 'resource-summary'],
];

const scoresOf = ({ categories }: Report): CategoryScores =>
  Object.fromEntries(Object.entries(categories).map(([name, { score }]) => [name, score]));

const performanceOf = ({ categories }: Report): number => categories.performance?.score ?? 0;
