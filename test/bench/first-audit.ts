import { fileURLToPath } from 'node:url';
import { dispatch } from '../../functions/lib/queue/dispatch.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { functionRows } from '../../shared/service/functions.ts';
import { noSandboxHere, sqsEvent, startRunAudit } from '../support/lambda-sandbox.ts';
import { serveOnHttp } from '../support/services-on-http.ts';
import { aCheck, startWorld } from '../support/world.ts';
import { since } from './service.ts';

/** Another user than Lambda's, because the kernel counts the processes of all sandboxes of a user. */
const USER = 991;

type Options = { pageUrl: string; version: AuditVersion; rounds: number; log: (line: string) => void };

/**
 * Measures the first audit of new instances of the built audit function, in a sandbox like Lambda's. The seconds begin with
 * the start of the instance. Returns none if this machine can't create the sandbox.
 */
export const measureFirstAudits = async ({ pageUrl, version, rounds, log }: Options): Promise<number[]> => {
  const missing = noSandboxHere();
  if (missing) log(`start: the first audit of a deployed function is not measured, because ${missing}`);
  if (missing) return [];
  const world = await startWorld();
  const http = await serveOnHttp(world.aws);
  const seconds: number[] = [];
  try {
    for (let i = 0; i < rounds; i++) {
      const [run] = await world.create(aCheck({ url: pageUrl, auditVersion: version, regions: ['us-west1'] }));
      await dispatch(world, run as RunItem, new Date());
      const [job] = await world.jobsIn('us-west1');
      const startedAt = performance.now();
      await using instance = await startRunAudit(asset, { ...http.env, ...env }, { user: USER });
      await instance.invoke(sqsEvent(job));
      seconds.push(since(startedAt));
      const { state } = await world.runOf((run as RunItem).checkId);
      if (state !== 'succeeded') throw new Error(`The first audit has ${state}: ${instance.logs().slice(-2000)}`);
      log(`start: first audit of a deployed function after ${seconds.at(-1)?.toFixed(2)} s`);
    }
  } finally {
    await http.close();
    await world.stop();
  }
  return seconds;
};

const asset = fileURLToPath(new URL('../../dist/functions/run-audit', import.meta.url));
const env = {
  TARGETS: 'local',
  NODE_OPTIONS: '--enable-source-maps',
  UV_THREADPOOL_SIZE: `${functionRows['run-audit'].threads}`,
  POWERTOOLS_SERVICE_NAME: 'page-audit-bench',
  ...(process.env.LOG_LEVEL && { POWERTOOLS_LOG_LEVEL: process.env.LOG_LEVEL }),
};
