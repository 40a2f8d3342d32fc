import { gunzipSync } from 'node:zlib';
import puppeteer, { type Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareChromium } from '../../../functions/auditor/host/chromium.ts';
import { auditors } from '../../../functions/auditor/parent/auditors.ts';
import { withWholeReports } from '../../../functions/lib/runs/whole-reports.ts';
import type { AuditVersion } from '../../../shared/audit-versions.ts';
import { type Api, startApi } from '../../support/api.ts';
import { auditorDir } from '../../support/auditor-dir.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { FULL } from '../../support/full.ts';
import { majorVersions } from '../../support/major-versions.ts';
import { anOrder } from '../../support/order.ts';
import { servePages } from '../../support/pages.ts';
import { readReport } from '../../support/recorded-reports.ts';
import type { World } from '../../support/world.ts';

let world: World;
let api: Api;
let browser: Browser;
beforeAll(async () => {
  api = await startApi();
  world = api.world;
  const { executable, env } = await prepareChromium(testChromium());
  browser = await puppeteer.launch({
    executablePath: executable,
    headless: 'shell',
    env: { ...process.env, ...env },
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
});
afterAll(async () => {
  await browser?.close();
  await api.stop();
});

/** Audits the faulty page. */
const audit = async (version: AuditVersion, options: Parameters<typeof anOrder>[0] = {}) => {
  const pages = await servePages();
  const lab = auditors({
    targets: { targets: 'local', ports: [] },
    ...testChromium(),
    auditorDir: await auditorDir(),
  });
  try {
    const order = anOrder({ url: pages.url('/faulty'), auditVersion: version, ...options });
    const { report } = await lab.audit(order, new AbortController().signal);
    if (!report) throw new Error('The audit has no report.');
    return report;
  } finally {
    await lab.close();
    await pages.close();
  }
};

/** Returns the gzipped report of the faulty page: the recorded one, or in `npm run test:full` a new one. */
const reportOf = async (version: AuditVersion): Promise<Buffer> =>
  FULL ? (await audit(version)).gzip : readReport(version);

type Categories = Record<string, { title: string; score: number }>;

/** Opens a report, and expects all its parts without an error. */
const expectToOpen = async (gzip: Buffer) => {
  const json = gunzipSync(gzip).toString();
  const { path } = await world.finishedRun(json, { gzip });
  const page = await browser.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => void (message.type() === 'log' || errors.push(message.text())));
  page.on('pageerror', (error) => void errors.push(String(error)));
  page.on('request', (request) => void requests.push(request.url()));
  const response = await page.goto(`${api.url}${path}`, { waitUntil: 'networkidle0' });
  expect(response?.headers()['content-type']).toBe('text/html; charset=utf-8');
  const shown = await page.evaluate(() => ({
    origin: self.origin,
    scores: document.querySelector('.lh-scores-header')?.textContent,
    audits: document.querySelectorAll('.lh-audit').length,
    pictures: document.querySelectorAll('.lh-element-screenshot').length,
  }));
  const { categories } = JSON.parse(json) as { categories: Categories };
  expect(shown.origin).toBe('null');
  for (const { title } of Object.values(categories)) expect(shown.scores).toContain(title);
  expect(shown.audits).toBeGreaterThan(40);
  expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([`${api.url}${path}`]);
  expect(errors).toEqual([]);
  await page.close();
  return { categories, pictures: shown.pictures };
};

test.each(majorVersions)(
  'the page of a $version report opens in its sandbox, complete and without errors',
  async ({ version }) => void (await expectToOpen(await reportOf(version))),
);

test.each(majorVersions)(
  'a later sample by $version has performance only, and its report opens with the parts of the first one',
  async ({ version }) => {
    const firstReport = { gzip: await reportOf(version), bytes: 0 };
    const report = await audit(version, { timedOnly: true });
    const { categories: measured } = JSON.parse(gunzipSync(report.gzip).toString()) as { categories: Categories };
    expect(Object.keys(measured).filter((id) => id !== 'pwa')).toEqual(['performance']);
    const whole = await withWholeReports({ report, firstReport });
    const [of, first] = [await expectToOpen(whole.report.gzip), await expectToOpen(firstReport.gzip)];
    const steady = ({ performance: _, pwa: __, ...rest }: Categories) => rest;
    expect(steady(of.categories)).toEqual(steady(first.categories));
    expect(of.pictures).toBeGreaterThan(0);
  },
);
