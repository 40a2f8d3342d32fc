import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { CDPSession } from 'puppeteer-core';
import { type AuditVersion, auditVersion } from '../../shared/audit-versions.ts';
import { launchBrowser, profileOf } from './browser.ts';
import { startCpuMeter } from './host/cpu-meter.ts';
import { deprioritizeWorkers } from './host/cpu-shares.ts';
import { closeInheritedFiles } from './host/processes.ts';
import { importLighthouse, runLighthouse } from './lighthouse.ts';
import { watchMainFrame } from './main-frame.ts';
import {
  type AuditorMessage,
  type AuditorOrder,
  type DocumentState,
  isTimed,
  type LaunchOrder,
  type MainFrame,
  type START_SIGNAL,
} from './messages.ts';
import { canRunScripts, closePopup, documentState } from './page-probe.ts';
import { BLANK_PAGE_MS, REJECTION_GRACE_MS, TIMED_PART_MS } from './stop-rules.ts';

/*
 * The auditor process: imports one Lighthouse release, waits for one order, does one audit, and is killed with its whole
 * process group. It ends when its parent does, whatever its own event loop is busy with.
 */
const [version, workDir, parent] = process.argv.slice(2) as [AuditVersion, string, string];
closeInheritedFiles(); // before any other thread opens files of its own
const parentWatch = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => process.ppid === parent || process.kill(-process.pid, 'SIGKILL'), 250);
`;
new Worker(parentWatch, { eval: true, workerData: Number(parent) }).unref();
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'));

/** Resolves when the parent has it, as far as this process can know: an exit before that would lose it. */
const send = async (tale: AuditorMessage): Promise<void> => {
  if (process.connected) await new Promise<unknown>((sent) => process.send?.(tale, sent));
};
const receive = <T>() => new Promise<T>((resolve) => process.once('message', resolve));

let browserAlive = false;
let session: CDPSession | undefined;
const reportError = async (error: unknown) => {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  const pageAnswers = session && browserAlive ? await canRunScripts(session) : null;
  send({
    type: 'failed',
    code: code ?? null,
    message: String(message ?? error).slice(0, 1000),
    browserAlive,
    pageAnswers,
  });
};
process.on('unhandledRejection', async (error) => {
  await sleep(REJECTION_GRACE_MS); // Lighthouse leaves some when a page navigates away under it
  reportError(error);
});
process.on('uncaughtException', reportError);

const lighthouse = await importLighthouse(version);
receive<AuditorOrder>().then(audit).catch(reportError);
send({ type: 'ready' });

async function audit({ executable, proxyPort, env, sandbox, ...plan }: AuditorOrder): Promise<void> {
  const { browser, page } = await startBrowser({ executable, proxyPort, env, sandbox });
  const own = await page.createCDPSession();
  let everPainted = false;
  const mainFrame = await watchMainFrame(own, (record) => {
    everPainted ||= record.painted;
    send({ type: 'mainFrame', record });
  });
  session = own;
  browser.on('targetcreated', (target) => {
    if (target.type() === 'page' && target.opener()) closePopup(target).catch(() => {}); // it may have closed itself
  });

  if (isTimed(plan)) {
    const go = receive<typeof START_SIGNAL>();
    send({ type: 'waiting' });
    await go;
  }
  const readCpu = startCpuMeter(process.pid);
  const hangTimer = setTimeout(async () => {
    if (!(await canRunScripts(own))) reportError({ code: 'PAGE_HUNG', message: 'The page does not answer.' });
  }, TIMED_PART_MS);
  let measured: MainFrame | undefined;
  let document: Promise<DocumentState> | undefined;
  const onMeasured = () => {
    measured = mainFrame(); // what is visited after it counts no more
    document = documentState(own, measured); // version 9 leaves the page before it ends
    clearTimeout(hangTimer);
    if (isTimed(plan) && !everPainted && !measured.loaded) {
      setTimeout(() => reportError({ code: 'NO_FCP', message: 'The page painted nothing.' }), BLANK_PAGE_MS);
    }
    send({ type: 'measured', cpu: readCpu() });
    // Version 9 would then often get no answer from its page; of busy workers it gets one without.
    if (auditVersion(version).acceptsPage) deprioritizeWorkers(process.pid);
  };
  const summary = await runLighthouse(lighthouse, plan, { page, profile: profileOf(workDir), onMeasured });
  clearTimeout(hangTimer);

  await send({
    type: 'audited',
    summary,
    pageAnswers: summary.runtimeError?.code === 'PROTOCOL_TIMEOUT' ? await canRunScripts(own) : null,
    document: await (document ?? documentState(own, mainFrame())),
    status: statusOf(measured ?? mainFrame()),
  });
  await browser.close();
  process.exit();
}

async function startBrowser(order: LaunchOrder) {
  const debuggingPort = !auditVersion(version).acceptsPage;
  const launched = await launchBrowser({ ...order, workDir, debuggingPort });
  const { browser, page } = launched;
  browserAlive = true;
  browser.once('disconnected', () => {
    browserAlive = false;
    reportError(new Error('the browser ended')); // Lighthouse may not notice, and wait for a page that is no more
  });
  send({ type: 'browser', version: await browser.version(), sandbox: launched.sandbox });
  return { browser, page };
}

/** Of the document that is shown. One that failed, such as a download, is not. */
const statusOf = ({ status, failure }: MainFrame) => (failure ? null : status);
