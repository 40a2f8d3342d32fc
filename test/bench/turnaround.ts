import type { AuditVersion } from '../../shared/audit-versions.ts';
import { type Arm, auditByCommandLine, auditByService, runInTurn } from './arms.ts';
import type { Footprint } from './memory.ts';
import { scoreOf } from './reading.ts';
import type { Service } from './service.ts';
import type { Trace } from './trace.ts';

/** One audit: the seconds that its user waits, and the seconds that Lighthouse reports. */
export type Audit = {
  seconds: number;
  engineSeconds: number;
  benchmarkSeconds: number; // part of the engine's time
  performance: number;
  memory: Footprint | null;
  trace?: Trace;
};
export type Round = { service: Audit; commandLine: Audit };

type Options = {
  service: Service;
  dataDir: string;
  pageUrl: string;
  version: AuditVersion;
  rounds: number;
  memory: boolean; // also watches the memory, which uses some CPU
  log: (line: string) => void;
};

/** Runs one audit with each arm. It unpacks Chromium and fills the file cache, and its result is dropped. */
export const warmUp = async (options: Omit<Options, 'rounds' | 'memory'>): Promise<void> => {
  options.log('warm-up: one audit per arm');
  await auditByService(options.service)(options);
  await auditByCommandLine(options.dataDir)(options);
};

/** Audits the same page with the service and with Lighthouse's command line in turn, with the same Chromium. */
export const alternateAudits = async (options: Options): Promise<Round[]> => {
  const { service, dataDir, rounds: count, memory, log } = options;
  const arms = {
    service: () => auditFigures(auditByService(service, { memory }), options),
    commandLine: () => auditFigures(auditByCommandLine(dataDir, { memory }), options),
  };
  const rounds: Round[] = [];
  for (let i = 0; i < count; i++) {
    const round = await runInTurn(arms, i);
    rounds.push(round);
    const seconds = `service ${round.service.seconds.toFixed(2)} s, command line ${round.commandLine.seconds.toFixed(2)} s`;
    log(`${memory ? 'memory' : 'turnaround'} ${i + 1}/${count}: ${seconds}`);
  }
  return rounds;
};

const auditFigures = async (arm: Arm, options: Options): Promise<Audit> => {
  const { report, ...figures } = await arm(options);
  const benchmark = report.timing.entries.find(({ name }) => /benchmark/i.test(name));
  return {
    ...figures,
    engineSeconds: report.timing.total / 1000,
    benchmarkSeconds: (benchmark?.duration ?? 0) / 1000,
    performance: scoreOf(report, 'performance'),
  };
};
