import { Worker } from 'node:worker_threads';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { launchBrowser, profileOf } from './browser.ts';
import { importLighthouse, runLighthouse, type Summary, takesPage } from './lighthouse.ts';
import { type MainFrame, watchMainFrame } from './main-frame.ts';

/** What the parent sends once: the audit to do. */
export type Order = { url: string; executable: string; proxyPort: number; env: Record<string, string> };

/** What the auditor tells its parent, in this order; `mainFrame` as often as it changes. */
export type Tale =
  | { type: 'ready' }
  | { type: 'browser'; pid: number; version: string }
  | { type: 'mainFrame'; record: MainFrame }
  | { type: 'audited'; summary: Summary }
  | { type: 'threw'; code: string | null; message: string; browserAlive: boolean };

/*
 * The auditor process: imports one Lighthouse release, waits for one order, does one audit, and is killed with its whole
 * process group. It ends when its parent does, whatever its own event loop is busy with.
 */
const [version, workDir] = process.argv.slice(2) as [AuditVersion, string];
const tell = (tale: Tale) => process.send?.(tale);

/** The browser is in a group of its own, so the watch must know its pid. */
const browserPid = new Int32Array(new SharedArrayBuffer(4));
const parentWatch = `
  const { workerData: { parent, browserPid, workDir } } = require('node:worker_threads');
  const { rmSync } = require('node:fs');
  const kill = (group) => { try { process.kill(-group, 'SIGKILL'); } catch {} };
  setInterval(() => {
    if (process.ppid === parent) return;
    if (browserPid[0] > 0) kill(browserPid[0]);
    try { rmSync(workDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }); } catch {}
    kill(process.pid);
  }, 250);
`;
new Worker(parentWatch, { eval: true, workerData: { parent: process.ppid, browserPid, workDir } }).unref();

let browserAlive = false;
const threw = (error: unknown) => {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  tell({ type: 'threw', code: code ?? null, message: String(message ?? error).slice(0, 1000), browserAlive });
};
process.on('unhandledRejection', threw); // Lighthouse leaves some when a page navigates away under it
process.on('uncaughtException', threw);

const lighthouse = await importLighthouse(version);
process.once('message', (order: Order) => audit(order).catch(threw));
tell({ type: 'ready' });

const audit = async ({ url, executable, proxyPort, env }: Order): Promise<void> => {
  const browser = await launchBrowser({ executable, proxyPort, workDir, env, debuggingPort: !takesPage(version) });
  browserAlive = true;
  browser.once('disconnected', () => {
    browserAlive = false;
  });
  browserPid[0] = browser.process()?.pid ?? 0;
  tell({ type: 'browser', pid: browserPid[0], version: await browser.version() });

  const page = (await browser.pages())[0] ?? (await browser.newPage());
  await watchMainFrame(await page.createCDPSession(), (record) => tell({ type: 'mainFrame', record }));
  tell({
    type: 'audited',
    summary: await runLighthouse(lighthouse, { url, version, browser, page, profile: profileOf(workDir) }),
  });
};
