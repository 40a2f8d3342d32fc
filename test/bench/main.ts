import { availableParallelism, cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { type AuditVersion, auditVersions, resolveAuditVersion } from '../../shared/audit-versions.ts';
import { measureApi } from './api.ts';
import { aFolder, endAll } from './children.ts';
import { servePage } from './page.ts';
import { residentOf } from './processes.ts';
import { startService } from './service.ts';
import { measureStart } from './start.ts';
import { type Results, tablesOf } from './tables.ts';
import { auditByTurns, warmUp } from './turnaround.ts';

const parts = ['turnaround', 'memory', 'api', 'start'] as const;
type Part = (typeof parts)[number];

const MOST_WATCHED = 3; // rounds in which memory is watched: it varies little

const usage = `npm run bench -- [options]     Measures this service on this machine (Linux). About six minutes; only loopback traffic.

  --rounds <number>    of the turnaround (default 7); memory and starts take at most 3 and 5
  --only <part>        ${parts.join(', ')}
  --version <version>  of Lighthouse: ${auditVersions.map(({ version }) => version).join(', ')}, a major, or latest (default)
  --json               prints JSON in the place of the tables
  --help

Progress goes to stderr, the figures to stdout.`;

/** The options, or what is wrong with them. */
const optionsFrom = (args: string[]) => {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '7' },
      only: { type: 'string' },
      version: { type: 'string', default: 'latest' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new Error('--rounds is a number from 1 to 100');
  const only = parts.find((part) => part === values.only);
  if (values.only !== undefined && !only) throw new Error(`--only is one of ${parts.join(', ')}`);
  const version = resolveAuditVersion(values.version);
  if (!version) throw new Error(`--version is one of ${auditVersions.map((row) => row.version).join(', ')}`);
  return { rounds, version, json: values.json, help: values.help, asks: (part: Part) => !only || part === only };
};
type Options = ReturnType<typeof optionsFrom>;

const measure = async ({ rounds, version, asks }: Options): Promise<Results> => {
  const results: Results = { machine: machineWith(version) };
  await using page = await servePage();

  if (asks('turnaround') || asks('memory') || asks('api')) {
    const dataDir = aFolder();
    await using service = await startService(dataDir);
    const common = { service, pageUrl: page.url, version, tell };
    if (asks('turnaround') || asks('memory')) await warmUp({ ...common, dataDir });
    if (asks('turnaround')) results.turnaround = await auditByTurns({ ...common, dataDir, rounds, memory: false });
    if (asks('memory')) {
      const audits = await auditByTurns({ ...common, dataDir, rounds: Math.min(rounds, MOST_WATCHED), memory: true });
      const footprints = (of: 'service' | 'commandLine') => audits.flatMap((round) => round[of].memory ?? []);
      results.memory = {
        service: { peak: residentOf(service.pid, 'VmHWM'), idle: residentOf(service.pid, 'VmRSS') },
        audits: { service: footprints('service'), commandLine: footprints('commandLine') },
      };
    }
    if (asks('api')) results.api = await measureApi(common);
  }
  if (asks('start')) results.start = await measureStart({ pageUrl: page.url, version, rounds, tell });
  return results;
};

const machineWith = (lighthouse: AuditVersion): Results['machine'] => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGiB: totalmem() / 2 ** 30,
  node: process.versions.node,
  lighthouse,
  at: new Date().toISOString(),
});

const tell = (line: string) => console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${line}`);

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
