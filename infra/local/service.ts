import { lookup } from 'node:dns/promises';
import { setFlagsFromString } from 'node:v8';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { installedBrowser } from '../../functions/auditor/host/installed-browser.ts';
import type { SandboxSetting } from '../../functions/auditor/parent/sandbox-use.ts';
import { clientSettings } from '../../functions/lib/aws-client.ts';
import { redactForLog } from '../../functions/lib/redact.ts';
import { isLoopbackAddress } from '../../functions/lib/targets/addresses.ts';
import { allRegions } from '../../shared/regions.ts';
import { ReadEnv } from '../../shared/service/env.ts';
import { functionRows } from '../../shared/service/functions.ts';
import { auditorFolder, buildWhenIdle } from './auditor-bundle.ts';
import { consoleLines } from './console-lines.ts';
import { startExpiry } from './expiry.ts';
import { importApi, startGateway } from './gateway.ts';
import { keepPreparing } from './keep-preparing.ts';
import { machineLines } from './machine-lines.ts';
import { startPollers } from './pollers.ts';
import { programFolder } from './program-folder.ts';
import { trustedClock } from './trusted-clock.ts';
import { bundlePage, writePage } from './web-page.ts';

export type ServiceSettings = {
  host: string;
  port: number; // 0: any free port
  dataDir: string;
  chromium?: string; // an installed browser: its path, or `auto`
  chromiumDir?: string; // where Chromium is unpacked; a folder beside the sources by default
  auditsAtOnce: number;
  timedAtOnce?: number;
  sandbox: SandboxSetting;
  auth: 'keys' | 'open';
  targets: 'public' | 'local';
  targetsAllow?: string; // hosts that may be audited although they are not public
  extraCaFile?: string; // PEM file of authorities that audits trust in addition to the public ones
  publicUrl?: string; // address of share links; default: the host of the request
  corsOrigins: readonly string[];
  retentionDays: number; // of checks and reports
  trendDays: number; // of entries in the series of a URL
  regionPlace?: string; // where all regions are
  /** The API of Chrome UX Report. Without it, the service reads no field data. */
  crux?: { key: string; url: string };
  logLevel: string;
};

export const MAX_ANSWER_BYTES = 256 * 2 ** 20; // Lambda's limit does not apply, and clients can't reach the objects
const SWEEP_MS = 10_000; // a minute on AWS; shorter here, to resume lost runs sooner

/**
 * Starts the functions that run on Lambda, on a database and files of this machine. `print` receives a line when a
 * run starts and ends. Call it once per process, because it sets `process.env`.
 */
export const startService = async (settings: ServiceSettings, print: (line: string) => void) => {
  tuneNode();
  if (settings.auth === 'open') await requireLoopback(settings.host);
  const chromiumDir = programFolder(settings.chromiumDir, settings.dataDir, print);
  const auditorDir = await auditorFolder(chromiumDir);
  let onRecovered = () => {};
  // Before the imports below, because they import a logger, which reads the environment on import.
  Object.assign(process.env, await environmentOf(settings), { CHROMIUM_DIR: chromiumDir, AUDITOR_DIR: auditorDir });
  const { startAws } = await import('./aws.ts');
  const { dataDir, host, port } = settings;
  const stopping = new AbortController();
  const [page, { aws, functions, preparing }] = await Promise.all([
    bundlePage(), // first, because its process needs no key of the engines
    startAws({ dataDir, regions: allRegions, print, onRecovered: () => onRecovered() }).then((aws) =>
      startFunctions(aws, print, stopping.signal),
    ),
  ]);
  const { runAudit, sweep } = functions;
  process.env.WEB_DIR = await writePage(dataDir, page);

  const gateway = await startGateway({ host, port, functions: functions.api }).catch(async (error) => {
    stopping.abort();
    await runAudit.shutDown();
    await aws.close();
    throw error;
  });
  process.env.API_URL = gateway.url; // before the first request, at which a function reads its environment
  preparing.then(() => stopping.signal.aborted || machineLines().forEach(print));

  const expiry = startExpiry({
    db: functions.db,
    s3: new S3Client({ region: process.env.HOME_REGION as string, ...clientSettings() }),
    bucket: process.env.REPORT_BUCKET as string,
    isClockTrusted: trustedClock(aws.database, print),
  });
  const bundling = buildWhenIdle(auditorDir, print);
  const printMessage = consoleLines({ store: functions.store, url: gateway.url, print });
  const working = startWork(functions, settings.auditsAtOnce, (record, phase, seconds) => {
    bundling.onJob(phase);
    return printMessage(record, phase, seconds);
  });
  // While the table could not be written, the queues delivered jobs whose runs could not be claimed.
  onRecovered = () => void working.then((work) => work.wakeAgain());

  return {
    url: gateway.url,
    port: gateway.port,
    /** Resolves when the service can audit pages. */
    prepared: preparing,
    /** Closes the gateway, releases unfinished runs, and stops the engines. No check is lost. */
    stop: async (): Promise<void> => {
      stopping.abort();
      bundling.stop();
      sweep.shutDown();
      await gateway.close();
      const stopped = working.then((work) => work.stop()); // before the audits, so that none follows a stopped one
      await runAudit.shutDown();
      await stopped;
      await expiry.stop();
      await aws.close();
    },
  };
};

/** Call it before Node starts its first thread. */
const tuneNode = (): void => {
  process.env.UV_THREADPOOL_SIZE ??= `${functionRows['run-audit'].threads}`;
  setFlagsFromString('--heap-growing-percent=50'); // by default V8 lets the heap grow to up to four times its use
};

/** Throws if other machines can reach the address that a name of this machine leads to. */
const requireLoopback = async (host: string): Promise<void> => {
  const { address } = await lookup(host).catch(() => ({ address: undefined })); // without one, nothing can listen
  if (address === undefined || isLoopbackAddress(address)) return;
  throw new Error(
    `HOST=${host} leads to ${address}, where other machines can use the service without a key. Set HOST=127.0.0.1, or AUTH=keys.`,
  );
};

/** Returns the environment of the functions that the settings determine. Throws a BrowserError if audits can't use the browser. */
export const environmentOf = async ({ chromium, ...settings }: ServiceSettings): Promise<Record<string, string>> => ({
  ...(chromium !== undefined && { CHROMIUM: (await installedBrowser(chromium)).executable }),

  AUTH: settings.auth,
  TARGETS: settings.targets,
  TARGETS_ALLOW: settings.targetsAllow ?? '',
  ...(settings.extraCaFile && { EXTRA_CA_FILE: settings.extraCaFile }),
  ...(settings.publicUrl && { PUBLIC_URL: settings.publicUrl }),
  CORS_ORIGINS: settings.corsOrigins.join(','),
  CHANGES_FROM: 'process',
  FIELD_DATA: settings.crux ? 'on' : 'off',
  ...(settings.crux && { CRUX_API_KEY: settings.crux.key, CRUX_API_URL: settings.crux.url }),
  AUDITS_AT_ONCE: `${settings.auditsAtOnce}`,
  ...(settings.timedAtOnce !== undefined && { TIMED_AT_ONCE: `${settings.timedAtOnce}` }),
  SANDBOX: settings.sandbox,
  REGION_PLACE: settings.regionPlace ?? 'this machine',
  RETENTION_DAYS: `${settings.retentionDays}`,
  TREND_DAYS: `${settings.trendDays}`,
  MAX_ANSWER_BYTES: `${MAX_ANSWER_BYTES}`,
  POWERTOOLS_SERVICE_NAME: 'page-audit-local',
  POWERTOOLS_METRICS_DISABLED: 'true',
  POWERTOOLS_LOG_LEVEL: settings.logLevel,
});

type Functions = Awaited<ReturnType<typeof startFunctions>>['functions'];
type OnMessage = ReturnType<typeof consoleLines>;

/**
 * Wakes all open checks and runs, because the queues were in memory. Then starts to poll and to sweep. Nobody holds a lease before:
 * the lock of the data folder excludes other processes.
 */
const startWork = async (functions: Functions, auditsAtOnce: number, onMessage: OnMessage) => {
  const { handler } = functions.sweep;
  const woken = await handler({ wake: 'all', dropLeases: true }).then(() => true, logWakeError);
  const sqs = new SQSClient({ region: process.env.HOME_REGION as string, ...clientSettings() });
  const pollers = startPollers(sqs, functions, auditsAtOnce, onMessage);
  const sweeps = startSweeps(handler, woken);
  return {
    wakeAgain: sweeps.wakeAgain,
    stop: async (): Promise<void> => {
      const swept = sweeps.stop();
      await Promise.all(pollers.map((poller) => poller.stop(5000)));
      await swept;
      sqs.destroy();
    },
  };
};

/** Sweeps every `SWEEP_MS`, one sweep at a time. Before, retries to wake all runs until that has succeeded. */
const startSweeps = (sweep: Functions['sweep']['handler'], alreadyWoken: boolean) => {
  let woken = alreadyWoken;
  const next = async () => {
    if (!woken) woken = await sweep({ wake: 'all' }).then(() => true, logWakeError);
    await sweep().catch(logSweepError);
  };
  let sweeping = next();
  const timer = setInterval(() => {
    sweeping = sweeping.then(next);
  }, SWEEP_MS);
  return {
    /** Lets the next sweep wake all runs. */
    wakeAgain: () => {
      woken = false;
    },
    stop: (): Promise<void> => {
      clearInterval(timer);
      return sweeping;
    },
  };
};

/** Imports the functions. The auditors are prepared meanwhile, mostly by other processes. */
const startFunctions = async <Aws extends { env: object }>(
  aws: Aws,
  print: (line: string) => void,
  signal: AbortSignal,
) => {
  Object.assign(process.env, aws.env);
  const runAudit = await import('../../functions/run-audit.ts');
  const { obstacleOf } = await import('../../functions/lib/readiness.ts');
  const { prepare } = runAudit;
  const preparing = keepPreparing({ prepare, obstacle: () => obstacleOf('auditors'), print, signal });
  return { aws, preparing, functions: { ...(await importFunctions()), runAudit } };
};

const importFunctions = async () => {
  const [api, deliverWebhook, sweep, { checkStore }, { openDb }] = await Promise.all([
    importApi(),
    import('../../functions/deliver-webhook.ts'),
    import('../../functions/sweep.ts'),
    import('../../functions/lib/store/checks.ts'),
    import('../../functions/lib/store/dynamodb.ts'),
  ]);
  const db = openDb(ReadEnv.parse(process.env));
  return {
    api,
    deliverWebhook,
    sweep,
    db,
    store: checkStore(db),
  };
};

const logSweepError = (error: Error) =>
  console.error(`A sweep failed. The next one retries: ${redactForLog(error.message)}`);
const logWakeError = (error: Error): false => {
  console.error(`Some open checks were not resumed. The next sweep retries: ${redactForLog(error.message)}`);
  return false;
};
