import type { CpuFigures, CpuSeconds } from './cpu.ts';
import { deviation, median, spread, spreadCells, table } from './numbers.ts';
import type { SoakFigures } from './soak.ts';
import type { StoredFigures } from './stored.ts';
import type { Load, ThroughputFigures } from './throughput.ts';

export const throughputTable = ({ alone, queued, besideHog, commandLine }: ThroughputFigures): string => {
  const row = (name: string, load: Pick<Load, 'perMinute' | 'performance'> & Partial<Load>) => [
    name,
    load.perMinute.toFixed(1),
    (load.perMinute / commandLine.perMinute).toFixed(2),
    median(load.performance).toFixed(1),
    deviation(load.performance).toFixed(1),
    `${load.performance.length}`,
    `${load.failed?.length ?? 0}`,
    `${load.contended ?? '–'}`,
  ];
  const shift = median(queued.performance) - median(alone.performance);
  return [
    table(
      ['', 'audits a minute', 'of the command line', 'performance', 'deviation', 'runs', 'failed', 'contended'],
      [
        row('service, all queued at once', queued),
        row('service, all queued at once, beside a CPU hog', besideHog),
        row('service, one after another', alone),
        row('command line, one after another', commandLine),
      ],
    ),
    `Beside a process that uses one core for a third of the time: ${(besideHog.perMinute / queued.perMinute).toFixed(2)} of the throughput. The slowest run took ${besideHog.slowest.toFixed(1)} times the median (${queued.slowest.toFixed(1)} times without it).`,
    `Shift of the median performance from one after another to queued: ${shift > 0 ? '+' : ''}${shift.toFixed(1)}.`,
  ].join('\n\n');
};

export const soakTable = ({ runs, minutes, nulls, failed, leftOver, memory, ...more }: SoakFigures): string => {
  const count = (name: string, list: readonly string[]) => [name, `${list.length}`, [...new Set(list)].join(', ')];
  return [
    `${runs} runs of all pages in turn, all queued at once; ${minutes.toFixed(1)} minutes:`,
    table(
      ['', 'count', 'which'],
      [
        count('null scores and metrics', nulls),
        count('failed runs', failed),
        count('failed attempts', more.failedAttempts),
        count('runs with a sample that was retaken on a busy machine', more.retaken),
        count('runs that are contended after all retakes', more.contended),
        count('processes and folders left, service idle', leftOver.idle),
        count('processes and folders left, service stopped', leftOver.stopped),
        ['RSS of the service before, MiB', memory.before.toFixed(0), ''],
        ['RSS of the service after, MiB', memory.after.toFixed(0), ''],
        ['RSS of the service at its peak, MiB', memory.peak.toFixed(0), ''],
      ],
    ),
  ].join('\n\n');
};

export const steadinessTable = (scores: readonly number[]): string =>
  [
    `Performance of the static page in the service, ${scores.length} runs:`,
    table(
      ['', 'min', 'median', 'max', 'deviation'],
      [['performance', ...spreadCells(spread(scores), 0), deviation(scores).toFixed(2)]],
    ),
  ].join('\n\n');

/** Returns the medians of the audits. Their sum may differ from the median of the sums. */
export const cpuTable = ({ service, audits }: CpuFigures): string => {
  const kinds = [...new Set(audits.flatMap(Object.keys))];
  const medianOf = (of: (audit: CpuFigures['audits'][number]) => number) => median(audits.map(of));
  const total = ({ user, system }: CpuSeconds) => user + system;
  const sum = (audit: CpuFigures['audits'][number]) => Object.values(audit).reduce((all, cpu) => all + total(cpu), 0);
  const rows = kinds
    .map((kind) => ({
      kind,
      user: medianOf((audit) => audit[kind]?.user ?? 0),
      system: medianOf((audit) => audit[kind]?.system ?? 0),
    }))
    .concat({ kind: 'service', ...service })
    .sort((a, b) => total(b) - total(a));
  return [
    `Core-seconds of an audit of the small page, medians of ${audits.length}:`,
    table(
      ['process', 'user', 'system', 'together'],
      [
        ...rows.map(({ kind, user, system }) => [kind, user.toFixed(2), system.toFixed(2), (user + system).toFixed(2)]),
        ['all', '', '', (medianOf(sum) + total(service)).toFixed(2)],
      ],
    ),
  ].join('\n\n');
};

export const storedTable = (all: StoredFigures): string => {
  const cells = (of: (figures: StoredFigures[number]) => number, digits: number) =>
    all.map((figures) => of(figures).toFixed(digits));
  const reads = (all[0]?.loads ?? []).flatMap(({ request }, i) => [
    [`${request}: p50, ms`, ...cells(({ loads }) => loads[i]?.p50 ?? Number.NaN, 1)],
    [`${request}: p99, ms`, ...cells(({ loads }) => loads[i]?.p99 ?? Number.NaN, 1)],
  ]);
  return [
    'Checks of three regions. Reads are sent one after another, and ask for 100 entries.',
    table(
      ['', ...all.map(({ checks, runs }) => `${checks} checks, ${runs} runs`)],
      [
        ['entries of `GET /v1/pages`', ...cells(({ pages }) => pages, 0)],
        ['database, MiB', ...cells(({ databaseMiB }) => databaseMiB, 0)],
        ['start, median, s', ...cells(({ startSeconds }) => median(startSeconds), 2)],
        ['start, slowest, s', ...cells(({ startSeconds }) => Math.max(...startSeconds), 2)],
        ['RSS after the reads, MiB', ...cells(({ memory }) => memory.idle, 0)],
        ['RSS at its peak, MiB', ...cells(({ memory }) => memory.peak, 0)],
        ...reads,
      ],
    ),
  ].join('\n\n');
};
