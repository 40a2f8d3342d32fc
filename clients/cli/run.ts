import { type Check, type Client, type CreateCheck, type CreatedCheck, isFinal } from '../client.ts';
import { ServiceError } from '../service-error.ts';
import { compareWithBase, findBase } from './base.ts';
import { type Context, withClient } from './context.ts';
import { exitCodes, ServiceFault, UsageError } from './exit-codes.ts';
import { assertionsPassed } from './formats/outcome.ts';
import type { AssertionRules } from './lighthouserc.ts';
import { checkOutputs, writeResults } from './output.ts';
import type { RunOptions } from './program.ts';
import { progressLines } from './progress.ts';
import { comparisonOf, hasRegressed } from './read.ts';
import type { CheckResult } from './result.ts';
import { applyRules, readRules } from './rules.ts';
import { throttlingFor } from './throttling.ts';

const ERASE_MS = 5000;

/** Creates a check for each URL and device, waits for all of them, and prints the results. */
export const run = async (context: Context, urls: readonly string[], options: RunOptions): Promise<number> => {
  for (const url of urls) requireScheme(url);
  if (options.detach && !context.serviceUrl) {
    throw new UsageError('--detach needs a service that goes on. Set PAGE_AUDIT_URL to its URL.');
  }
  checkOutputs(options.output ?? []);
  const rules = readRules(options); // before the audits, so that a wrong file costs nothing
  return withClient(context, options.data, async (client, server) => {
    const { signal } = context;
    signal.throwIfAborted();
    const bodies = await bodiesOf(client, urls, options, signal);
    const bases = await basesOf(client, bodies, options, context);
    const created: CreatedCheck[] = [];
    try {
      for (const [i, body] of bodies.entries()) {
        created.push(await client.create(body, keyOf(options.idempotencyKey, i)));
        signal.throwIfAborted();
      }
      if (options.detach) {
        await context.print(created.map(({ id }) => `${id}\n`).join(''));
        return exitCodes.good;
      }
      const checks = await waitForAll(client, created, options.timeout, context);
      const toResult = (check: Check, i: number) => resultOf(client, check, { server, rules, base: bases[i] }, context);
      const results = await Promise.all(checks.map(toResult));
      await writeResults(context, results, options);
      return exitCodeOf(results);
    } catch (error) {
      if (!(error instanceof ServiceFault)) await eraseUnfinished(client, created, context);
      throw error;
    }
  });
};

/** Returns the id of the base of each check. Reports a check without one. */
const basesOf = async (
  client: Client,
  bodies: readonly CreateCheck[],
  { base }: RunOptions,
  { signal, note }: Context,
): Promise<(string | undefined)[]> => {
  if (base === undefined) return [];
  const ids = await Promise.all(bodies.map((body) => findBase(client, base, body, signal)));
  for (const [i, body] of bodies.entries()) {
    if (ids[i] === undefined) note(`No finished check of ${body.url} has the label ${base}, so nothing is compared.`);
  }
  return ids;
};

const requireScheme = (url: string): void => {
  if (!/^https?:\/\//i.test(url)) {
    const right = /^[a-z][a-z0-9+.-]*:\/\//i.test(url)
      ? 'a URL that starts with http:// or https://'
      : `https://${url}`;
    throw new UsageError(`${url} is no URL of a web page. Use ${right}.`);
  }
};

const keyOf = (key: string | undefined, i: number) => (key === undefined ? {} : { idempotencyKey: `${key}-${i + 1}` });

const bodiesOf = async (
  client: Client,
  urls: readonly string[],
  options: RunOptions,
  signal: AbortSignal,
): Promise<CreateCheck[]> => {
  const { region, device, auditVersion, samples, category, blockedUrlPatterns, label } = options;
  const offered =
    region && !region.includes('all') ? [] : (await client.regions({ signal })).regions.map(({ id }) => id);
  const regions = region?.includes('all') ? offered : (region ?? offered.slice(0, 1));
  // the service refuses unknown regions, versions and categories, and says which it accepts
  return urls.flatMap((url) =>
    (device ?? [undefined]).map((each) => {
      const throttling = throttlingFor(each as CreateCheck['device'], options);
      return {
        ...{ url, auditVersion, regions },
        ...(each && { device: each }),
        ...(samples !== undefined && { samples }),
        ...(category && { categories: category }),
        ...(throttling && { throttling }),
        ...(blockedUrlPatterns && { blockedUrlPatterns }),
        ...(label && { labels: label }),
      } as CreateCheck;
    }),
  );
};

/** Waits for all checks. Reports each change of a run on stderr. */
const waitForAll = async (
  client: Client,
  created: readonly CreatedCheck[],
  seconds: number,
  { signal, note, terminal }: Context,
): Promise<Check[]> => {
  const timeout = AbortSignal.timeout(seconds * 1000);
  const { onChange, end } = terminal
    ? (await import('./progress-rows.ts')).progressRows(created, terminal)
    : progressLines(note);
  const abort = new AbortController(); // ends the other waits when one fails
  const all = AbortSignal.any([signal, timeout, abort.signal]);
  try {
    return await Promise.all(created.map(({ id }) => client.wait(id, { signal: all, onChange })));
  } catch (error) {
    abort.abort();
    if (timeout.aborted && !signal.aborted) {
      const ids = created.map(({ id }) => id).join(', ');
      throw new ServiceFault(
        `The checks did not finish within ${seconds} s: ${ids}. Read them later with page-audit get.`,
      );
    }
    if (error instanceof ServiceError && error.code === 'not-found') {
      throw new ServiceFault('A check was erased while the command waited for it. Run the command again.');
    }
    throw error;
  } finally {
    await end();
  }
};

type Against = { server: string | null; rules: readonly AssertionRules[]; base: string | undefined };

const resultOf = async (
  client: Client,
  check: Check,
  { server, rules, base }: Against,
  { signal, note }: Context,
): Promise<CheckResult> => {
  const comparison = check.regions.length > 1 ? await comparisonOf(client, check.id, undefined, signal) : null;
  const compared = base === undefined ? undefined : await compareWithBase(client, check.id, base, signal);
  const { assertions, notes } = await applyRules(client, check, rules, signal);
  for (const line of compared?.note ? [...notes, compared.note] : notes) note(line);
  return { check, comparison, base: compared?.comparison ?? null, assertions, server } as CheckResult;
};

const exitCodeOf = (results: readonly CheckResult[]): number => {
  const blames = results.flatMap(({ check }) => check.runs.map(({ error }) => error?.blame));
  if (blames.includes('service')) return exitCodes.serviceFault;
  if (blames.includes('page')) return exitCodes.pageFault;
  const breaksRules = results.some(
    (each) => assertionsPassed(each) === false || (each.base && hasRegressed(each.base)),
  );
  return breaksRules ? exitCodes.failedRules : exitCodes.good;
};

/** Erases the checks that are not finished, and prints their ids. */
const eraseUnfinished = async (client: Client, created: readonly CreatedCheck[], { note }: Context): Promise<void> => {
  const signal = AbortSignal.timeout(ERASE_MS); // the signal of the command may have aborted
  await Promise.all(
    created.map(async ({ id }) => {
      try {
        if (isFinal(await client.get(id, { signal }))) return note(`The check ${id} is finished and stays.`);
        await client.delete(id, { signal });
        note(`The unfinished check ${id} is erased.`);
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'not-found') return;
        note(`The check ${id} could not be erased. Erase it with: page-audit delete ${id}`);
      }
    }),
  );
};
