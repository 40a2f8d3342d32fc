import type { RecordedSample } from '../support/sample-lab.ts';
import type { BusyFigures, BusySample } from './busy.ts';
import { type BusyPage, busyPages } from './busy-pages.ts';
import { type Load, loadNames } from './loads.ts';
import { median, table } from './numbers.ts';

type Timed = 'performance' | 'tbt' | 'fcp';
type Kind = 'sample' | 'own';

/** Targets of a page beside a load, against the same page on the quiet machine. */
export const busyTargets = {
  'TBT within 10 % or 40 ms of quiet': (quiet, busy) =>
    Math.abs(busy('tbt') - quiet('tbt')) <= Math.max(40, 0.1 * quiet('tbt')),
  'performance within 2 points of quiet': (quiet, busy) => Math.abs(busy('performance') - quiet('performance')) <= 2,
} as const satisfies Record<string, (quiet: Median, busy: Median) => boolean>;
type Median = (name: Timed) => number;

/** Returns the medians of a page beside a load: of the service's numbers, or of Lighthouse's own. */
export const medianOf =
  (samples: readonly BusySample[], page: BusyPage, load: Load, kind: Kind = 'sample'): Median =>
  (name) =>
    median(
      samples.flatMap((each) => (each.page === page && each.load === load ? ((each[kind][name] as number) ?? []) : [])),
    );

/** Returns the pairs of a page and a load that miss a target, by the service's numbers or by Lighthouse's own. */
export const missedBy = (
  samples: readonly BusySample[],
  target: keyof typeof busyTargets,
  kind: Kind = 'sample',
): { page: BusyPage; load: Load }[] =>
  pairsOf(samples).filter(
    ({ page, load }) => !busyTargets[target](medianOf(samples, page, 'quiet'), medianOf(samples, page, load, kind)),
  );

const pairsOf = (samples: readonly BusySample[]) =>
  (Object.keys(busyPages) as BusyPage[]).flatMap((page) =>
    loadNames.flatMap((load) =>
      load !== 'quiet' && samples.some((each) => each.page === page && each.load === load) ? [{ page, load }] : [],
    ),
  );

/** Returns the lowest FCP of the page whose synchronous request comes before it, on the quiet machine or beside a load. */
export const lowestFcp = (samples: readonly BusySample[], isQuiet: boolean): number =>
  Math.min(
    ...samples.flatMap(({ page, load, sample }) =>
      page === 'xhr' && (load === 'quiet') === isQuiet ? (sample.fcp ?? []) : [],
    ),
  );

export const busyTables = ({ samples, missing }: BusyFigures): string => {
  const has = (key: 'page' | 'load', name: string) => samples.some((each) => each[key] === name);
  const names = (Object.keys(busyPages) as BusyPage[]).filter((page) => has('page', page));
  const cells = loadNames.filter((load) => has('load', load));
  const pairs = pairsOf(samples);
  const whole = (value: number) => (Number.isFinite(value) ? value.toFixed(0) : '–');
  const tableOf = (title: string, name: Timed) =>
    table(
      [title, ...cells],
      names.map((page) => [
        busyPages[page],
        ...cells.map((load) => {
          const [own, ours] = (['own', 'sample'] as const).map((kind) =>
            whole(medianOf(samples, page, load, kind)(name)),
          );
          return own === ours ? `${ours}` : `${own} → ${ours}`;
        }),
      ]),
    );
  const share = (of: (sample: RecordedSample) => boolean, load: Load) => {
    const all = samples.filter((each) => each.load === load);
    return `${all.filter(({ sample }) => of(sample)).length} of ${all.length}`;
  };
  return [
    `Each page beside each load by turns, ${samples.length} audits in all. "Own" are Lighthouse's numbers of the same loads. How many of ${pairs.length} cells meet each target:`,
    table(
      ['target', 'own', 'corrected', 'cells that miss it'],
      (Object.keys(busyTargets) as (keyof typeof busyTargets)[]).map((target) => [
        target,
        `${pairs.length - missedBy(samples, target, 'own').length}`,
        `${pairs.length - missedBy(samples, target).length}`,
        missedBy(samples, target)
          .map(({ page, load }) => `${page} beside ${load}`)
          .join(', '),
      ]),
    ),
    ...(names.includes('xhr')
      ? [
          `Lowest FCP of the page with the synchronous request: ${whole(lowestFcp(samples, true))} ms on the quiet machine, ${whole(lowestFcp(samples, false))} ms beside a load.`,
        ]
      : []),
    "Medians, Lighthouse's own → corrected, if they differ:",
    tableOf('TBT in milliseconds', 'tbt'),
    tableOf('performance', 'performance'),
    tableOf('FCP in milliseconds', 'fcp'),
    table(
      ['samples', ...cells],
      [
        ['corrected', ...cells.map((load) => share(({ corrected }) => corrected === true, load))],
        ['contended', ...cells.map((load) => share(({ contended }) => contended === true, load))],
        [
          'median wait of the main thread, ms',
          ...cells.map((load) =>
            whole(median(samples.flatMap((each) => (each.load === load ? (each.sample.cpuWaitMs ?? []) : [])))),
          ),
        ],
      ],
    ),
    ...Object.entries(missing).map(([load, why]) => `Not measured: ${load} (${why}).`),
  ].join('\n\n');
};
