import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CheckView } from '../../shared/check.ts';
import { hostilePages } from '../pages/hostile/index.ts';
import { compileCache } from '../support/compile-cache.ts';
import { serveHostilePages } from '../support/hostile-server.ts';
import { leaksIn, secretsIn } from '../support/leaks.ts';
import { secretsFor, serveLogin, valuesOf } from '../support/login-site.ts';
import type { Report } from '../support/page-lab.ts';
import { type Pages, servePages } from '../support/pages.ts';
import { startReceiver, verified } from '../support/receiver.ts';
import { fetchWhenAvailable, remainsOf, startLocally } from '../support/service.ts';
import { codesOf, finishedCheck, type LocalService, quickCheck } from '../support/service-audits.ts';
import { openPage, press, startBrowser, untilShown } from '../support/web-browser.ts';

let dataDir: string;
let pages: Pages;
let service: LocalService;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
  pages = await servePages();
  service = await startLocally(dataDir, { LOG_LEVEL: 'DEBUG' });
});
afterAll(async () => {
  await service.stop();
  await pages.close();
  await rm(dataDir, { recursive: true });
});

/** Sends a request to the service as a browser would. Sends a POST if there is a body. */
const request = (path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetchWhenAvailable(`${service.url}${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', accept: 'text/html, */*', ...headers },
  });

test('a careless page behind a login leaves no secret in the data folder, the log at DEBUG, answers or reports', async () => {
  await using site = await serveLogin();
  const secrets = secretsFor(site.origin);
  const values = valuesOf(secrets);
  const body = { ...quickCheck(pages), url: `${site.origin}/page`, ...secrets };
  const create = (sent: object) => request('/v1/checks', sent, { 'idempotency-key': 'login' });
  const created = await create(body);
  expect(created.ok).toBe(true);
  const { id, runs } = JSON.parse(await created.clone().text());
  await site.firstPage;
  expect(leaksIn(dataDir, values).length).toBeGreaterThan(0); // so the search would find them
  const check = await finishedCheck(service, id);
  expect(check).toMatchObject({
    state: 'succeeded',
    headers: ['x-preview-token'],
    basicAuth: true,
    cookies: ['session'],
  });

  const run = `/v1/checks/${id}/runs/${runs[0].id}`;
  const answers = await Promise.all([
    created,
    request(`/v1/checks/${id}`),
    request('/v1/checks'),
    request(run),
    request(`${run}/report`), // as a page
    fetch(`${service.url}${run}/report`),
    request(`${run}/fixes`),
    create({ ...body, cookies: [] }), // another body with the same key
    create({ ...body, url: 'https://example.com/' }), // cookies of another site
  ]);
  expect(answers.map(({ status }) => status)).toEqual([created.status, 200, 200, 200, 200, 200, 200, 422, 400]);
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  expect(secretsIn(Buffer.from(texts.join('\n')), values)).toEqual([]);
  expect(service.output()).toMatch(/^\{"level":"DEBUG"/m);
  expect(secretsIn(Buffer.from(service.output()), values)).toEqual([]);
  expect(leaksIn(dataDir, values)).toEqual([]);
});

test('a run of several samples has the parts without noise once, and its report has all of them', async () => {
  const body = { ...quickCheck(pages), url: pages.url('/perfect'), categories: ['performance', 'seo'], samples: 3 };
  const { id } = await service.post(body);
  const [run] = (await finishedCheck(service, id)).runs;
  expect(run).toMatchObject({ state: 'succeeded', seo: 100, samples: [{ seo: 100 }, { seo: null }, { seo: null }] });
  expect(run?.samples.filter(({ performance }) => performance !== null)).toHaveLength(3);
  const report = (await (await request(`${run?.links.report}`, undefined, { accept: '*/*' })).json()) as Report;
  expect(Object.keys(report.categories)).toEqual(['performance', 'seo']);
  expect(Object.keys(report.audits)).toEqual(expect.arrayContaining(['bf-cache', 'document-title']));
  expect(report.fullPageScreenshot).toBeTruthy();
});

test('a page that reloads itself without end fails in its first attempt, and its webhook reports that', async () => {
  const receiver = await startReceiver();
  await using hostile = await serveHostilePages(hostilePages);
  const webhook = await request('/v1/webhooks', { url: receiver.url, events: ['check.completed'] });
  const { secret } = (await webhook.json()) as { secret: string };
  const { id } = await service.post({ ...quickCheck(pages), url: await hostile.url('reload-loop') });
  const [run] = (await finishedCheck(service, id)).runs;
  expect(run).toMatchObject({ state: 'failed', seo: null, error: { code: 'redirect-loop', blame: 'page' } });
  expect(codesOf(run)).toEqual(['redirect-loop']);
  await expect.poll(() => receiver.received.length).toBe(1);
  const [received] = receiver.received;
  if (!received) throw new Error('The receiver got no delivery.');
  expect(verified(secret, received)).toMatchObject({ type: 'check.completed', data: { id, state: 'failed' } });
  await receiver.stop();
});

test('a person audits a page in the browser, and opens its report', async () => {
  const browser = await startBrowser();
  try {
    const { page, errors } = await openPage(browser, service.url);
    await page.waitForSelector('input[name=regions]');
    await page.type('#url', pages.url('/perfect'));
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.pathname.startsWith('/checks/'));
    const id = new URL(page.url()).pathname.split('/')[2] as string;
    const [run] = (await finishedCheck(service, id)).runs;
    expect(run).toMatchObject({ state: 'succeeded', accessibility: 100, bestPractices: 100, seo: 100 });
    await press(page, 'this machine');
    await press(page, 'Show the report');
    const frame = await (await page.waitForSelector('iframe'))?.contentFrame();
    await frame?.waitForSelector('.lh-scores-header');
    await untilShown(page, 'While it loads');
    expect(errors).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('the command audits a page and prints its check', async () => {
  const { PATH = '', HOME = '' } = process.env;
  const given = ['run', pages.url('/perfect'), '--region', 'us-west1', '--category', 'seo', '--format', 'json'];
  const child = spawn(process.execPath, ['clients/cli/page-audit.cjs', ...given], {
    env: { ...compileCache, PATH, HOME, PAGE_AUDIT_URL: service.url },
  });
  const stdout = child.stdout.toArray();
  child.stderr.resume();
  expect(await once(child, 'close')).toEqual([0, null]);
  const [check] = JSON.parse(`${Buffer.concat(await stdout)}`).checks as CheckView[];
  expect(check).toMatchObject({ state: 'succeeded', runs: [{ region: 'us-west1', seo: 100 }] });
});

test('a service that is stopped leaves no process and no folder behind', async () => {
  await service.stop();
  expect(remainsOf(service.pid)).toEqual({ folders: [], processes: [] });
});
