import type { Streams } from '../../clients/cli/streams.ts';
import type { RegionStore } from '../../functions/lib/store/regions.ts';
import { type AuditRegion, allRegions, regions } from '../../shared/regions.ts';
import { commandLine } from '../local/command-line.ts';
import { commonOptions, parseArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { UsageError } from './table.ts';

export const usage = `${commandLine('regions', 'list')}
${commandLine('regions', 'pause REGION')}
${commandLine('regions', 'resume REGION')}

  A paused region takes no new checks: a create that names it is refused with 503. Its runs that exist go on.
  Running functions see a pause within 20 seconds.

  REGION         ${allRegions.join(', ')}
  --environment  trial, dev, staging, prod or large: regions on AWS, with the credentials that the AWS CLI uses;
                 by default regions of this machine, in DATA_DIR (.local), whether or not the service runs
  --json         prints JSON
`;

const options = {
  json: { type: 'boolean', default: false },
  ...commonOptions,
} as const;

const parse = (args: string[]) => parseArguments({ args, options, allowPositionals: true });

/** Runs a command. Writes its result with `print`, and messages with `note`. */
type Run = (store: RegionStore, streams: Pick<Streams, 'print' | 'note'>) => Promise<void>;

/** Returns the command that the arguments ask for. Throws a UsageError if an argument is invalid. */
export const commandFrom = (args: string[]): 'help' | { environment: string | undefined; run: Run } => {
  const { values, positionals } = parse(args);
  const [command = '', name, ...rest] = positionals;
  if (values.help) return 'help';
  const { environment, json } = values;
  if (rest.length > 0) throw new UsageError(`The argument "${rest[0]}" is not expected here.`);
  if (command === 'list' && name === undefined) return { environment, run: list(json) };
  if (command !== 'pause' && command !== 'resume') throw new UsageError('Use list, pause REGION or resume REGION.');
  const region = allRegions.find((each) => each === name);
  if (!region) throw new UsageError(`There is no region "${name ?? ''}". Use one of ${allRegions.join(', ')}.`);
  return { environment, run: command === 'pause' ? pause(region, environment) : resume(region) };
};

const pause =
  (region: AuditRegion, environment: string | undefined): Run =>
  async (store, { note }) => {
    const changed = await store.pause(region, new Date());
    note(
      changed
        ? `${region} is paused. To end that: ${commandLine('regions', `resume ${region}`, environment)}`
        : `${region} was paused before.`,
    );
  };

const resume =
  (region: AuditRegion): Run =>
  async (store, { note }) => {
    note(
      (await store.resume(region)) ? `${region} takes checks again within 20 seconds.` : `${region} was not paused.`,
    );
  };

const list =
  (json: boolean): Run =>
  async (store, { print }) => {
    const statuses = await store.read(allRegions);
    if (json) return print(`${JSON.stringify(statuses)}\n`);
    const rows = statuses.map(({ id, pausedAt, lastSuccessAt }) => [
      id,
      regions[id],
      pausedAt === null ? 'open' : `paused since ${toMinute(pausedAt)}`,
      lastSuccessAt === null ? 'never' : toMinute(lastSuccessAt),
    ]);
    await print(`${columns([['REGION', 'AWS REGION', 'STATE', 'LAST SUCCESS'], ...rows])}\n`);
  };

const toMinute = (time: string): string => time.slice(0, 16).replace('T', ' ');
