import { gunzipSync } from 'node:zlib';
import puppeteer, { type Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { prepareChromium } from '../../../functions/auditor/host/chromium.ts';
import { auditors } from '../../../functions/auditor/parent/auditors.ts';
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

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

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

/** Returns the gzipped report of the faulty page: the recorded one, or in `npm run test:full` a new one. */
const reportOf = async (version: AuditVersion): Promise<Buffer> => {
  if (!FULL) return readReport(version);
  const pages = await servePages();
  const lab = auditors({
    targets: { targets: 'local', ports: [] },
    ...testChromium(),
    auditorDir: await auditorDir(),
  });
  try {
    const order = anOrder({ url: pages.url('/faulty'), auditVersion: version });
    const { report } = await lab.audit(order, new AbortController().signal);
    if (!report) throw new Error('The audit has no report.');
    return report.gzip;
  } finally {
    await lab.close();
    await pages.close();
  }
};

test.each(majorVersions)(
  'the page of a $version report opens in its sandbox, complete and without errors',
  async ({ version }) => {
    const gzip = await reportOf(version);
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
    }));
    const { categories } = JSON.parse(json) as { categories: Record<string, { title: string }> };
    expect(shown.origin).toBe('null');
    for (const { title } of Object.values(categories)) expect(shown.scores).toContain(title);
    expect(shown.audits).toBeGreaterThan(40);
    expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([`${api.url}${path}`]);
    expect(errors).toEqual([]);
    await page.close();
  },
);
