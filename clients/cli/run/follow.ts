import type { CheckAssertions } from '../../../shared/assertions/sets.ts';
import type { CheckView } from '../../../shared/check.ts';
import type { RunProblemCode } from '../../../shared/problems.ts';
import { unusedProxy, unusedProxyText } from '../../../shared/unused-proxy.ts';
import type { Client, CreatedCheck } from '../../api/client.ts';
import type { BaseOptions } from '../../api/paths.ts';
import { isLoopback } from '../../words/urls.ts';
import type { Context } from '../context.ts';
import { exitCodeOfRuns, exitCodes } from '../exit-codes.ts';
import type { RunOptions } from '../flags/options.ts';
import { sampleNotes } from '../formats/notes.ts';
import { assertionsPassed, hasUnjudged, isWorse } from '../formats/outcome.ts';
import { worstFixes } from '../read/read.ts';
import { judge } from './base.ts';
import { type BaseHost, findBaseOn } from './base-url.ts';
import { type Confirming, confirm } from './confirm.ts';
import { openResults } from './open.ts';
import { saveReports } from './report-files.ts';
import { type CheckResult, type Origin, resultsOf } from './result.ts';
import { type Read, readWhenFinished, timeLimit } from './waiting.ts';

/** The base with which the command compares each finished check. */
export type Judging = BaseOptions & {
  origin: Origin;
  /** Assertions that replace those of the checks. */
  assertions?: CheckAssertions | undefined;
  base: string | undefined;
  /** Where the base of each page is looked for. */
  baseHost?: BaseHost | undefined;
  /** How a suspected change is confirmed. Without it, nothing is audited once more. */
  confirming?: Confirming | undefined;
};

/** How a command ends: what it writes, and what makes it fail. */
export type Ending = Pick<RunOptions, 'timeout' | 'format' | 'allowEmpty' | 'output' | 'open' | 'data'> & {
  write: (results: CheckResult[], client: Client) => Promise<void>;
  /** Reads each check when it is finished. By default waits for all checks that are created. */
  read?: (read: Read<CheckResult>) => ReturnType<typeof readWhenFinished<CheckResult>>;
  /** False if a regression or a missing verdict is an answer, and not a failure. */
  isGate: boolean;
};

/** Waits for checks, compares with the base and writes the results. Returns the exit code. */
export const follow = async (
  context: Context,
  client: Client,
  created: readonly CreatedCheck[],
  judging: Judging,
  ending: Ending,
): Promise<number> => {
  const { signal } = context;
  const { read = (each) => readWhenFinished(client, created, timeLimit(ending.timeout), context, each) } = ending;
  const notes: string[] = []; // until the progress has ended
  const { results, error } = await read({
    finished: (patient, check) => resultOf(patient, check, judging, { signal, notes }),
    lastSeen: (check) => unjudged(check, { ...judging, notes }),
  });
  for (const line of notes) context.note(line);
  if (!error) return conclude(context, client, results, ending);
  if (results.length > 0)
    await writeAll(context, client, results, ending).catch(({ message }) => context.note(message));
  throw error;
};

/** Writes the results of finished checks, and returns the exit code. */
export const conclude = async (
  context: Context,
  client: Client,
  results: readonly CheckResult[],
  ending: Ending,
): Promise<number> => {
  await writeAll(context, client, results, ending);
  for (const line of proxyNotes(results, context)) context.note(line);
  if (!ending.isGate) return exitCodeOfRuns(results.map(({ check }) => check));
  const code = exitCodeOf(results);
  if (code !== exitCodes.good || ending.allowEmpty) return code;
  if (assertsNothing(results)) context.note(nothingAsserted);
  if (results.some(hasUnjudged)) context.note(notJudged);
  for (const { check } of results.filter(lacksResults)) context.note(noResults(check));
  return isVacuous(results) ? exitCodes.wrongUse : exitCodes.good;
};

/** Writes the reports and the results. A report that can't be written does not stop the others. */
const writeAll = async (
  context: Context,
  client: Client,
  results: readonly CheckResult[],
  { write, ...options }: Ending,
): Promise<void> => {
  reportNotes(results, options, context);
  const saved = await saveReports(client, results, options, context.signal);
  await write(saved.results, client);
  await context.report?.(saved.results);
  if (options.open) await openResults(saved.results, context);
  const [first, ...others] = saved.errors;
  for (const { message } of others) context.note(message);
  if (first) throw first;
};

/** Compares a check with the base that the options name, or with the one on another host. */
const judgeWith = async (
  client: Client,
  check: CheckView,
  { base, pool, intended, baseHost, confirming }: Omit<Judging, 'origin' | 'assertions'>,
  signal: AbortSignal,
) => {
  const found = baseHost && (await findBaseOn(client, check, baseHost, signal));
  if (found && 'problem' in found)
    return { ...(await judge(client, check, { base: undefined }, signal)), baseProblem: found.problem };
  const meant = found ? [...new Set([...(intended ?? []), 'url'])] : intended;
  const bases = { base, pool, ...found, intended: meant };
  const judged = await judge(client, check, bases, signal);
  return confirming ? confirm(client, { check, judged, bases }, confirming) : judged;
};

/** Returns the result of a finished check, and notes for the user. */
export const resultOf = async (
  client: Client,
  check: CheckView,
  { origin, assertions, ...bases }: Judging,
  { signal, notes }: { signal: AbortSignal; notes: string[] },
): Promise<CheckResult> => {
  const judged = await judgeWith(client, check, bases, signal);
  const other = assertions && (await client.judge(check.id, assertions, { signal }));
  notes.push(...new Set(other?.runs.flatMap(({ warnings }) => warnings)));
  const fixes = await worstFixes(client, check.runs, signal);
  return { check, ...judged, assertions: resultsOf(other ?? check), fixes, ...origin };
};

/** Returns the result of a check that the command could not wait for, or could not read the reports of. */
const unjudged = (
  check: CheckView,
  { origin, assertions: replacing, base, baseHost, notes }: Judging & { notes: string[] },
): CheckResult => {
  const assertions = replacing ? {} : resultsOf(check);
  if (replacing || (check.assertions && check.runs.some(({ id }) => !assertions[id])))
    notes.push(`The command ended before the assertions of the check ${check.id} were judged.`);
  const isJudged = base !== undefined || baseHost !== undefined || check.against !== undefined;
  const baseProblem = !isJudged ? null : `The command ended before it compared the check ${check.id}.`;
  return { check, comparison: null, base: null, baseProblem, explanation: null, assertions, fixes: null, ...origin };
};

/** Reports on stderr what the format on stdout leaves out: why there is no verdict, and how to get one. */
const reportNotes = (
  results: readonly CheckResult[],
  { format }: Pick<RunOptions, 'format'>,
  { note }: Context,
): void => {
  if (format === 'text' || format === 'markdown') return;
  for (const line of [...results.flatMap(({ baseProblem }) => baseProblem ?? []), ...sampleNotes(results)]) note(line);
};

/** Returns why the service of this command may not have reached a page: nobody reads the messages of that service. */
const proxyNotes = (results: readonly CheckResult[], { serviceUrl, env }: Context): string[] => {
  const proxy = serviceUrl ? undefined : unusedProxy({ ...env, NODE_USE_ENV_PROXY: undefined });
  const codes = results
    .filter(({ check }) => !isLoopback(check.url))
    .flatMap(({ check }) => check.runs.flatMap(({ error }) => error?.code ?? []));
  return proxy && codes.some((code) => UNREACHED.includes(code)) ? [unusedProxyText(proxy)] : [];
};
const UNREACHED: readonly RunProblemCode[] = ['dns-failure', 'unreachable'];

const exitCodeOf = (results: readonly CheckResult[]): number => {
  const failed = exitCodeOfRuns(results.map(({ check }) => check));
  if (failed !== exitCodes.good) return failed;
  const breaksRules = results.some((each) => assertionsPassed(each) === false || isWorse(each));
  return breaksRules ? exitCodes.failedRules : exitCodes.good;
};

/**
 * Returns true if a gate has not judged: no assertion was about a page, an assertion was not judged, or a check has no verdict
 * against its base.
 */
const isVacuous = (results: readonly CheckResult[]): boolean =>
  assertsNothing(results) ||
  results.some((each) => hasUnjudged(each) || lacksResults(each) || each.baseProblem !== null);

/** Returns true if no assertion is about any page. */
const assertsNothing = (results: readonly CheckResult[]): boolean => {
  const all = results.flatMap(({ assertions }) => Object.values(assertions));
  return all.length > 0 && all.every((each) => each.length === 0);
};

/** Returns true if the service could not judge the assertions of a run that succeeded. */
const lacksResults = ({ check, assertions }: CheckResult): boolean =>
  check.assertions !== undefined && check.runs.some(({ id, state }) => state === 'succeeded' && !assertions[id]);

const noResults = ({ id }: CheckView): string =>
  `The service has no results of the assertions of the check ${id}. Judge its reports with page-audit get ${id} --assert <file>.`;

const notJudged =
  'An assertion was not judged, because the machine was busy. Audit the page again when the machine is free, or use --allow-empty.';

const nothingAsserted =
  'No assertion was about a page, so nothing is proved. Correct matchingUrlPattern or the keys, or use --allow-empty.';
