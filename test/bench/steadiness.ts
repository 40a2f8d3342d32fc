import { setTimeout as pause } from 'node:timers/promises';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { newFolder } from './children.ts';
import type { Pages } from './pages.ts';
import { startService, succeededCheck } from './service.ts';

type Options = { pages: Pages; version: AuditVersion; runs: number; log: (line: string) => void };

const POLL_MS = 500; // what looks more often takes from the page that is measured
const IDLE_MS = 1500;

/** The performance scores of one page that does almost nothing, audited by the service again and again. */
export const measureSteadiness = async ({ pages, version, runs, log }: Options): Promise<number[]> => {
  await using service = await startService(newFolder());
  const body = { url: pages.url('static'), auditVersion: version, regions: ['us-west1'] };
  log('one audit that does not count');
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
