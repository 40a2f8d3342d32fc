import { availableParallelism, cpus, totalmem } from 'node:os';
import { residentOf } from '../support/processes.ts';
import { measureApi } from './api.ts';
import { measureAtOnce } from './at-once.ts';
import { measureBodies } from './bodies.ts';
import { bundledFolder } from './bundled-folder.ts';
import { measureBusy, shortBusy } from './busy.ts';
import { measureChanges } from './changes.ts';
import { endAll } from './children.ts';
import { measureCpu } from './cpu.ts';
import { measureFidelity, measureGuard, measureHeaders } from './fidelity.ts';
import { type Options, optionsFrom, usage } from './options.ts';
import { type Pages, startPages } from './pages.ts';
import { resizingPageNames } from './resizing-pages.ts';
import { currentCommit, markdownOf, type Origin, writeSections } from './results-page.ts';
import { measureSamples } from './samples.ts';
import { measureScreenshots } from './screenshots.ts';
import { startService } from './service.ts';
import { measureSoak } from './soak.ts';
import { measureStart } from './start.ts';
import { measureSteadiness } from './steadiness.ts';
import { measureStored } from './stored.ts';
import { measureSweep } from './sweep.ts';
import { type Results, sectionsOf } from './tables.ts';
import { measureThroughput } from './throughput.ts';
import { alternateAudits, warmUp } from './turnaround.ts';

const MAX_MEMORY_ROUNDS = 3; // memory varies little

/** Runs the selected benchmarks, one after another. */
const measure = async (options: Options): Promise<Results> => {
  const { rounds, runs, version, versions, names, page, includes } = options;
  await using pages = await startPages();
  const common = { pages, names, version, versions, pageUrl: pages.url('small'), log };
  const results: Results = { origin: origin(), version, versions };
  if (includes('turnaround', 'memory', 'api')) Object.assign(results, await measureOneService(options, pages));
  if (includes('sweep')) results.sweep = await measureSweep({ items: options.short ? 500 : 5000, log });
  if (includes('bodies')) results.bodies = await measureBodies(log);
  if (includes('stored')) results.stored = await measureStored({ short: options.short, log });
  if (includes('cpu')) results.cpu = await measureCpu({ ...common, runs: runs(8) });
  if (includes('busy'))
    results.busy = await measureBusy({
      pages,
      log,
      limitMs: options.limitMs,
      runs: runs(7),
      ...(options.short && shortBusy),
    });
  if (includes('changes')) results.changes = await measureChanges({ ...common, runs: runs(10) });
  if (includes('start')) results.start = await measureStart({ ...common, rounds: rounds(7) });
  if (includes('fidelity')) results.fidelity = await measureFidelity({ ...common, rounds: rounds(5) });
  if (includes('screenshots')) {
    const all = options.short ? names : [...names, ...resizingPageNames];
    results.screenshots = await measureScreenshots({ ...common, names: all, rounds: rounds(1) });
  }
  if (includes('guard')) results.guard = await measureGuard({ ...common, versions: [version], rounds: rounds(5) });
  if (includes('headers'))
    results.headers = await measureHeaders({ ...common, versions: [version], rounds: rounds(5) });
  if (includes('throughput')) results.throughput = await measureThroughput({ ...common, page, short: options.short });
  if (includes('at-once')) results.atOnce = await measureAtOnce({ ...common, rounds: rounds(3) });
  if (includes('steadiness')) results.steadiness = await measureSteadiness({ ...common, runs: runs(30) });
  if (includes('samples')) results.samples = await measureSamples({ ...common, rounds: rounds(5) });
  if (includes('soak')) results.soak = await measureSoak({ ...common, runs: runs(200) });
  return results;
};

/** Runs the benchmarks that share one service. */
const measureOneService = async ({ rounds, version, includes, short }: Options, pages: Pages) => {
  const results: Pick<Results, 'turnaround' | 'memory' | 'api'> = {};
  const dataDir = await bundledFolder();
  await using service = await startService(dataDir, { LOG_LEVEL: 'DEBUG' }); // for the trace of each audit
  const here = { service, dataDir, version, pageUrl: pages.url('small'), log };
  if (includes('turnaround', 'memory')) await warmUp(here);
  if (includes('turnaround')) {
    results.turnaround = await alternateAudits({ ...here, rounds: rounds(7), memory: false });
  }
  if (includes('memory')) {
    const audits = await alternateAudits({ ...here, rounds: Math.min(rounds(7), MAX_MEMORY_ROUNDS), memory: true });
    const footprints = (of: 'service' | 'commandLine') => audits.flatMap((round) => round[of].memory ?? []);
    results.memory = {
      service: { peak: residentOf(service.pid, 'VmHWM'), idle: residentOf(service.pid, 'VmRSS') },
      audits: { service: footprints('service'), commandLine: footprints('commandLine') },
    };
  }
  if (includes('api')) results.api = await measureApi({ ...here, seconds: short ? 1 : 5 });
  return results;
};

const origin = (): Origin => ({
  commit: currentCommit(),
  processor: cpus()[0]?.model.trim() ?? 'unknown processor',
  cores: availableParallelism(),
  memoryGiB: totalmem() / 2 ** 30,
  node: process.versions.node,
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
    if (interrupted) return; // npm sends every signal a second time
    interrupted = true;
    await endAll();
    process.exit(130);
  });
}

try {
  const results = await measure(options);
  const sections = sectionsOf(results);
  console.log(options.json ? JSON.stringify(results, null, 2) : sections.map(markdownOf).join('\n\n'));
  if (options.write) writeSections(sections);
} catch (error) {
  if (!interrupted) console.error(error); // an interrupt ends the children, which throws here
  process.exitCode = 1;
} finally {
  await endAll();
}
