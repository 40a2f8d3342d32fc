import { closeSync, readdirSync, statSync } from 'node:fs';
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
  | { type: 'browser'; version: string }
  | { type: 'mainFrame'; record: MainFrame }
  | { type: 'audited'; summary: Summary }
  | { type: 'threw'; code: string | null; message: string; browserAlive: boolean };

/*
 * The auditor process: imports one Lighthouse release, waits for one order, does one audit, and is killed with its whole
 * process group. It ends when its parent does, whatever its own event loop is busy with.
 */
const [version, workDir, parent] = process.argv.slice(2) as [AuditVersion, string, string];
closeInherited(); // before any other thread opens files of its own
const parentWatch = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => process.ppid === parent || process.kill(-process.pid, 'SIGKILL'), 250);
`;
new Worker(parentWatch, { eval: true, workerData: Number(parent) }).unref();
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'));

/** Resolves when the parent has it, as far as this process can know: an exit before that would lose it. */
const tell = async (tale: Tale): Promise<void> => {
  if (process.connected) await new Promise<unknown>((sent) => process.send?.(tale, sent));
};

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
  const debuggingPort = !takesPage(version);
  const { browser, page } = await launchBrowser({ executable, proxyPort, workDir, env, debuggingPort });
  browserAlive = true;
  browser.once('disconnected', () => {
    browserAlive = false;
  });
  tell({ type: 'browser', version: await browser.version() });
  await watchMainFrame(await page.createCDPSession(), (record) => tell({ type: 'mainFrame', record }));
  await tell({
    type: 'audited',
    summary: await runLighthouse(lighthouse, { url, version, page, profile: profileOf(workDir) }),
  });
  await browser.close();
  process.exit();
};

/** Files that a library of the parent opened to be inherited, its database's among them, are no business of a browser's. */
function closeInherited() {
  if (process.platform !== 'linux') return;
  for (const fd of readdirSync('/proc/self/fd').map(Number)) {
    try {
      if (fd > 2 && statSync(`/proc/self/fd/${fd}`).isFile()) closeSync(fd);
    } catch {
      // The listing's own is closed already.
    }
  }
}
