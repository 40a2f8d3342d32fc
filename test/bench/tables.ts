import type { AuditVersion } from '../../shared/audit-versions.ts';
import type { ApiFigures } from './api.ts';
import { type AtOnceFigures, atOnceTables } from './at-once.ts';
import { bodiesTable, type Stall } from './bodies.ts';
import type { BusyFigures } from './busy.ts';
import { busyTables } from './busy-table.ts';
import { changesTable, type Trial } from './changes.ts';
import { compare, compareWithItself } from './comparison.ts';
import type { CpuFigures } from './cpu.ts';
import type { Sample } from './fidelity.ts';
import { costTables, fidelityTables } from './fidelity-tables.ts';
import { cpuTable, soakTable, steadinessTable, storedTable, throughputTable } from './load-tables.ts';
import type { Footprint } from './memory.ts';
import { median, spread, spreadCells, table } from './numbers.ts';
import { isIdle, type Profile } from './profile.ts';
import { type Origin, recordedAt, type Section } from './results-page.ts';
import { type SamplesRound, samplesTable } from './samples.ts';
import { type ScreenshotPair, screenshotTable } from './screenshots.ts';
import type { SoakFigures } from './soak.ts';
import type { StartFigures } from './start.ts';
import type { StoredFigures } from './stored.ts';
import type { Swept } from './sweep.ts';
import type { ThroughputFigures } from './throughput.ts';
import type { Trace } from './trace.ts';
import type { Round } from './turnaround.ts';

/** Results of the bench. A benchmark that was not selected is missing. */
export type Results = {
  origin: Origin;
  version: AuditVersion;
  versions: readonly AuditVersion[]; // of fidelity and soak
  turnaround?: Round[];
  memory?: { service: { peak: number; idle: number }; audits: { service: Footprint[]; commandLine: Footprint[] } };
  api?: ApiFigures;
  start?: StartFigures;
  fidelity?: Sample[];
  screenshots?: ScreenshotPair[];
  guard?: Sample[];
  headers?: Sample[];
  steadiness?: number[]; // performance
  throughput?: ThroughputFigures;
  atOnce?: AtOnceFigures;
  samples?: SamplesRound[];
  soak?: SoakFigures;
  cpu?: CpuFigures;
  busy?: BusyFigures;
  changes?: Trial[];
  sweep?: Swept[];
  stored?: StoredFigures;
  bodies?: Stall[];
};

/** Returns one section for each benchmark that ran. */
export const sectionsOf = (results: Results): Section[] => {
  const {
    origin,
    version,
    turnaround,
    memory,
    api,
    start,
    fidelity,
    screenshots,
    guard,
    headers,
    steadiness,
    throughput,
    atOnce,
    samples,
    soak,
    cpu,
    busy,
    changes,
    sweep,
    stored,
    bodies,
  } = results;
  const section = (title: string, tables: string[], versions: readonly AuditVersion[] = [version]): Section => ({
    title,
    text: [recordedAt(origin, versions), ...tables].join('\n\n'),
  });
  const sections = [
    turnaround && section('Turnaround', [turnaroundTable(turnaround)]),
    memory && section('Memory', [memoryTable(memory)]),
    api && section('API', [apiTable(api), ...api.profiles.map(profileTable)]),
    start && section('Start', [startTable(start)]),
    fidelity && section('Fidelity', [fidelityText(fidelity)], results.versions),
    screenshots && section('Full-page screenshots', [screenshotTable(screenshots)], results.versions),
    guard &&
      section('Egress guard', [
        costTables('the egress guard', compare(guard, { ours: 'service', theirs: 'unguarded' })),
      ]),
    headers && section('Headers', [costTables('headers', compare(headers, { ours: 'headers', theirs: 'without' }))]),
    throughput && section(`Throughput of ${throughput.page}`, [throughputTable(throughput)]),
    atOnce && section('Timed parts at once', [atOnceTables(atOnce)]),
    steadiness && section('Steadiness', [steadinessTable(steadiness)]),
    samples && section('Several samples', [samplesTable(samples)]),
    cpu && section('CPU time', [cpuTable(cpu)]),
    busy && section('Waits for a CPU', [busyTables(busy)]),
    changes && section('Changes in turns', [changesTable(changes)]),
    sweep && section('Sweep', [sweepTable(sweep), ...sweep.map(profileOfSweep)]),
    stored && section('Stored history', [storedTable(stored)]),
    bodies && section('Largest bodies', [bodiesTable(bodies)]),
    soak && section('Soak', [soakTable(soak)], results.versions),
  ];
  return sections.filter((each) => each !== undefined);
};

const fidelityText = (samples: Sample[]): string =>
  fidelityTables(
    compare(samples, { ours: 'service', theirs: 'commandLine' }),
    compareWithItself(samples, 'commandLine'),
  );

const turnaroundTable = (rounds: Round[]): string => {
  const row = (name: string, digits: number, of: (round: Round) => number) => [
    name,
    ...spreadCells(spread(rounds.map(of)), digits),
  ];
  const ratio = (over: (round: Round) => number) => `${median(rounds.map(over)).toFixed(2)}`;
  return [
    `Seconds for an audit of the small page, ${rounds.length} alternating round(s):`,
    table(
      ['', 'min', 'median', 'max'],
      [
        row('service: POST to `succeeded`', 2, ({ service }) => service.seconds),
        row('its engine (`timing.total`)', 2, ({ service }) => service.engineSeconds),
        row('command line: whole process', 2, ({ commandLine }) => commandLine.seconds),
        row('its engine (`timing.total`)', 2, ({ commandLine }) => commandLine.engineSeconds),
        row('performance, service', 0, ({ service }) => service.performance),
        row('performance, command line', 0, ({ commandLine }) => commandLine.performance),
      ],
    ),
    `Median ratio: service / command line ${ratio(
      ({ service, commandLine }) => service.seconds / commandLine.seconds,
    )}, service / its engine ${ratio(({ service }) => service.seconds / service.engineSeconds)}, service / its engine without the benchmark ${ratio(
      ({ service }) => service.seconds / (service.engineSeconds - service.benchmarkSeconds),
    )}.`,
    'Steps of an audit by the service, in milliseconds:',
    traceTable(rounds.flatMap(({ service }) => (service.trace ? [service.trace] : []))),
  ].join('\n\n');
};

const traceTable = (traces: Trace[]): string => {
  const steps = [...new Set(traces.flatMap((trace) => trace.map(({ step }) => step)))];
  const at = (trace: Trace, step: string) => trace.find((each) => each.step === step)?.ms ?? Number.NaN;
  const before = (trace: Trace, step: string) => trace[trace.findIndex((each) => each.step === step) - 1]?.ms ?? 0;
  return table(
    ['step', 'since the POST', 'since the step before'],
    steps.map((step) => [
      step,
      median(traces.map((trace) => at(trace, step))).toFixed(0),
      median(traces.map((trace) => at(trace, step) - before(trace, step))).toFixed(0),
    ]),
  );
};

const memoryTable = ({ service, audits }: NonNullable<Results['memory']>): string => {
  const row = (name: string, of: (audit: Footprint) => number, which: Footprint[]) => [
    name,
    ...spreadCells(spread(which.map(of)), 0),
  ];
  return [
    'MiB. For an audit: the peak of the sum over its processes (PSS, sampled every 200 ms). For the service: its RSS.',
    table(
      ['', 'min', 'median', 'max'],
      [
        row('audit in the service', (audit) => audit.total, audits.service),
        row('auditor process of that', (audit) => audit.node, audits.service),
        row('Chromium of that', (audit) => audit.chromium, audits.service),
        row('audit by the command line', (audit) => audit.total, audits.commandLine),
        ['service process, after its audits', '', service.idle.toFixed(0), ''],
        ['service process, peak', '', '', service.peak.toFixed(0)],
      ],
    ),
  ].join('\n\n');
};

const apiTable = ({ loads }: ApiFigures): string =>
  [
    'Latency in milliseconds, and requests a second. The client runs on the same machine.',
    table(
      ['request', 'connections', 'p50', 'p99', 'requests/s', 'requests', 'errors'],
      loads.map(({ request, connections, p50, p99, perSecond, requests, errors }) => [
        request,
        `${connections}`,
        p50.toFixed(1),
        p99.toFixed(1),
        perSecond.toFixed(0),
        `${requests}`,
        `${errors}`,
      ]),
    ),
  ].join('\n\n');

const profileTable = ({ of, count, parts }: Profile): string => {
  const busy = parts.filter((part) => !isIdle(part));
  const total = busy.reduce((sum, part) => sum + part.self, 0);
  const small = busy.filter((part) => part.withNode < total / 200);
  const shown = busy.filter((part) => !small.includes(part));
  const sum = (column: 'self' | 'withNode') => small.reduce((all, part) => all + part[column], 0);
  const rows = [...shown, { name: 'other', self: sum('self'), withNode: sum('withNode') }];
  const idle = parts.find(isIdle)?.self ?? 0;
  const percent = (part: number) => `${((100 * part) / total).toFixed(1)} %`;
  return [
    `CPU profile of the main thread: ${count} ${of}, ${(total / count).toFixed(2)} ms each, ` +
      `${((100 * idle) / (total + idle)).toFixed(0)} % idle.`,
    table(
      ['part', 'own code', 'with the Node code it calls', 'ms each'],
      rows.map(({ name, self, withNode }) => [name, percent(self), percent(withNode), (withNode / count).toFixed(2)]),
    ),
  ].join('\n\n');
};

const sweepTable = (swept: readonly Swept[]): string =>
  [
    'Due runs of one region that one sweep handles. Table and sweeper share one thread.',
    table(
      ['a run is due, and', 'runs', 'seconds', 'runs/s'],
      swept.map(({ due, items, seconds }) => [due, `${items}`, seconds.toFixed(1), (items / seconds).toFixed(0)]),
    ),
  ].join('\n\n');

const profileOfSweep = ({ due, items: count, parts }: Swept): string =>
  profileTable({ of: `due runs, each because ${due}`, count, parts });

const startTable = ({ cold, warm, coldCheck, codeRead, firstAudit = [] }: StartFigures): string =>
  [
    'Seconds from the start of the process until it can audit pages. A cold start has an empty data folder and a packed Chromium.',
    table(
      ['', 'min', 'median', 'max', 'rounds'],
      [
        ['cold start to ready', ...spreadCells(spread(cold), 2), `${cold.length}`],
        ['warm start to ready', ...spreadCells(spread(warm), 2), `${warm.length}`],
        ['cold start to two regions checked', ...spreadCells(spread(coldCheck), 2), `${coldCheck.length}`],
        ['a deployed API function reads its code', ...spreadCells(spread(codeRead), 2), `${codeRead.length}`],
        ...(firstAudit.length > 0
          ? [
              [
                'a deployed audit function ends its first audit',
                ...spreadCells(spread(firstAudit), 2),
                `${firstAudit.length}`,
              ],
            ]
          : []),
      ],
    ),
  ].join('\n\n');
