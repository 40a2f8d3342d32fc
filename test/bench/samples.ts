import { loadavg } from 'node:os';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { runInTurn } from './arms.ts';
import { bundledFolder } from './bundled-folder.ts';
import { median, table } from './numbers.ts';
import { since, startService, succeededCheck } from './service.ts';

/** Seconds of a check of one sample and of five, one after the other, and the load average before. */
export type SamplesRound = { one: number; five: number; load: number };

type Options = { pageUrl: string; version: AuditVersion; rounds: number; log: (line: string) => void };

/** Measures checks of one and of five samples in turn, as their user waits for them. */
export const measureSamples = async ({ pageUrl, version, rounds: count, log }: Options): Promise<SamplesRound[]> => {
  await using service = await startService(await bundledFolder());
  const secondsOf = async (samples: number) => {
    const startedAt = performance.now();
    await succeededCheck(service, { url: pageUrl, auditVersion: version, regions: ['us-west1'], samples });
    return since(startedAt);
  };
  log('warm-up: one audit');
  await secondsOf(1);
  const rounds: SamplesRound[] = [];
  for (let i = 0; i < count; i++) {
    const load = loadavg()[0] as number;
    const round = { ...(await runInTurn({ one: () => secondsOf(1), five: () => secondsOf(5) }, i)), load };
    rounds.push(round);
    log(`samples ${i + 1}/${count}: one ${round.one.toFixed(2)} s, five ${round.five.toFixed(2)} s`);
  }
  return rounds;
};

export const samplesTable = (rounds: readonly SamplesRound[]): string =>
  [
    `Seconds for a check of the small page, ${rounds.length} alternating round(s):`,
    table(
      ['round', 'one sample', 'five samples', 'ratio', 'load average'],
      rounds.map(({ one, five, load }, i) => [`${i + 1}`, ...[one, five, five / one, load].map((x) => x.toFixed(2))]),
    ),
    `Five samples take ${median(rounds.map(({ one, five }) => five / one)).toFixed(2)} times as long as one (median).`,
  ].join('\n\n');
