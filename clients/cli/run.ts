import type { CheckView, CreateCheckBody } from '../../shared/check.ts';
import type { BaseOptions, Client } from '../api/client.ts';
import { findBase, judge } from './base.ts';
import { type Context, withClient } from './context.ts';
import { exitCodeOfRuns, exitCodes, UsageError } from './exit-codes.ts';
import { sampleNotes } from './formats/notes.ts';
import { assertionsPassed } from './formats/outcome.ts';
import { withCollected } from './lighthouserc-collect.ts';
import { againstFrom, inputsFrom, SAMPLES_OF_VARIANTS } from './option-flags.ts';
import type { RunOptions } from './options.ts';
import { checkOutputs, writeResults } from './output.ts';
import { hasRegressed, worstFixes } from './read.ts';
import type { CheckResult } from './result.ts';
import { applyRules, type Rules, readRules, storedResults } from './rules.ts';
import { readSecrets } from './secrets.ts';
import { throttlingFor } from './throttling.ts';
import { keepingChecks, readWhenFinished, timeLimit } from './waiting.ts';

type Writing = {
  write: (results: CheckResult[], client: Client) => Promise<void>;
  /** False if a regression or a missing verdict is an answer, and not a failure. */
  isGate?: boolean;
};

/** Creates a check for each URL and device, waits for all of them, and prints the results. */
export const run = (context: Context, urls: readonly string[], options: RunOptions): Promise<number> =>
  auditing(context, urls, options, { write: (results) => writeResults(context, results, options) });

/** Creates a check for each URL and device, waits for all of them, and writes the results. Returns the exit code. */
export const auditing = async (
  context: Context,
  given: readonly string[],
  flags: RunOptions,
  { write, isGate = true }: Writing,
): Promise<number> => {
  const { urls, options, notes: unused } = withCollected(given, flags);
  for (const line of unused) context.note(line);
  requireUsable(urls, options);
  if (options.detach && !context.serviceUrl) {
    throw new UsageError('--detach needs a service that goes on. Set PAGE_AUDIT_URL to its URL.');
  }
  checkOutputs(options.output ?? []);
  const rules = readRules(options); // before the audits, so that a wrong file costs nothing
  const secretsOf = readSecrets(options, context.env);
  return withClient(context, options.data, async (client, server) => {
    const { signal } = context;
    signal.throwIfAborted();
    const plain = await bodiesOf(client, urls, { ...options, sent: rules.sent }, signal);
    const bodies = withSecrets(plain, secretsOf, context);
    const base = options.base === undefined ? undefined : await findBase(client, options.base, signal);
    const judging = { server, rules, base, pool: options.pool, intended: options.intended };
    return keepingChecks(context, client, options.data, async (created) => {
      for (const [i, body] of bodies.entries()) {
        created.push(await client.create(body, keyOf(options.idempotencyKey, i)));
        signal.throwIfAborted();
      }
      if (options.detach) {
        if (rules.files.some(({ othersFor }) => othersFor)) context.note(detachedNote);
        await context.print(created.map(({ id }) => `${id}\n`).join(''));
        return exitCodes.good;
      }
      const notes: string[] = []; // until the progress has ended
      const { results, error } = await readWhenFinished(client, created, timeLimit(options.timeout), context, {
        finished: (patient, check) => resultOf(patient, check, judging, { signal, notes }),
        lastSeen: (check) => unjudged(check, { ...judging, notes }),
      });
      for (const line of notes) context.note(line);
      reportNotes(results, options, context);
      if (!error) {
        await write(results, client);
        if (!isGate) return exitCodeOfRuns(results.map(({ check }) => check));
        const code = exitCodeOf(results);
        if (code !== exitCodes.good || options.allowEmpty) return code;
        if (assertsNothing(results, rules)) context.note(nothingAsserted);
        return isVacuous(results, rules) ? exitCodes.wrongUse : exitCodes.good;
      }
      if (results.length > 0) await write(results, client).catch(({ message }) => context.note(message));
      throw error;
    });
  });
};

const detachedNote =
  'The service does not evaluate assertions of presets, assertMatrix and paths of budgets. With --detach, the command does not either.';

const requireUsable = (urls: readonly string[], options: RunOptions): void => {
  const { against, base } = options;
  for (const url of [...urls, ...(against === undefined ? [] : [against])]) requireScheme(url);
  if (against !== undefined && urls.length > 1) {
    throw new UsageError('--against has one URL, so it is compared with one page. Run the command for each page.');
  }
  if (base !== undefined && againstFrom(options, undefined)) {
    throw new UsageError(
      '--base compares with an earlier check, and --against in turns with another variant. Use one.',
    );
  }
};

export const requireScheme = (url: string): void => {
  if (!/^https?:\/\//i.test(url)) {
    const right = /^[a-z][a-z0-9+.-]*:\/\//i.test(url)
      ? 'a URL that starts with http:// or https://'
      : `${isLocal(url) ? 'http' : 'https'}://${url}`;
    throw new UsageError(`${url} is no URL of a web page. Use ${right}.`);
  }
};

const isLocal = (host: string): boolean => /^(localhost|127\.|\[::1\]|[\w.-]+\.localhost)\b/i.test(host);

const keyOf = (key: string | undefined, i: number) => (key === undefined ? {} : { idempotencyKey: `${key}-${i + 1}` });

const bodiesOf = async (
  client: Client,
  urls: readonly string[],
  options: RunOptions & Pick<Rules, 'sent'>,
  signal: AbortSignal,
): Promise<CreateCheckBody[]> => {
  const { region, device, auditVersion, label, sent } = options;
  const offered =
    region && !region.includes('all') ? [] : (await client.regions({ signal })).regions.map(({ id }) => id);
  const regions = region?.includes('all') ? offered : (region ?? offered.slice(0, 1));
  // the service refuses unknown regions, versions and categories, and says which it accepts
  return urls.flatMap((url) =>
    ((device ?? [undefined]) as CreateCheckBody['device'][]).map((each) => {
      const throttling = throttlingFor(each, options);
      const against = againstFrom(options, each);
      return {
        ...{ url, auditVersion, regions },
        ...(each && { device: each }),
        ...(against && { samples: SAMPLES_OF_VARIANTS }),
        ...inputsFrom(options),
        ...(throttling && { throttling }),
        ...(label && { labels: label }),
        ...(against && { against }),
        ...(sent && { assertions: sent }),
      };
    }),
  );
};

/** Adds to each body the secrets for its page. Notes once for each page what is left out. */
const withSecrets = (
  bodies: readonly CreateCheckBody[],
  secretsOf: ReturnType<typeof readSecrets>,
  { note }: Context,
): CreateCheckBody[] => {
  const pages = new Map(bodies.map(({ url }) => [url, secretsOf(url)]));
  for (const { note: line } of pages.values()) if (line) note(line);
  return bodies.map((body) => ({ ...body, ...pages.get(body.url)?.secrets }));
};

type Judging = BaseOptions & {
  server: string | null;
  rules: Rules;
  base: string | undefined;
};

const resultOf = async (
  client: Client,
  check: CheckView,
  { server, rules, base, pool, intended }: Judging,
  { signal, notes }: { signal: AbortSignal; notes: string[] },
): Promise<CheckResult> => {
  const judged = await judge(client, check, { base, pool, intended }, signal);
  const applied = await applyRules(client, check, rules, signal);
  notes.push(...applied.notes);
  const fixes = await worstFixes(client, check.runs, signal);
  return { check, ...judged, assertions: applied.assertions, fixes, server };
};

/** Returns the result of a check that the command could not wait for, or could not read the reports of. */
const unjudged = (check: CheckView, { server, rules, base, notes }: Judging & { notes: string[] }): CheckResult => {
  const assertions = storedResults(check);
  if (rules.files.length > 0 && check.runs.some(({ id }) => !assertions[id]))
    notes.push(`The command ended before it evaluated the assertions of the check ${check.id}.`);
  const isJudged = base !== undefined || check.against !== undefined;
  const baseProblem = !isJudged ? null : `The command ended before it compared the check ${check.id}.`;
  return { check, comparison: null, base: null, baseProblem, explanation: null, assertions, fixes: null, server };
};

/** Reports on stderr what the format on stdout leaves out: why there is no verdict, and how to get one. */
const reportNotes = (results: readonly CheckResult[], { format }: RunOptions, { note }: Context): void => {
  if (format === 'text' || format === 'markdown') return;
  for (const line of [...results.flatMap(({ baseProblem }) => baseProblem ?? []), ...sampleNotes(results)]) note(line);
};

const exitCodeOf = (results: readonly CheckResult[]): number => {
  const failed = exitCodeOfRuns(results.map(({ check }) => check));
  if (failed !== exitCodes.good) return failed;
  const breaksRules = results.some(
    (each) => assertionsPassed(each) === false || (each.base && hasRegressed(each.base)),
  );
  return breaksRules ? exitCodes.failedRules : exitCodes.good;
};

/** Returns true if a gate has judged nothing: no assertion was about a page, or a check has no verdict against its base. */
const isVacuous = (results: readonly CheckResult[], rules: Rules): boolean =>
  assertsNothing(results, rules) || results.some(({ baseProblem }) => baseProblem !== null);

const assertsNothing = (results: readonly CheckResult[], { files }: Rules): boolean =>
  files.length > 0 && results.every(({ assertions }) => Object.values(assertions).every((all) => all.length === 0));

const nothingAsserted =
  'No assertion was about a page, so nothing is proved. Correct matchingUrlPattern or the keys, or use --allow-empty.';
