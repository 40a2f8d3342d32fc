import type { Uncorrected } from '../../shared/options/simulations-schemas.ts';
import { setup as bundleAuditor } from '../support/bundle-auditor.ts';
import { type RecordedSample, startSampleLab } from '../support/sample-lab.ts';
import { type BusyPage, busyPageNames } from './busy-pages.ts';
import { type Load, loadNames, loads } from './loads.ts';
import type { Pages } from './pages.ts';

/** A sample of a page beside a load, with Lighthouse's own numbers of it. */
export type BusySample = { page: BusyPage; load: Load; sample: RecordedSample; own: Partial<Uncorrected> };
/** The samples, and the loads that this machine does not permit with the reason. */
export type BusyFigures = { samples: BusySample[]; missing: Partial<Record<Load, string>> };

type Options = {
  pages: Pages;
  runs: number;
  names?: readonly BusyPage[];
  loads?: readonly Load[];
  /** Ends before the next cell once this time has passed. */
  limitMs?: number | undefined;
  log: (line: string) => void;
};

/** Pages and loads that show that the benchmark works. */
export const shortBusy = { names: ['task250', 'xhr'], loads: ['quiet', 'two loops'] } as const;

/** Audits pages beside each load by turns, so that a slow period of the machine affects all of them. */
export const measureBusy = async ({
  pages,
  runs,
  log,
  limitMs = Number.POSITIVE_INFINITY,
  ...only
}: Options): Promise<BusyFigures> => {
  const startedAt = performance.now();
  const { names = busyPageNames, loads: cells = loadNames } = only;
  bundleAuditor();
  await using lab = await startSampleLab({ categories: ['performance'] });
  log('warm-up: one audit');
  await lab.check(pages.url('task20'), 1);
  const figures: BusyFigures = { samples: [], missing: {} };
  for (let round = 0; round < runs; round++) {
    for (const load of [...cells.slice(round % cells.length), ...cells.slice(0, round % cells.length)]) {
      if (figures.missing[load]) continue;
      if (performance.now() - startedAt > limitMs) return figures;
      try {
        await using _started = (await loads[load](pages.url('script'))) ?? null;
        for (const page of names) {
          const [sample] = (await lab.check(pages.url(page), 1)).samples as [RecordedSample];
          figures.samples.push({ page, load, sample, own: sample.uncorrected ?? sample });
          log(`busy ${round + 1}/${runs}: ${load}, ${page}: ${inShort(sample)}`);
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).syscall !== 'mkdir') throw error;
        figures.missing[load] = (error as Error).message;
        log(`busy: ${load} is not possible here: ${figures.missing[load]}`);
      }
    }
  }
  return figures;
};

const inShort = ({ performance, tbt, fcp, cpuWaitMs, mainThreadCpu, uncorrected }: RecordedSample): string =>
  [
    ...[`performance ${performance}`, `TBT ${tbt?.toFixed(0)}`, `FCP ${fcp?.toFixed(0)}`],
    `waited ${cpuWaitMs} ms, ran ${mainThreadCpu} ms`,
    ...(uncorrected ? [`Lighthouse ${uncorrected.performance}, ${uncorrected.tbt?.toFixed(0)}`] : []),
  ].join(', ');
