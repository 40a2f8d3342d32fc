import { SQSClient } from '@aws-sdk/client-sqs';
import { installedBrowser } from '../../functions/auditor/host/installed-browser.ts';
import { slots } from '../../functions/lib/slots.ts';
import { functionRows } from '../../shared/service/functions.ts';
import { auditorFolder, buildWhenIdle } from './auditor-bundle.ts';
import { machineLines } from './machine-lines.ts';
import { startPoller } from './poller.ts';
import { programFolder } from './program-folder.ts';
import type { WorkerSettings } from './worker-settings.ts';

/**
 * Starts the function `run-audit` on this machine, on a queue of AWS. Throws if this machine can't audit. Call it once per
 * process, because it sets `process.env`.
 */
export const startWorker = async (settings: WorkerSettings, print: (line: string) => void) => {
  const { queueUrl, awsRegion, auditsAtOnce, stopMs, chromium } = settings;
  process.env.UV_THREADPOOL_SIZE ??= `${functionRows['run-audit'].threads}`; // before Node starts its first thread
  const browser = chromium === undefined ? undefined : await installedBrowser(chromium);
  const chromiumDir = programFolder(settings.chromiumDir, '.', print);
  const auditorDir = await auditorFolder(chromiumDir);
  // Before the import below, because it imports a logger, which reads the environment on import.
  Object.assign(process.env, settings.env, {
    CHROMIUM_DIR: chromiumDir,
    AUDITOR_DIR: auditorDir,
    AUDITS_AT_ONCE: `${auditsAtOnce}`,
    ...(browser && { CHROMIUM: browser.executable }),
  });
  const runAudit = await import('../../functions/run-audit.ts');
  await runAudit.prepare();
  machineLines().forEach(print);
  const bundling = buildWhenIdle(auditorDir, print);
  const sqs = new SQSClient({ region: awsRegion });
  const poller = startPoller({
    sqs,
    queueUrl,
    awsRegion,
    functionName: 'run-audit',
    handler: runAudit.handler,
    timeoutSeconds: functionRows['run-audit'].timeoutSeconds,
    slots: slots(auditsAtOnce),
    maxHeld: auditsAtOnce, // other workers receive the rest
    onMessage: (_, phase) => bundling.onJob(phase),
  });
  let isHurried = () => {};
  const hurried = new Promise<void>((resolve) => {
    isHurried = resolve;
  });
  return {
    /** Receives no further job, lets running audits finish for `stopMs`, and then releases their runs. */
    stop: async (): Promise<void> => {
      bundling.stop();
      await Promise.race([poller.stop(stopMs), hurried]);
      await runAudit.shutDown();
      await poller.stop(5000); // deletes the messages of the released runs, whose jobs the sweeper resends
      sqs.destroy();
    },
    /** Lets `stop` release the runs at once. */
    hurry: (): void => isHurried(),
  };
};
