import type { CheckComparison } from '../../../shared/comparison/schemas.ts';
import type { CheckExplanation } from '../../../shared/explanation/schema.ts';
import { worstRun } from '../../../shared/fixes/worst-run.ts';
import type { RunView } from '../../../shared/run.ts';
import type { Client } from '../../api/client.ts';
import { ServiceError } from '../../api/service-error.ts';
import { type Context, withClient } from '../context.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import type { ReadOptions } from '../flags/options.ts';
import { comparisonTextOf } from '../formats/comparison-text.ts';
import { explanationMarkdown, explanationText } from '../formats/explanation.ts';
import { withEscapes } from '../formats/json.ts';
import { baseLines } from '../formats/markdown.ts';
import { reasonText } from '../formats/notes.ts';
import { hasRegressed } from '../formats/outcome.ts';
import { baseParameter, hasVerdict, noVerdictText } from '../run/base.ts';
import { hasOnePlace } from '../run/result.ts';
import { checkIdOf } from './check-id.ts';
import { filtersFrom } from './filter-flags.ts';
import { listTextOf } from './list-text.ts';

/** Calls `work` with a client. Without a service there is nothing to read, unless a data folder is given. */
export const reading = (
  context: Context,
  { data }: Pick<ReadOptions, 'data'>,
  work: Parameters<typeof withClient<number>>[2],
) => {
  if (!context.serviceUrl && data === undefined) {
    throw new UsageError('Set PAGE_AUDIT_URL to the URL of the service, or give the data folder with --data.');
  }
  return withClient(context, data, work);
};

/** Returns what to fix first in the worst run. Returns null if no run succeeded, or its report is gone. */
export const worstFixes = async (client: Client, runs: readonly RunView[], signal: AbortSignal) => {
  const run = worstRun(runs);
  if (!run?.links.fixes) return null;
  try {
    return { run, fixes: await client.fixes(run, { signal }) };
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'report-unavailable' || error.code === 'not-found'))
      return null;
    throw error;
  }
};

/** Prints a line per check, newest first. */
export const list = (context: Context, options: ReadOptions): Promise<number> =>
  reading(context, options, async (client) => {
    const filters = filtersFrom('checks', options);
    const page = await client.list({ ...filters, limit: options.limit }, context);
    const isFiltered = Object.keys(filters).length > 0;
    const text = async () =>
      listTextOf(page, {
        ...context.view,
        now: new Date(),
        isFiltered,
        isOnePlace: await hasOnePlace(client, context.signal),
      });
    await context.print(options.format === 'json' ? `${JSON.stringify(page, null, 2)}\n` : await text());
    if (page.nextCursor !== null && options.format !== 'json') context.note(moreChecks(options));
    return exitCodes.good;
  });

const moreChecks = ({ limit }: ReadOptions): string =>
  `There are older checks. ${limit === 100 ? 'Use a filter, such as --url.' : 'Raise --limit, to 100 at most, or use a filter, such as --url.'}`;

/** Prints a comparison, and with `--why` its explanation. The comparison of a check's regions has its text form in `get`. */
export const compare = (context: Context, name: string, options: ReadOptions): Promise<number> =>
  reading(context, options, async (client) => {
    const id = await checkIdOf(client, name, context);
    const { pool, intended, why, format } = options;
    const base = options.base === undefined ? undefined : baseParameter(options.base);
    const { signal } = context;
    const needsBase = base === undefined && (why || format === 'markdown' || pool !== undefined || intended);
    if (needsBase && !(await client.get(id, context)).against) {
      throw new UsageError(
        '--why, --pool, --intended and --format markdown need --base, an earlier check, or a check with --against.',
      );
    }
    const comparison = await client.compare(id, { base, pool, intended, signal }).catch((error) => {
      throw faultOfComparison(error, options.base) ?? error;
    });
    if (comparison.baseCheckId === null) {
      await context.print(`${JSON.stringify(comparison, null, 2)}\n`);
      if (lacksSamples(comparison)) context.note(reasonText('fewer-samples'));
      return exitCodes.good;
    }
    const explanation = why ? await client.explain(id, { base, pool, intended, signal }) : null;
    await context.print(
      format === 'json'
        ? `${JSON.stringify(explanation ? { ...comparison, explanation } : comparison, null, 2)}\n`
        : printedComparison(comparison, explanation, options, context),
    );
    if (lacksSamples(comparison) && format === 'json') context.note(reasonText('fewer-samples'));
    if (!hasVerdict(comparison)) {
      context.note(noVerdictText(comparison));
      return exitCodes.wrongUse;
    }
    return hasRegressed(comparison) ? exitCodes.failedRules : exitCodes.good;
  });

/** Returns the error of a comparison in the words of the command. The service speaks of its parameters. */
const faultOfComparison = (error: unknown, base: string | undefined): UsageError | undefined => {
  if (!(error instanceof ServiceError)) return undefined;
  if (base === undefined && error.code === 'not-comparable')
    return new UsageError(
      'A comparison of regions needs two regions that succeeded. To compare with an earlier check, use --base <check>, or a label such as --base branch=main.',
    );
  if (base?.includes('=') && error.code === 'not-found' && error.message.includes('has the label'))
    return new UsageError(
      `${error.message.split(/\. (?=[A-Z])/)[0]}. Audit the page with --label ${base}, or name the id of a check with --base.`,
    );
  return undefined;
};

const lacksSamples = ({ reasons }: Pick<CheckComparison, 'reasons'>): boolean =>
  reasons.some(({ code }) => code === 'fewer-samples');

/** Returns the comparison of two checks and its explanation as text or Markdown. */
const printedComparison = (
  comparison: CheckComparison,
  explanation: CheckExplanation | null,
  { format }: ReadOptions,
  { view }: Context,
): string => {
  if (format === 'text') {
    return comparisonTextOf(comparison, view) + (explanation ? explanationText(explanation, view) : '');
  }
  const lines = baseLines({ base: comparison, baseProblem: null });
  return `${[...lines, ...(explanation ? explanationMarkdown(explanation) : [])].join('\n').trimEnd()}\n`;
};

/** Prints the Lighthouse report of a run. */
export const report = (context: Context, id: string, options: ReadOptions): Promise<number> =>
  reading(context, options, async (client) => {
    const { signal } = context;
    const read = async () =>
      options.html
        ? client.reportPage(id, { signal })
        : `${JSON.stringify(await client.report(id, { signal, asIs: true }))}\n`;
    const text = await read().catch(async (error) => {
      throw (await faultOfRunId(client, id, signal)) ?? error;
    });
    await context.print(withEscapes(text));
    return exitCodes.good;
  });

/** Returns the error of an id of a check in the place of the id of a run. Returns undefined for another id. */
const faultOfRunId = async (client: Client, id: string, signal: AbortSignal): Promise<UsageError | undefined> => {
  const check = await client.get(id, { signal }).catch(() => undefined);
  if (!check) return undefined;
  const runs = check.runs.map((run) => `${run.id} (${run.region})`).join(', ');
  return new UsageError(`${id} is the id of a check, and report needs that of a run. Its runs: ${runs}.`);
};

export const erase = (context: Context, name: string, options: ReadOptions): Promise<number> =>
  reading(context, options, async (client) => {
    if (name === 'last' || name.includes(':')) throw new UsageError('Name the check to erase by its id.');
    const id = await checkIdOf(client, name, context);
    await client.delete(id, context);
    context.note(`The check ${id} is erased.`);
    return exitCodes.good;
  });
