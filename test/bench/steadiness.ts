import { setTimeout as pause } from 'node:timers/promises';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { bundledFolder } from './bundled-folder.ts';
import type { Pages } from './pages.ts';
import { startService, succeededCheck } from './service.ts';

type Options = { pages: Pages; version: AuditVersion; runs: number; log: (line: string) => void };

const POLL_MS = 500; // polling more often takes CPU from the audit
const IDLE_MS = 1500;

/** Returns the performance scores of many audits of one almost empty page by the service. */
export const measureSteadiness = async ({ pages, version, runs, log }: Options): Promise<number[]> => {
  await using service = await startService(await bundledFolder());
  const body = { url: pages.url('static'), auditVersion: version, regions: ['us-west1'] };
  log('warm-up: one audit');
  await succeededCheck(service, body);
  const scores: number[] = [];
  for (let i = 0; i < runs; i++) {
    await pause(IDLE_MS);
    const [run] = (await succeededCheck(service, body, { pollMs: POLL_MS })).runs;
    scores.push(run?.performance ?? Number.NaN);
    log(`steadiness ${i + 1}/${runs}: performance ${scores.at(-1)}`);
  }
  return scores;
};
