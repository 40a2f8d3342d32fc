import type { AuditVersion } from '../../shared/audit-versions.ts';
import { type Arm, auditByCommandLine, auditByService, runInTurn } from './arms.ts';
import { newFolder } from './children.ts';
import type { PageName, Pages } from './pages.ts';
import { type Reading, readingOf } from './reading.ts';
import { startService } from './service.ts';
import { unguardedData } from './unguarded.ts';

/** The result of one arm's audit, or the reason why it failed. */
export type Sample = { page: PageName; version: AuditVersion; round: number; arm: string } & (
  | { reading: Reading; seconds: number }
  | { failure: string }
);

type Options = {
  pages: Pages;
  names: readonly PageName[];
  versions: readonly AuditVersion[];
  rounds: number;
  log: (line: string) => void;
};

const POLL_MS = 500; // polling more often takes CPU from the audit

/** Audits with the service and with Lighthouse's command line. */
export const measureFidelity = async (options: Options): Promise<Sample[]> => {
  const dataDir = newFolder();
  await using service = await startService(dataDir);
  const arms = { service: auditByService(service, { pollMs: POLL_MS }), commandLine: auditByCommandLine(dataDir) };
  return await runRounds('fidelity', arms, options);
};

/** Audits with the service, and with one whose Chromium has no egress guard, to measure the guard's cost. */
export const measureGuard = async (options: Options): Promise<Sample[]> => {
  await using service = await startService(newFolder());
  await using unguarded = await startService(await unguardedData());
  const arms = {
    service: auditByService(service, { pollMs: POLL_MS }),
    unguarded: auditByService(unguarded, { pollMs: POLL_MS }),
  };
  return await runRounds('guard', arms, options);
};

/** Audits without and with headers, to measure the cost of the interception that adds them. */
export const measureHeaders = async (options: Options): Promise<Sample[]> => {
  await using service = await startService(newFolder());
  const inputs = { headers: { 'x-preview-token': 'token-of-the-bench' } };
  const arms = {
    headers: auditByService(service, { pollMs: POLL_MS, inputs }),
    without: auditByService(service, { pollMs: POLL_MS }),
  };
  return await runRounds('headers', arms, options);
};

/**
 * Audits every page in every version with each arm, round by round. A slow period of the machine then affects all arms
 * and pages. Records a failed audit and continues.
 */
const runRounds = async (
  what: string,
  arms: Record<string, Arm>,
  { pages, names, versions, rounds, log }: Options,
): Promise<Sample[]> => {
  log('warm-up: one audit per version and arm');
  for (const version of versions) {
    for (const arm of Object.values(arms)) await arm({ pageUrl: pages.url('static'), version });
  }

  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const version of versions) {
      for (const page of names) {
        const target = { pageUrl: pages.url(page), version };
        const audits = Object.entries(arms).map(([name, arm]) => [name, () => attempt(arm, target)] as const);
        const found = Object.entries(await runInTurn(Object.fromEntries(audits), round));
        samples.push(...found.map(([arm, result]) => ({ page, version, round, arm, ...result })));
        log(`${what} ${round + 1}/${rounds}: ${version} ${page}: ${found.map(inShort).join(', ')}`);
      }
    }
  }
  return samples;
};

type Result = { reading: Reading; seconds: number } | { failure: string };

const attempt = async (arm: Arm, target: Parameters<Arm>[0]): Promise<Result> => {
  try {
    const { report, seconds } = await arm(target);
    return { reading: readingOf(report), seconds };
  } catch (error) {
    return { failure: (error as Error).message };
  }
};

const inShort = ([arm, result]: [string, Result]): string =>
  `${arm} ${'reading' in result ? result.reading.scores.performance : `failed: ${result.failure}`}`;
