import { Client } from '../../clients/api/client.ts';
import { knownPageOf, smoke } from '../../clients/api/smoke.ts';
import type { Streams } from '../../clients/cli/streams.ts';
import { keyStore } from '../../functions/lib/store/keys.ts';
import { type AuditRegion, allRegions } from '../../shared/regions.ts';
import type { Scope } from '../../shared/service/keys.ts';
import { bands, type Judgement } from '../../shared/service/known-page.ts';
import { environmentOf } from '../environments.ts';
import { commandLine } from '../local/command-line.ts';
import { commonOptions, parseArguments } from './arguments.ts';
import { awsCli, type Shape } from './aws-cli.ts';
import { columns } from './columns.ts';
import { invocation } from './cost-model.ts';
import { runCommand, UsageError, withTable } from './table.ts';

const usage = `${commandLine('smoke', '--environment ENVIRONMENT [--regions us-west1,europe-north1]')}
${commandLine('smoke', '--url URL [--regions us-west1]')}

Audits the page /sample of a service in each region, and compares the results with those that are known. Prints a table.
The exit code is 1 if a region fails, is not finished in time, or has a value outside its band.

  --environment  trial, dev, staging, prod or large: the service on AWS, with the credentials that the AWS CLI uses
  --url          a service, for example http://127.0.0.1:4080. PAGE_AUDIT_KEY is its API key, if it needs one
  --regions      regions to audit from; by default all of the service
  --minutes      time limit for all regions; 5 by default

  COLD START     from the creation of the run until its audit began; on an idle Lambda, the start of an instance
  TURNAROUND     from the creation of the run to its end
  STEAL          share of the CPU time that the hypervisor took for other machines
  CPU WAIT       time that the page's main thread waited for a CPU; – if the kernel has no schedstat
  CPU IN USE     share of the CPU time that other programs used; a long wait while it is near 0 points to a CPU quota
  BENCHMARK      Lighthouse's benchmark of the host's CPU
  AUDIT          from the claim of the run to its end; Lambda also bills the start of an instance
  GB-S, DOLLARS  of these seconds at the memory of the audit function and the list price of Lambda
`;

const options = {
  url: { type: 'string' },
  regions: { type: 'string' },
  minutes: { type: 'string', default: '5' },
  ...commonOptions,
} as const;
type Values = ReturnType<typeof parse>;

const parse = (args: string[]) => parseArguments({ args, options }).values;

type Service = { url: string; key: string | undefined };

/** Calls `work` with the service that the options name. The key of an environment on AWS ends with the work. */
const withService = async (
  { environment, url }: Values,
  note: Streams['note'],
  work: (service: Service) => Promise<void>,
): Promise<void> => {
  if (url !== undefined) {
    if (!URL.canParse(url)) throw new UsageError('--url: Use the URL of a service, for example http://127.0.0.1:4080.');
    return work({ url, key: process.env.PAGE_AUDIT_KEY || undefined });
  }
  if (environment === undefined) throw new UsageError('Name the service: --environment staging, or --url URL.');
  const found = await apiUrlOf(environment);
  await withTable(environment, async (db) => {
    const keys = keyStore(db);
    const expiresAt = new Date(Date.now() + KEY_LIFE_MS).toISOString();
    const { key, text } = await keys.create({ ...smokeKey, expiresAt }, new Date());
    try {
      await work({ url: found, key: text });
    } finally {
      await keys.revoke(key.prefix, new Date()).catch(() => note(`The key ${key.prefix} works until ${expiresAt}.`));
    }
  });
};

const KEY_LIFE_MS = 2 * 3_600_000; // longer than --minutes
const smokeKey = {
  owner: 'smoke',
  name: 'Made by npm run smoke for one use',
  scopes: ['checks:read', 'checks:write'] as Scope[],
  plan: 'standard' as const,
};

/** Returns the URL of the API of an environment, as its home stack has printed it. */
const apiUrlOf = async (environment: string): Promise<string> => {
  const { names, homeRegion } = environmentOf(environment);
  const { Stacks } = await awsCli('cloudformation describe-stacks', homeRegion, { StackName: names.homeStack }).catch(
    ({ message }) => {
      throw new Error(`The AWS CLI found no URL of ${environment}. ${message} Deploy it first, or use --url.`);
    },
  );
  return Stacks[0].Outputs.find(({ OutputKey }: Shape) => OutputKey === 'ApiUrl').OutputValue;
};

const regionsOf = async (client: Client, { regions }: Values): Promise<readonly AuditRegion[]> => {
  if (regions === undefined) return (await client.regions()).regions.map(({ id }) => id);
  const wrong = regions.split(',').find((each) => !allRegions.includes(each as AuditRegion));
  if (wrong !== undefined)
    throw new UsageError(`--regions: There is no region "${wrong}". Use ${allRegions.join(',')}.`);
  return regions.split(',') as AuditRegion[];
};

const shown = bands.map(({ name }) => name);
const tableOf = (judged: readonly Judgement[], memoryMb: number | undefined): string => {
  const headings = ['REGION', ...shown.map((name) => name.toUpperCase()), 'AUDIT', 'GB-S', 'DOLLARS', 'RESULT'];
  const rows = judged.map(({ region, values, faults, auditSeconds }) => [
    region,
    ...shown.map((name) => values[name] as string),
    ...costOf(auditSeconds, memoryMb),
    faults.length === 0 ? 'passed' : faults.join('; '),
  ]);
  return `${columns([headings, ...rows])}\n`;
};

/** Returns the seconds, the GB-seconds and the dollars of an audit as Lambda bills them. */
const costOf = (seconds: number | null, memoryMb: number | undefined): string[] => {
  if (seconds === null) return ['–', '–', '–'];
  const { gbSeconds, dollars } = invocation('run-audit', seconds, memoryMb);
  return [`${seconds.toFixed(1)} s`, gbSeconds.toFixed(1), dollars.toFixed(6)];
};

const run = async ({ print, note }: Streams): Promise<void> => {
  const values = parse(process.argv.slice(2));
  if (values.help) return print(usage);
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= 60)) throw new UsageError('--minutes: Use a number of minutes, up to 60.');
  await withService(values, note, (service) => audit(service, values, minutes, { print, note }));
};

const audit = async (
  service: Service,
  values: Values,
  minutes: number,
  { print, note }: Pick<Streams, 'print' | 'note'>,
) => {
  const client = new Client(service);
  const regions = await regionsOf(client, values);
  note(`Auditing ${knownPageOf(service.url)} in ${regions.join(', ')} …`);
  const judged = await smoke(client, { url: service.url, regions, purpose: 'smoke', limitMs: minutes * 60_000 });
  const memoryMb = values.environment === undefined ? undefined : environmentOf(values.environment).auditMemoryMb;
  await print(tableOf(judged, memoryMb));
  const failed = judged.filter(({ faults }) => faults.length > 0).map(({ region }) => region);
  if (failed.length > 0) throw new Error(`The smoke test failed in ${failed.join(', ')}.`);
};

/** `npm run smoke`: audits the sample page of a service in each region, and compares the results with the known ones. */
await runCommand({
  command: 'smoke',
  rights: 'cloudformation:DescribeStacks on the home stack, and dynamodb:PutItem and UpdateItem on the table',
  run,
});
