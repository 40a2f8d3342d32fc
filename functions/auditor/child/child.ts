import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Browser, CDPSession } from 'puppeteer-core';
import { type AuditVersion, auditVersion } from '../../../shared/audit-versions.ts';
import { cutText } from '../../../shared/text.ts';
import type { Waits } from '../cpu-waits.ts';
import type { AskForFailed, FailedTarget, FailedTargets } from '../failed-targets.ts';
import { deprioritizeWorkers } from '../host/cpu-shares.ts';
import { closeInheritedFiles } from '../host/processes.ts';
import { starvationOf } from '../host/starvation.ts';
import type { InteractionContext } from '../interactions/measure.ts';
import type { ProtocolTraffic } from '../lighthouse/patches.ts';
import { importLighthouse, measureBenchmark, runLighthouse } from '../lighthouse/run.ts';
import {
  type Audited,
  type AuditOrder,
  type AuditorMessage,
  type Benchmark,
  type Benchmarked,
  type DocumentState,
  type FrozenPart,
  isTimed,
  type LaunchSettings,
  type MainFrame,
  type MeasuredAnswer,
  type StartAudit,
  type StartBenchmark,
  type StartBrowser,
  type StartSignal,
} from '../messages.ts';
import { BLANK_PAGE_MS, LAST_SIMULATION_MS, REJECTION_GRACE_MS, TIMED_PART_MS } from '../stop-rules.ts';
import { isUsable, type Launched, launchBrowser } from './browser.ts';
import { watchLiveness } from './liveness.ts';
import { useSecrets } from './login.ts';
import { statusOf, type Watched, watchMainFrame } from './main-frame.ts';
import { elapsed, makeTimersPatient } from './own-time.ts';
import { heldDocument, keepDocument, releaseDocument, stayUnlessAnswered } from './page-hold.ts';
import { asksForPassword, canRunScripts, closePopups, documentState } from './page-probe.ts';
import { watchProgress } from './progress.ts';
import { watchQuiet, watchRequests } from './quiet-page.ts';
import { summariesOf } from './summaries.ts';

/*
 * The auditor process. It imports one Lighthouse release, receives one order and runs one audit. Then the parent kills its
 * process group. Before the order it may start its browser and measure the host's benchmark. A separate thread kills the
 * group if the parent exits, even while the main thread is busy.
 */
const [version, workDir, parent] = process.argv.slice(2) as [AuditVersion, string, string];
closeInheritedFiles(); // before another thread opens files that must stay open
const parentWatch = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => process.ppid === parent || process.kill(-process.pid, 'SIGKILL'), 250);
`;
new Worker(parentWatch, { eval: true, workerData: Number(parent) }).unref();
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'));

/** Sends a message. Resolves when the message has been written, because an earlier exit would lose it. */
const send = async (message: AuditorMessage | Benchmarked | AskForFailed): Promise<void> => {
  if (process.connected) await new Promise<unknown>((sent) => process.send?.(message, sent));
};
const receive = <T>() => new Promise<T>((resolve) => process.once('message', resolve));

let browserAlive = false;
/** True if the audit needs the browser no more. */
let isSeen = false;
let session: CDPSession | undefined;
const reportError = async (error: unknown) => {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  const pageAnswers = session && browserAlive && !isSeen ? await canRunScripts(session) : null;
  send({
    type: 'failed',
    code: code ?? null,
    message: cutText(String(message ?? error), 1000),
    browserAlive,
    pageAnswers,
  });
};
process.on('unhandledRejection', async (error) => {
  if (isSeen) return; // Lighthouse had asked the closed browser
  await elapsed(REJECTION_GRACE_MS); // Lighthouse leaves rejections unhandled when a page navigates during the audit
  reportError(error);
});
process.on('uncaughtException', reportError);

const starvedMs = starvationOf(process.pid);
makeTimersPatient(starvedMs);
const importing = importLighthouse(version);
/** The browser that started before the order. */
let ahead: Promise<Launched> | undefined;
receive<StartBrowser | StartBenchmark | StartAudit>().then(serve).catch(reportError); // a browser starts during the import
await importing;
send({ type: 'ready' });

/** Handles the messages until the audit. */
async function serve(message: StartBrowser | StartBenchmark | StartAudit): Promise<void> {
  if ('order' in message) return audit(message);
  if ('ahead' in message) {
    ahead = launchBrowser({ ...message.ahead, workDir: join(workDir, 'ahead') });
    ahead.catch(() => {}); // the audit starts another one
  } else {
    const { page } = await (ahead as Promise<Launched>);
    send({ type: 'benchmarked', benchmark: await measureBenchmark(await importing, page) });
  }
  await serve(await receive());
}

async function audit({ order, launch, benchmark: known }: StartAudit): Promise<void> {
  const [{ browser, page, close, profile }, lighthouse] = await Promise.all([startBrowser(launch), importing]);
  const unused = await useSecrets(browser, page, order);
  const pageSession = await page.createCDPSession();
  let everPainted = false;
  const onMainFrame = (record: MainFrame) => {
    everPainted ||= record.painted;
    if (!isSeen) send({ type: 'mainFrame', record });
  };
  const watched = await watchMainFrame(pageSession, onMainFrame, () => performance.now() - starvedMs());
  stayUnlessAnswered(pageSession, watched);
  session = pageSession;
  closePopups(browser);
  const requests = watchRequests(page);

  const knownBenchmark = isTimed(order) ? await waitForStart() : known;
  const startedAt = performance.now();
  const watch = watchResponses(browser, pageSession, watched);
  const benchmark = knownBenchmark ?? (await measureBenchmark(lighthouse, page));
  const traffic = { pending: 0, answeredAt: 0, longTasks: 0 };
  let measured: MainFrame | undefined;
  let displayedUrl: string | undefined;
  let document: Promise<DocumentState> | undefined;
  let asked: Promise<boolean> | undefined;
  const onMeasured = async () => {
    measured = watched.record; // later visits don't count
    displayedUrl = watched.shown?.url;
    document = documentState(pageSession, measured); // version 9 leaves the page before its audit ends
    asked = askedBy(pageSession, order);
    if (isTimed(order) && !everPainted && !measured.loaded) setTimeout(reportBlank, BLANK_PAGE_MS);
    const waits = sendMeasured(order, knownBenchmark ? undefined : benchmark);
    watch.onMeasured(traffic);
    // Version 9 would then often get no response from its page. It copes with busy workers anyway.
    if (auditVersion(version).acceptsPage) deprioritizeWorkers(process.pid);
    return waits;
  };
  const closeUnused = order.options.interactions ? async () => {} : close;
  const onGathered = () => {
    watch.stop();
    isSeen = true;
    document ??= documentState(pageSession, watched.record);
    asked ??= askedBy(pageSession, order);
    Promise.all([document, asked]).then(closeUnused, () => {}); // the end of the audit closes the browser too
  };
  const hooks = {
    ...{ page, profile, benchmark, failedTargets },
    onLoaded: () => keepDocument(pageSession, watched),
    documentFor: (requestId: unknown) => heldDocument(watched, requestId),
    onNavigate: () => releaseDocument(watched),
    ...{ traffic, onMeasured, onGathered },
    onScreenshot: () => watchQuiet(pageSession, { requests, now: watched.now }),
  };
  const { summary, judgeMore, settings } = await runLighthouse(lighthouse, order, hooks);
  watch.stop();

  if (judgeMore) await closeUnused(); // the page would use the CPU, or still spoil the result
  const more = await judgeMore?.(() => performance.now() - startedAt > LAST_SIMULATION_MS);
  const audited = {
    ...summariesOf(version, summary, more, displayedUrl),
    pageAnswers: summary.runtimeError?.code === 'PROTOCOL_TIMEOUT' ? await canRunScripts(pageSession) : null,
    document: await (document ?? documentState(pageSession, watched.record)),
    status: statusOf(measured ?? watched.record),
    ...(unused && { login: { ...unused, asksForPassword: (await asked) ?? false } }),
  };
  await reportLoad({ lighthouse, order, settings, page, session: pageSession, watched, asked }, audited).then(close);
  process.exit();
}

const reportFrozen = (part: FrozenPart) => send({ type: 'frozen', part });
const isShown = (watched: Watched) => () => watched.record.navigations > 0 && !watched.motion().isRequested;

/** Reports a browser or a page that does not respond, until `stop`. */
const watchResponses = (browser: Browser, session: CDPSession, watched: Watched) => {
  const stopLiveness = watchLiveness(browser, session, isShown(watched), reportFrozen);
  const hangTimer = setTimeout(reportHang, TIMED_PART_MS, session);
  let stopProgress = () => {};
  return {
    /** Called at the end of the timed part. */
    onMeasured: (traffic: ProtocolTraffic): void => {
      clearTimeout(hangTimer);
      stopProgress = watchProgress(session, traffic, starvedMs, (pulse) => send({ type: 'pulse', ...pulse }));
    },
    stop: (): void => {
      clearTimeout(hangTimer);
      stopProgress();
      stopLiveness();
    },
  };
};

const reportBlank = () => reportError({ code: 'NO_FCP', message: 'The page painted nothing.' });

async function reportHang(pageSession: CDPSession): Promise<void> {
  if (!(await canRunScripts(pageSession))) reportError({ code: 'PAGE_HUNG', message: 'The page does not respond.' });
}

/** Waits for the start of the timed part. Returns the benchmark that is known then. */
async function waitForStart(): Promise<Benchmark | null> {
  const startSignal = receive<StartSignal>();
  send({ type: 'waiting' });
  return (await startSignal).benchmark;
}

/** Reports the end of the timed part. Returns the waits of a timed audit. */
async function sendMeasured(order: AuditOrder, benchmark: Benchmark | undefined): Promise<Waits | undefined> {
  const answer = isTimed(order) ? receive<MeasuredAnswer>() : undefined;
  send({ type: 'measured', ...(benchmark && { benchmark }) });
  return (await answer)?.waits;
}

/** Returns whether the page asks for a password, if the result depends on it. */
const askedBy = (session: CDPSession, { secrets, options }: AuditOrder) =>
  secrets || options.interactions ? asksForPassword(session) : undefined;

async function failedTargets(): Promise<FailedTarget[]> {
  const answer = receive<FailedTargets>();
  send({ type: 'connections' });
  return (await answer).failed;
}

/** Reports the result of the load. Interactions follow it, and only an audit with interactions imports their code. */
const reportLoad = async (context: Partial<InteractionContext>, audited: Audited): Promise<void> => {
  if (!context.order?.options.interactions || !context.settings) return send({ type: 'audited', ...audited });
  const { reportInteractions } = await import('../interactions/report.ts');
  await reportInteractions(context as InteractionContext, audited, { send, receive, waitForStart });
};

/** Takes the browser that started ahead, or starts one, and reports it to the parent. */
async function startBrowser(settings: LaunchSettings): Promise<Launched> {
  const ready = await ahead?.catch(() => undefined);
  const launched = ready && (await isUsable(ready)) ? ready : await launchBrowser({ ...settings, workDir });
  const { browser } = launched;
  browserAlive = true;
  browser.once('disconnected', () => {
    if (isSeen) return;
    browserAlive = false;
    reportError(new Error('The browser exited.')); // Lighthouse may wait forever for the page
  });
  await send({ type: 'browser', version: await browser.version(), sandbox: launched.sandbox }); // no page is requested before
  return launched;
}
