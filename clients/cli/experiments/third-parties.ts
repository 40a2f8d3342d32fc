import type { CheckView, CreateCheckBody } from '../../../shared/check.ts';
import type { Report } from '../../../shared/explanation/report.ts';
import { patternsOf, type ThirdParty, thirdPartiesOf } from '../../../shared/explanation/third-parties.ts';
import { MAX_PATTERNS } from '../../../shared/options/blocked-urls.ts';
import type { Client, CreatedCheck } from '../../api/client.ts';
import { type Context, withClient } from '../context.ts';
import { exitCodeOfRuns, UsageError } from '../exit-codes.ts';
import type { ThirdPartiesOptions } from '../flags/options.ts';
import { checkOutputs, writeForms, writeResults } from '../formats/output.ts';
import { isRunFile } from '../formats/report-names.ts';
import { pageUrlFrom } from '../many/page-urls.ts';
import { judge, storedExplanation } from '../run/base.ts';
import { createPatiently } from '../run/creating.ts';
import { checkReports, writeReports } from '../run/report-files.ts';
import { hasOnePlace, originOf } from '../run/result.ts';
import { keepingChecks, type Read, readWhenFinished, type TimeLimit, timeLimit } from '../run/waiting.ts';
import type { Bill, BilledParties } from './measured-parties.ts';
import { billIn } from './third-parties-forms.ts';

/** Most third parties that the command blocks one after another. */
const MAX_PARTIES = 8;

/**
 * Finds the third parties of a page, and audits the page with each of them blocked, in turns with the page as it is. Prints
 * how much the page changes without them.
 */
export const thirdParties = async (context: Context, page: string, options: ThirdPartiesOptions): Promise<number> => {
  const url = pageUrlFrom(page);
  checkOutputs(options.output ?? []);
  const { output = [], device: [device] = [], region = '' } = options;
  checkReports(
    [WHOLE, ALL].map((party) => ({ url, region, device, party })),
    { output },
  );
  return withClient(context, options.data, (client, server) =>
    keepingChecks(context, client, options.data, async (created) => {
      const audits = { client, created, context, limit: timeLimit(options.timeout) };
      const survey = await surveyOf(audits, url, options);
      if (survey.state !== 'succeeded') {
        const { origin } = await originOf(client, { server, data: options.data }, context.signal);
        await writeResults(context, [{ ...unjudged, check: survey, ...origin }], options);
        return exitCodeOfRuns([survey]);
      }
      const report = (await client.report(survey.runs[0]?.id ?? '', context)) as unknown as Report;
      const found = thirdPartiesOf(report);
      if (found.length === 0) throw new UsageError(noneText(url));
      const { results, error } = await blockEach(audits, survey, found.slice(0, MAX_PARTIES), options);
      const isOnePlace = await hasOnePlace(client, context.signal);
      const bill: Bill = { survey, server, isOnePlace, rows: results, untried: found.slice(MAX_PARTIES) };
      const written = writeForms(context, (format, view) => billIn(format, bill, view), options);
      if (!error) {
        await written;
        await saveReportsOf(client, bill, output, context);
        return exitCodeOfRuns(results.map(({ check }) => check));
      }
      await written.catch(({ message }) => context.note(message));
      throw error;
    }),
  );
};

/** Names of the page as it is, and of the page without any third party, in the files of reports. */
const WHOLE = 'nothing';
const ALL = 'all of these';

/** Writes the report of the page as it is, and without each third party. Prints the files on stderr. */
const saveReportsOf = async (
  client: Client,
  { survey, rows }: Bill,
  output: readonly string[],
  { signal, note }: Context,
): Promise<void> => {
  const runs = [{ name: WHOLE, check: survey }, ...rows].flatMap(({ name, check }) =>
    check.runs.map((run) => ({ ...run, url: check.url, party: name })),
  );
  const { files, errors } = await writeReports(client, runs, output.filter(isRunFile), signal);
  for (const [i, { party }] of runs.entries())
    if (files[i] !== undefined) note(`The report without ${party} is ${files[i]}`);
  const [first, ...others] = errors;
  for (const { message } of others) note(message);
  if (first) throw first;
};

const unjudged = { comparison: null, base: null, baseProblem: null, explanation: null, assertions: {}, fixes: null };

const noneText = (url: string): string =>
  `${url} has no third parties: each request goes to its own site. To see what a file of it costs, use: page-audit run ${url} --blocked-url-patterns '<part of the URL of the file>' --against.blocked-url-patterns ''`;

type Audits = {
  client: Client;
  /** All checks that the command has created. */
  created: CreatedCheck[];
  context: Context;
  limit: TimeLimit;
};

/** Creates a check of each body, waits for all of them, and returns their results. */
const auditAll = async <T>(
  { client, created, context, limit }: Audits,
  bodies: readonly CreateCheckBody[],
  read: (checks: readonly CreatedCheck[]) => Read<T>,
) => {
  const checks: CreatedCheck[] = [];
  for (const body of bodies) {
    let isNoted = false;
    const check = await createPatiently(client, body, {
      limit,
      signal: context.signal,
      onWait: ({ message }) => {
        if (!isNoted) context.note(`${message} The command retries until its timeout.`);
        isNoted = true;
      },
    });
    created.push(check);
    checks.push(check);
    context.signal.throwIfAborted();
  }
  return readWhenFinished(client, checks, limit, context, read(checks));
};

/** Audits the page as it is, once. */
const surveyOf = async (audits: Audits, url: string, options: ThirdPartiesOptions): Promise<CheckView> => {
  const { client, context } = audits;
  const regions = [options.region ?? (await client.regions(context)).regions[0]?.id ?? ''];
  const [device] = (options.device ?? []) as NonNullable<CreateCheckBody['device']>[];
  const body = { url, auditVersion: options.auditVersion, regions, ...(device && { device }) };
  const read = { finished: async (_: Client, check: CheckView) => check, lastSeen: (check: CheckView) => check };
  const { results, error } = await auditAll(audits, [{ ...body, categories: ['performance'] }], () => read);
  const [survey] = results;
  if (error || !survey) throw error;
  return survey;
};

/** Audits the page without each third party and without all of them, in turns with the page as it is. */
const blockEach = (
  audits: Audits,
  { url, auditVersion, regions, device }: CheckView,
  found: readonly ThirdParty[],
  { samples }: ThirdPartiesOptions,
) => {
  const all = { name: ALL, parties: found };
  const blocked = [
    ...found.map((party) => ({ name: party.name, parties: [party] })),
    ...(found.length > 1 ? [all] : []),
  ];
  const bodies = blocked.map(({ parties }) => ({
    url,
    auditVersion,
    regions,
    samples,
    ...(device && { device }),
    categories: ['performance' as const],
    blockedUrlPatterns: patternsOf(parties, MAX_PATTERNS),
    against: { blockedUrlPatterns: [] },
  }));
  return auditAll(audits, bodies, (checks) => {
    const rowOf = ({ id }: { id: string }) => blocked[checks.findIndex((each) => each.id === id)] ?? all;
    return {
      nameOf: (check) => `without ${rowOf(check).name}`,
      finished: async (client, check) => ({ ...rowOf(check), ...(await billed(client, check, audits.context.signal)) }),
      lastSeen: (check) => ({ ...rowOf(check), check, base: null, problem: null, explanation: null }),
    } satisfies Read<BilledParties>;
  });
};

const billed = async (client: Client, check: CheckView, signal: AbortSignal) => {
  const query = { base: undefined };
  const { base, baseProblem: problem } = await judge(client, check, query, signal);
  const explanation = base ? await storedExplanation(client, check.id, { ...query, signal }) : null;
  return { check, base, problem, explanation };
};
