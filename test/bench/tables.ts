import type { ApiFigures } from './api.ts';
import { compare, compareWithItself } from './comparison.ts';
import type { Sample } from './fidelity.ts';
import { fidelityTables, guardTables } from './fidelity-tables.ts';
import { soakTable, steadinessTable, throughputTable } from './load-tables.ts';
import type { Footprint } from './memory.ts';
import { median, spread, spreadCells, table } from './numbers.ts';
import { isIdle } from './profile.ts';
import type { SoakFigures } from './soak.ts';
import type { StartFigures } from './start.ts';
import type { ThroughputFigures } from './throughput.ts';
import type { Round } from './turnaround.ts';

/** What the bench found; a part that was not asked for is missing. */
export type Results = {
  machine: { processor: string; cores: number; memoryGiB: number; node: string; lighthouse: string; at: string };
  turnaround?: Round[];
  memory?: { service: { peak: number; idle: number }; audits: { service: Footprint[]; commandLine: Footprint[] } };
  api?: ApiFigures;
  start?: StartFigures;
  fidelity?: Sample[];
  guard?: Sample[];
  steadiness?: number[]; // performance
  throughput?: ThroughputFigures;
  soak?: SoakFigures;
};

/** The tables to paste in the README. */
export const tablesOf = ({ machine, turnaround, memory, api, start, ...more }: Results): string =>
  [
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB.toFixed(0)} GiB, Node ${machine.node}, ` +
      `Lighthouse ${machine.lighthouse}, ${machine.at}`,
    turnaround && turnaroundTable(turnaround),
    memory && memoryTable(memory),
    api && apiTable(api),
    api && profileTable(api),
    start && startTable(start),
    more.fidelity &&
      fidelityTables(
        compare(more.fidelity, { ours: 'service', theirs: 'commandLine' }),
        compareWithItself(more.fidelity, 'commandLine'),
      ),
    more.guard && guardTables(compare(more.guard, { ours: 'service', theirs: 'unguarded' })),
    more.steadiness && steadinessTable(more.steadiness),
    more.throughput && throughputTable(more.throughput),
    more.soak && soakTable(more.soak),
  ]
    .filter((each) => each !== undefined)
    .join('\n\n');

const turnaroundTable = (rounds: Round[]): string => {
  const row = (name: string, digits: number, of: (round: Round) => number) => [
    name,
    ...spreadCells(spread(rounds.map(of)), digits),
  ];
  const ratio = (over: (round: Round) => number) => `${median(rounds.map(over)).toFixed(2)}`;
  return [
    `**Turnaround** of a small page in seconds, ${rounds.length} rounds by turns`,
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
    `Median of the rounds' ratios: service / command line ${ratio(
      ({ service, commandLine }) => service.seconds / commandLine.seconds,
    )}, service / its engine ${ratio(({ service }) => service.seconds / service.engineSeconds)}.`,
  ].join('\n\n');
};

const memoryTable = ({ service, audits }: NonNullable<Results['memory']>): string => {
  const row = (name: string, of: (audit: Footprint) => number, which: Footprint[]) => [
    name,
    ...spreadCells(spread(which.map(of)), 0),
  ];
  return [
    '**Memory** in MiB: of an audit the peak sum over its processes (PSS, sampled every 200 ms), of the service its RSS',
    table(
      ['', 'min', 'median', 'max'],
      [
        row('audit in the service', (audit) => audit.total, audits.service),
        row('of it the auditor', (audit) => audit.node, audits.service),
        row('of it Chromium', (audit) => audit.chromium, audits.service),
        row('audit by the command line', (audit) => audit.total, audits.commandLine),
        ['service process, after its audits', '', service.idle.toFixed(0), ''],
        ['service process, peak', '', '', service.peak.toFixed(0)],
      ],
    ),
  ].join('\n\n');
};

const apiTable = ({ loads }: ApiFigures): string =>
  [
    '**API**: latency in ms and requests a second; the client is on the same machine',
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

const profileTable = ({ profile: { creates, parts } }: ApiFigures): string => {
  const busy = parts.filter((part) => !isIdle(part));
  const all = busy.reduce((sum, part) => sum + part.self, 0);
  const small = busy.filter((part) => part.withNode < all / 200);
  const shown = busy.filter((part) => !small.includes(part));
  const sum = (column: 'self' | 'withNode') => small.reduce((total, part) => total + part[column], 0);
  const rows = [...shown, { name: 'all else', self: sum('self'), withNode: sum('withNode') }];
  const idle = parts.find(isIdle)?.self ?? 0;
  const percent = (part: number) => `${((100 * part) / all).toFixed(1)} %`;
  return [
    `**Where a create's time goes**: main thread, ${creates} creates over 32 connections, ${(all / creates).toFixed(2)} ms ` +
      `each; idle ${((100 * idle) / (all + idle)).toFixed(0)} % of the time`,
    table(
      ['part', 'own code', 'with the Node code it calls', 'ms a create'],
      rows.map(({ name, self, withNode }) => [name, percent(self), percent(withNode), (withNode / creates).toFixed(2)]),
    ),
  ].join('\n\n');
};

const startTable = ({ cold, warm, coldCheck, codeRead }: StartFigures): string =>
  [
    '**Start** in seconds from the start of the process; cold: on an empty data folder, Chromium still packed',
    table(
      ['', 'min', 'median', 'max', 'rounds'],
      [
        ['cold start to ready', ...spreadCells(spread(cold), 2), `${cold.length}`],
        ['warm start to ready', ...spreadCells(spread(warm), 2), `${warm.length}`],
        ['cold start to two regions checked', ...spreadCells(spread(coldCheck), 2), `${coldCheck.length}`],
        ['a deployed API function reads its code', ...spreadCells(spread(codeRead), 2), `${codeRead.length}`],
      ],
    ),
  ].join('\n\n');
