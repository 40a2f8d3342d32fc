import { parseArgs } from 'node:util';
import { type AuditVersion, auditVersions, resolveAuditVersion } from '../../shared/audit-versions.ts';
import { majorVersions } from '../support/major-versions.ts';
import { type PageName, pageNames } from './pages.ts';

/** Benchmarks that run if the command names none. */
export const usualBenchmarks = ['turnaround', 'memory', 'api', 'start'] as const;
const benchmarks = [
  ...usualBenchmarks,
  'fidelity',
  'screenshots',
  'guard',
  'headers',
  'steadiness',
  'samples',
  'throughput',
  'at-once',
  'soak',
  'cpu',
  'busy',
  'changes',
  'sweep',
  'stored',
  'bodies',
] as const;
type Benchmark = (typeof benchmarks)[number];

const SHORT_RUNS = 3;
const shortPages: PageName[] = ['static', 'script'];

export const usage = `npm run bench -- [names] [options]     Measures this service on this machine (Linux), over loopback only.

Without a name: ${usualBenchmarks.join(', ')}, in about six minutes. By name only:
  fidelity             scores, failing audits and metrics against the command line: about 20 s per page, version and round
  screenshots          full-page pictures with the shortened and with Lighthouse's own wait: about 15 s per page, version and round
  guard                cost of the egress guard, in one version: about 16 s per page and round
  headers              cost of sending headers to the page, in one version: about 16 s per page and round
  cpu                  CPU time of an audit, by kind of process: about 10 s per run
  busy                 pages beside loops, a memory hog, other audits and a quota: about 6 s per page, load and run
  changes              pages that got slower in one thing, in turns with the page before: about three minutes per run
  steadiness           how much performance varies on a static page: about 9 s per run
  samples              checks of one and of five samples, by turns: about 30 s per round
  throughput           audits a minute of a queue, also beside a CPU hog, and their scores: about six minutes
  at-once              queues with one and two timed parts at once, and their scores: about four minutes per round
  sweep                due runs a second that a sweep handles: about a minute
  stored               start, memory and reads with 20,000 stored checks: about five minutes
  bodies               the largest body of each route, and how long it holds the event loop: about a minute
  soak                 many audits, and what they leave behind: about 8 s per run

  --write              replaces the sections of these benchmarks in test/bench/RESULTS.md, except for their notes
  --short              one round, ${SHORT_RUNS} runs, two pages, the newest version: shows that the benchmark works
  --rounds <number>    of turnaround (default 7; memory takes at most 3, start 5), fidelity, guard, headers and samples
                       (default 5), at-once (default 3), screenshots (default 1)
  --runs <number>      of steadiness (default 30), soak (default 200), cpu (default 8), busy (default 7) and
                       changes (default 10)
  --minutes <number>   after which busy begins no further cell (default none)
  --version <version>  of Lighthouse: ${auditVersions.map(({ version }) => version).join(', ')}, a major, or latest (default)
  --versions <list>    of fidelity, screenshots and soak, separated by commas (default all)
  --pages <list>       of fidelity, screenshots, guard, headers and soak: ${pageNames.join(', ')} (default all);
                       throughput takes the first of them (default a small page)
  --json               prints JSON instead of tables
  --help

Progress goes to stderr, results to stdout.`;

/** Parses the arguments. Throws an error that says what is accepted. */
export const optionsFrom = (args: string[]) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      runs: { type: 'string' },
      minutes: { type: 'string' },
      version: { type: 'string', default: 'latest' },
      versions: { type: 'string' },
      pages: { type: 'string' },
      short: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { short, write, json, help } = values;
  if (short && write) throw new Error('--short measures too little to be recorded. Leave out --short or --write.');
  const rounds = integerFrom('--rounds', values.rounds, 100);
  const runs = integerFrom('--runs', values.runs, 10_000);
  const minutes = integerFrom('--minutes', values.minutes, 1000);
  const names = positionals.map((name) => oneOf(benchmarks, name, 'benchmark'));
  const selected = new Set<Benchmark>(names.length > 0 ? names : usualBenchmarks);
  const version = versionFrom(values.version);
  const usualVersions = short ? [version] : majorVersions.map((row) => row.version);
  const pages = values.pages?.split(',').map((name) => oneOf(pageNames, name, 'page'));
  return {
    rounds: (usual: number) => rounds ?? (short ? 1 : usual),
    runs: (usual: number) => runs ?? (short ? SHORT_RUNS : usual),
    version,
    versions: values.versions?.split(',').map(versionFrom) ?? usualVersions,
    names: pages ?? (short ? shortPages : pageNames),
    limitMs: minutes && 60_000 * minutes,
    page: pages?.[0] ?? ('small' as const), // of throughput
    ...{ short, write, json, help },
    includes: (...anyOf: Benchmark[]) => anyOf.some((name) => selected.has(name)),
  };
};
export type Options = ReturnType<typeof optionsFrom>;

const integerFrom = (option: string, value: string | undefined, max: number): number | undefined => {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > max) {
    throw new Error(`${option} must be a whole number from 1 to ${max}, not "${value}".`);
  }
  return number;
};

const oneOf = <T extends string>(all: readonly T[], name: string, kind: string): T => {
  const found = all.find((each) => each === name);
  if (!found) throw new Error(`There is no ${kind} "${name}". There are ${all.join(', ')}.`);
  return found;
};

const versionFrom = (name: string): AuditVersion => {
  const version = resolveAuditVersion(name);
  if (!version) {
    throw new Error(`There is no version "${name}". There are ${auditVersions.map((row) => row.version).join(', ')}.`);
  }
  return version;
};
