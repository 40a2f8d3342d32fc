import { gunzipSync } from 'node:zlib';
import puppeteer, { type Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { auditors } from '../../functions/auditor/auditors.ts';
import { prepareChromium } from '../../functions/auditor/host/chromium.ts';
import { importApi, startGateway } from '../../infra/local/gateway.ts';
import { auditVersions } from '../../shared/audit-versions.ts';
import { chromiumDir } from '../support/chromium-dir.ts';
import { servePages } from '../support/pages.ts';
import { startWorld, type World } from '../support/world.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let world: World;
let api: Awaited<ReturnType<typeof startGateway>>;
let pages: Awaited<ReturnType<typeof servePages>>;
let browser: Browser;
const lab = auditors({ targets: { targets: 'local', ports: [] }, chromiumDir: chromiumDir() });
beforeAll(async () => {
  world = await startWorld();
  api = await startGateway({ port: 0, functions: await importApi() });
  pages = await servePages();
  await lab.prepare();
  const { executable, env } = await prepareChromium(chromiumDir());
  browser = await puppeteer.launch({
    executablePath: executable,
    headless: 'shell',
    env: { ...process.env, ...env },
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
});
afterAll(async () => {
  await browser?.close();
  await lab.close();
  await pages.close();
  await api.close();
  await world.stop();
});

test.each(auditVersions)(
  'the page of a report of $version opens in its sandbox, whole and silent',
  async ({ version }) => {
    const order = { url: pages.url('/faulty'), auditVersion: version, device: 'mobile' as const, lean: false };
    const { report } = await lab.audit(order, new AbortController().signal);
    if (!report) throw new Error('the audit has no report');
    const json = gunzipSync(report.gzip).toString();
    const { path } = await world.finishedRun(json, { gzip: report.gzip });

    const page = await browser.newPage();
    const complaints: string[] = [];
    const asked: string[] = [];
    page.on('console', (message) => void (message.type() === 'log' || complaints.push(message.text())));
    page.on('pageerror', (error) => void complaints.push(String(error)));
    page.on('request', (request) => void asked.push(request.url()));
    const answer = await page.goto(`${api.url}${path}`, { waitUntil: 'networkidle0' });
    expect(answer?.headers()['content-type']).toBe('text/html; charset=utf-8');
    const seen = await page.evaluate(() => ({
      origin: self.origin,
      scores: document.querySelector('.lh-scores-header')?.textContent,
      audits: document.querySelectorAll('.lh-audit').length,
      errors: document.querySelectorAll('.lh-error-msg').length,
    }));
    const { categories } = JSON.parse(json) as { categories: Record<string, { title: string }> };
    expect(seen.origin).toBe('null');
    for (const { title } of Object.values(categories)) expect(seen.scores).toContain(title);
    expect(seen.audits).toBeGreaterThan(40);
    expect(asked.filter((url) => !url.startsWith('data:'))).toEqual([`${api.url}${path}`]);
    expect(complaints).toEqual([]);
    await page.close();
  },
);
