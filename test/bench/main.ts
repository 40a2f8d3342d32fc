import { availableParallelism, cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { type AuditVersion, auditVersions, resolveAuditVersion } from '../../shared/audit-versions.ts';
import { residentOf } from '../support/processes.ts';
import { measureApi } from './api.ts';
import { endAll, newFolder } from './children.ts';
import { measureFidelity, measureGuard } from './fidelity.ts';
import { pageNames, startPages } from './pages.ts';
import { startService } from './service.ts';
import { measureSoak } from './soak.ts';
import { measureStart } from './start.ts';
import { measureSteadiness } from './steadiness.ts';
import { type Results, tablesOf } from './tables.ts';
import { measureThroughput } from './throughput.ts';
import { alternateAudits, warmUp } from './turnaround.ts';

/** What is measured where no part is named, and what is measured only by its name. */
const usualParts = ['turnaround', 'memory', 'api', 'start'] as const;
const parts = [...usualParts, 'fidelity', 'guard', 'steadiness', 'throughput', 'soak'] as const;
type Part = (typeof parts)[number];

const MAX_MEMORY_ROUNDS = 3; // rounds in which memory is watched: it varies little

const usage = `npm run bench -- [parts] [options]     Measures this service on this machine (Linux); only loopback traffic.

Without a part ${usualParts.join(', ')}: about six minutes. The others by name:
  fidelity             scores, failing audits and metrics against the command line: about 20 s a page, version and round
  guard                what the egress guard costs, in one version: about 16 s a page and round
  steadiness               how steady performance is on a static page: about 9 s a run
  throughput           audits a minute of a queue, and what that does to scores: about four minutes
  soak                 many audits, and what they leave behind: about 8 s a run

  --rounds <number>    of the turnaround (default 7; memory and starts take at most 3 and 5) and of fidelity and guard (default 5)
  --runs <number>      of steadiness (default 30) and soak (default 200)
  --version <version>  of Lighthouse: ${auditVersions.map(({ version }) => version).join(', ')}, a major, or latest (default)
  --versions <list>    of fidelity and soak, with commas between (default all)
  --pages <list>       of fidelity, guard and soak: ${pageNames.join(', ')} (default all);
                       throughput takes the first of them (default a small page)
  --json               prints JSON in the place of the tables
  --help

Progress goes to stderr, the figures to stdout.`;

/** The options, or what is wrong with them. */
const optionsFrom = (args: string[]) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      runs: { type: 'string' },
      version: { type: 'string', default: 'latest' },
      versions: { type: 'string', default: auditVersions.map(({ version }) => version).join() },
      pages: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const rounds = integerFrom('--rounds', values.rounds, 100);
  const runs = integerFrom('--runs', values.runs, 10_000);
  const asked = new Set<Part>(positionals.map((name) => oneOf(parts, name, 'a part')));
  if (asked.size === 0) for (const part of usualParts) asked.add(part);
  return {
    rounds: (usual: number) => rounds ?? usual,
    runs: (usual: number) => runs ?? usual,
    version: versionFrom(values.version),
    versions: values.versions.split(',').map(versionFrom),
    pages: values.pages?.split(',').map((name) => oneOf(pageNames, name, 'a page')),
    json: values.json,
    help: values.help,
    asks: (...anyOf: Part[]) => anyOf.some((part) => asked.has(part)),
  };
};
type Options = ReturnType<typeof optionsFrom>;

const integerFrom = (option: string, value: string | undefined, most: number): number | undefined => {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > most) {
    throw new Error(`${option} is a number from 1 to ${most}`);
  }
  return number;
};

const oneOf = <T extends string>(all: readonly T[], name: string, what: string): T => {
  const found = all.find((each) => each === name);
  if (!found) throw new Error(`${what} is one of ${all.join(', ')}`);
  return found;
};

const versionFrom = (name: string): AuditVersion => {
  const version = resolveAuditVersion(name);
  if (!version) throw new Error(`a version is one of ${auditVersions.map((row) => row.version).join(', ')}`);
  return version;
};

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
    if (asks('api')) results.api = await measureApi(here);
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
