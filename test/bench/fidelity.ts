import type { AuditVersion } from '../../shared/audit-versions.ts';
import { type Arm, byCommandLine, byService, inTurn } from './arms.ts';
import type { PageName, Pages } from './pages.ts';
import { type Reading, readingOf } from './reading.ts';
import type { Service } from './service.ts';

/** What an arm found in one audit, or why it found nothing. */
export type Sample = { page: PageName; version: AuditVersion; round: number; arm: string } & (
  | { reading: Reading }
  | { failure: string }
);

type Options = {
  service: Service;
  dataDir: string;
  pages: Pages;
  names: PageName[];
  versions: AuditVersion[];
  rounds: number;
  tell: (line: string) => void;
};

const POLL_MS = 500; // what looks more often takes from the page that is measured

/**
 * Every page in every version by the service and by the command line, by turns, round by round. What slows the machine
 * for a while so falls on both, and on all pages. An audit that fails is noted, and the others go on.
 */
export const measureFidelity = async (options: Options): Promise<Sample[]> => {
  const { service, dataDir, pages, names, versions, rounds, tell } = options;
  const arms: Record<string, Arm> = {
    service: byService(service, { pollMs: POLL_MS }),
    commandLine: byCommandLine(dataDir),
  };
  tell('one audit each of every version that does not count');
  for (const version of versions) {
    for (const arm of Object.values(arms)) await arm({ pageUrl: pages.url('static'), version });
  }

  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const version of versions) {
      for (const page of names) {
        const target = { pageUrl: pages.url(page), version };
        const audits = Object.entries(arms).map(([name, arm]) => [name, () => attempt(arm, target)] as const);
        const found = Object.entries(await inTurn(Object.fromEntries(audits), round));
        samples.push(...found.map(([arm, result]) => ({ page, version, round, arm, ...result })));
        tell(`fidelity ${round + 1}/${rounds}: ${version} ${page}: ${found.map(inShort).join(', ')}`);
      }
    }
  }
  return samples;
};

type Result = { reading: Reading } | { failure: string };

const attempt = async (arm: Arm, target: Parameters<Arm>[0]): Promise<Result> => {
  try {
    return { reading: readingOf((await arm(target)).report) };
  } catch (error) {
    return { failure: (error as Error).message };
  }
};

const inShort = ([arm, result]: [string, Result]): string =>
  `${arm} ${'reading' in result ? result.reading.scores.performance : `failed: ${result.failure}`}`;
