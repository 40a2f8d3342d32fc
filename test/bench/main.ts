import { availableParallelism, cpus, totalmem } from 'node:os';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { residentOf } from '../support/processes.ts';
import { measureApi } from './api.ts';
import { endAll, newFolder } from './children.ts';
import { measureFidelity, measureGuard } from './fidelity.ts';
import { type Options, optionsFrom, usage, usualParts } from './options.ts';
import { pageNames, startPages } from './pages.ts';
import { startService } from './service.ts';
import { measureSoak } from './soak.ts';
import { measureStart } from './start.ts';
import { measureSteadiness } from './steadiness.ts';
import { type Results, tablesOf } from './tables.ts';
import { measureThroughput } from './throughput.ts';
import { alternateAudits, warmUp } from './turnaround.ts';

const MAX_MEMORY_ROUNDS = 3; // rounds in which memory is watched: it varies little

const measure = async ({ rounds, runs, version, versions, pages: asked, asks }: Options): Promise<Results> => {
  const some = asks(...usualParts, 'guard', 'steadiness', 'throughput') ? [version] : [];
  const results: Results = { machine: machineWith([...some, ...(asks('fidelity', 'soak') ? versions : [])]) };
  await using pages = await startPages();
  const names = asked ?? pageNames;
  const common = { pages, names, version, versions, pageUrl: pages.url('small'), log };

  if (asks('turnaround', 'memory', 'api')) {
    const dataDir = newFolder();
    await using service = await startService(dataDir);
    const here = { ...common, service, dataDir };
    if (asks('turnaround', 'memory')) await warmUp(here);
    if (asks('turnaround')) results.turnaround = await alternateAudits({ ...here, rounds: rounds(7), memory: false });
    if (asks('memory')) {
      const audits = await alternateAudits({ ...here, rounds: Math.min(rounds(7), MAX_MEMORY_ROUNDS), memory: true });
      const footprints = (of: 'service' | 'commandLine') => audits.flatMap((round) => round[of].memory ?? []);
      results.memory = {
        service: { peak: residentOf(service.pid, 'VmHWM'), idle: residentOf(service.pid, 'VmRSS') },
        audits: { service: footprints('service'), commandLine: footprints('commandLine') },
      };
    }
    if (asks('api')) results.api = await measureApi({ ...here, seconds: 5 });
  }
  if (asks('start')) results.start = await measureStart({ ...common, rounds: rounds(7) });
  if (asks('fidelity')) results.fidelity = await measureFidelity({ ...common, rounds: rounds(5) });
  if (asks('guard')) results.guard = await measureGuard({ ...common, versions: [version], rounds: rounds(5) });
  if (asks('steadiness')) results.steadiness = await measureSteadiness({ ...common, runs: runs(30) });
  if (asks('throughput')) results.throughput = await measureThroughput({ ...common, page: asked?.[0] ?? 'small' });
  if (asks('soak')) results.soak = await measureSoak({ ...common, runs: runs(200) });
  return results;
};

const machineWith = (versions: AuditVersion[]): Results['machine'] => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGiB: totalmem() / 2 ** 30,
  node: process.versions.node,
  lighthouse: [...new Set(versions)].join(', '),
  at: new Date().toISOString(),
});

const log = (line: string) => console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${line}`);

const fail = (error: unknown): never => {
  console.error(error instanceof Error ? error.message : error);
  console.error(`\n${usage}`);
  process.exit(2);
};

const options = (() => {
  try {
    return optionsFrom(process.argv.slice(2));
  } catch (error) {
    return fail(error);
  }
})();
if (options.help) {
  console.log(usage);
  process.exit(0);
}

let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, async () => {
    if (interrupted) return; // npm sends it a second time; the end is near
    interrupted = true;
    await endAll();
    process.exit(130);
  });
}

try {
  const results = await measure(options);
  console.log(options.json ? JSON.stringify(results, null, 2) : tablesOf(results));
} catch (error) {
  if (!interrupted) console.error(error); // else it comes from what was ended under it
  process.exitCode = 1;
} finally {
  await endAll();
}
