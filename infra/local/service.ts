import { SQSClient } from '@aws-sdk/client-sqs';
import { forLog } from '../../functions/lib/redact.ts';
import { slots } from '../../functions/lib/slots.ts';
import { ReadEnv } from '../../shared/env.ts';
import { allRegions, regions } from '../../shared/regions.ts';
import { deadLetterSettings, functionSettings, queueSettings } from '../settings.ts';
import { startAws } from './aws.ts';
import { consoleLines } from './console-lines.ts';
import { importApi, startGateway } from './gateway.ts';
import { startPoller } from './poller.ts';
import { samplePage } from './sample-page.ts';

export type ServiceSettings = {
  host: string;
  port: number; // 0: any free one
  dataDir: string;
  auditsAtOnce: number;
  auth: 'keys' | 'open';
  targets: 'public' | 'local';
  corsOrigins: readonly string[];
  logLevel: string;
};

const MAX_ANSWER_BYTES = 64 * 2 ** 20; // no Lambda is in the way, and the bucket is for this machine alone
const SWEEP_MS = 10_000; // a minute on AWS; here what a killed process left is taken up sooner

/**
 * The handlers that run on Lambda, on embedded engines bound to loopback. They are the same: only their environment
 * differs. `print` gets a line as each run starts and ends. Sets `process.env`, so it is started once a process.
 */
export const startService = async (settings: ServiceSettings, print: (line: string) => void) => {
  process.env.UV_THREADPOOL_SIZE ??= `${functionSettings.auditThreads}`; // read when a thread is needed for the first time
  const aws = await startAws({ dataDir: settings.dataDir, regions: allRegions });
  Object.assign(process.env, aws.env, {
    AUTH: settings.auth,
    TARGETS: settings.targets,
    CORS_ORIGINS: settings.corsOrigins.join(','),
    CHROMIUM_DIR: settings.dataDir,
    MAX_ANSWER_BYTES: `${MAX_ANSWER_BYTES}`,
    POWERTOOLS_SERVICE_NAME: 'page-audit-local',
    POWERTOOLS_METRICS_DISABLED: 'true',
    POWERTOOLS_LOG_LEVEL: settings.logLevel,
  });
  const functions = await importFunctions(); // not before the environment stands: a logger reads it
  const { runAudit, sweep } = functions;

  await sweep.handler({ wake: 'all' }); // the queues are in memory: what waited in them is found again by the table
  const gateway = await startGateway({
    host: settings.host,
    port: settings.port,
    functions: functions.api,
    pages: { '/sample': samplePage },
  }).catch(async (error) => {
    await aws.close();
    throw error;
  });
  const preparing = runAudit.prepare().catch((error: Error) => print(`✗ no page can be audited: ${error.message}`));

  const sqs = new SQSClient({ region: process.env.HOME_REGION as string });
  const pollers = startPollers(sqs, functions, settings.auditsAtOnce, consoleLines(functions.store, print));
  const sweeps = startSweeps(sweep.handler);

  return {
    url: gateway.url,
    port: gateway.port,
    /** Resolves when a page can be audited. */
    prepared: preparing,
    /** Takes no more requests, gives back the runs at work, and ends the engines. Nothing is lost. */
    stop: async (): Promise<void> => {
      const swept = sweeps.stop();
      await gateway.close();
      await runAudit.shutDown();
      await Promise.all(pollers.map((poller) => poller.stop(5000)));
      await swept;
      sqs.destroy();
      await aws.close();
    },
  };
};

type Functions = Awaited<ReturnType<typeof importFunctions>>;
type Poller = ReturnType<typeof startPoller>;
type OnMessage = ReturnType<typeof consoleLines>;

/** For each region, one poller of its audit jobs and one of its dead letters. */
const startPollers = (sqs: SQSClient, functions: Functions, auditsAtOnce: number, onMessage: OnMessage): Poller[] => {
  const auditSlots = slots(auditsAtOnce);
  const queues = JSON.parse(process.env.AUDIT_QUEUES as string) as Record<string, string>;
  const deadLetters = JSON.parse(process.env.DEAD_LETTER_QUEUES as string) as Record<string, string>;
  return allRegions.flatMap((region) => [
    startPoller({
      sqs,
      queueUrl: queues[region] as string,
      awsRegion: regions[region],
      functionName: 'run-audit',
      handler: functions.runAudit.handler,
      timeoutSeconds: queueSettings.functionTimeoutSeconds,
      slots: auditSlots,
      onMessage,
    }),
    startPoller({
      sqs,
      queueUrl: deadLetters[region] as string,
      awsRegion: regions[region],
      functionName: 'close-lost-runs',
      handler: functions.closeLostRuns.handler,
      timeoutSeconds: deadLetterSettings.functionTimeoutSeconds,
      slots: slots(1),
      maxWaiting: 1, // they are soon done, and no owner waits for them
    }),
  ]);
};

/** Sweeps now and then every `SWEEP_MS`, one at a time. `stop` waits for the sweep at work. */
const startSweeps = (sweep: () => Promise<void>) => {
  let sweeping = sweep().catch(logSweepError);
  const timer = setInterval(() => {
    sweeping = sweeping.then(() => sweep()).catch(logSweepError);
  }, SWEEP_MS);
  return {
    stop: (): Promise<void> => {
      clearInterval(timer);
      return sweeping;
    },
  };
};

const importFunctions = async () => {
  const [api, runAudit, closeLostRuns, sweep, { checkStore }, { openDb }] = await Promise.all([
    importApi(),
    import('../../functions/run-audit.ts'),
    import('../../functions/close-lost-runs.ts'),
    import('../../functions/sweep.ts'),
    import('../../functions/lib/store/checks.ts'),
    import('../../functions/lib/store/dynamodb.ts'),
  ]);
  const store = checkStore(openDb(ReadEnv.parse(process.env)));
  return { api, runAudit, closeLostRuns, sweep, store };
};

const logSweepError = (error: Error) => console.error(`the sweep failed: ${forLog(error.message)}`);
