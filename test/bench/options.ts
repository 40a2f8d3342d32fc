import { parseArgs } from 'node:util';
import { type AuditVersion, auditVersions, resolveAuditVersion } from '../../shared/audit-versions.ts';
import { pageNames } from './pages.ts';

/** What is measured where no part is named, and what is measured only by its name. */
export const usualParts = ['turnaround', 'memory', 'api', 'start'] as const;
const parts = [...usualParts, 'fidelity', 'guard', 'steadiness', 'throughput', 'soak'] as const;
type Part = (typeof parts)[number];

export const usage = `npm run bench -- [parts] [options]     Measures this service on this machine (Linux); only loopback traffic.

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
export const optionsFrom = (args: string[]) => {
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
export type Options = ReturnType<typeof optionsFrom>;

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
