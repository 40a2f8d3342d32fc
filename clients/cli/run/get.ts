import type { CheckView } from '../../../shared/check.ts';
import { isFinished } from '../../../shared/states.ts';
import type { Client } from '../../api/client.ts';
import type { Context } from '../context.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import type { GetOptions } from '../flags/options.ts';
import { checkOutputs, writeForms } from '../formats/output.ts';
import type { FormatName } from '../formats/render.ts';
import { readRules } from '../lighthouserc/rules.ts';
import { checkIdOf } from '../read/check-id.ts';
import { reading } from '../read/read.ts';
import { findBase } from './base.ts';
import { baseHostFrom } from './base-url.ts';
import { conclude, type Ending, follow, type Judging, resultOf } from './follow.ts';
import { requireTerminal } from './open.ts';
import { checkReports, formsOf, namedRuns } from './report-files.ts';
import { type CheckResult, originOf, resultsOf } from './result.ts';

/**
 * Prints checks. With `--wait`, waits for them and does all that `run` does after it has created its checks. `--assert` and
 * `--budget` replace the assertions that the checks were created with.
 */
export const get = async (context: Context, names: readonly string[], options: GetOptions): Promise<number> => {
  requireTerminal(options.open, context);
  checkOutputs(options.output ?? []);
  const { assertions, notes } = await readRules(options); // before the waiting, so that a wrong file costs no time
  for (const line of notes) context.note(line);
  return reading(context, options, async (client, server) => {
    const checks: CheckView[] = [];
    const found = new Set<string>();
    for (const name of names) found.add(await checkIdOf(client, name, context));
    for (const id of found) checks.push(await client.get(id, context));
    checkReports(namedRuns(checks), options);
    const baseHost = baseHostFrom(options, []);
    const findsBase = options.base !== undefined && !baseHost;
    const base = findsBase ? await findBase(client, options.base as string, context.signal) : undefined;
    const { origin } = await originOf(client, { server, data: options.data }, context.signal);
    const judging = { origin, assertions, base, pool: options.pool, intended: options.intended, baseHost };
    const ending: Ending = {
      ...options,
      isGate: [options.wait || undefined, options.assert, options.budget, base, baseHost].some(
        (each) => each !== undefined,
      ),
      write: (results) => writeForms<FormatName | 'html'>(context, formsOf(context, client, results), options),
    };
    if (options.wait) return follow(context, client, checks, judging, ending);
    return getNow(context, client, checks, judging, ending);
  });
};

/** Prints checks in their present state. Only a finished check can be judged. */
const getNow = async (
  context: Context,
  client: Client,
  checks: readonly CheckView[],
  judging: Judging,
  ending: Ending,
): Promise<number> => {
  const open = checks.find((check) => !isFinished(check.state));
  if (open && ending.isGate) throw new UsageError(`The check ${open.id} is not finished. Wait for it with --wait.`);
  const { signal } = context;
  const notes: string[] = [];
  const results: CheckResult[] = [];
  for (const check of checks) {
    const isOpen = !isFinished(check.state);
    results.push(isOpen ? openResult(check, judging) : await resultOf(client, check, judging, { signal, notes }));
  }
  for (const line of notes) context.note(line);
  const code = await conclude(context, client, results, ending);
  return ending.isGate ? code : exitCodes.good;
};

const openResult = (check: CheckView, { origin }: Judging): CheckResult => ({
  check,
  comparison: null,
  base: null,
  baseProblem: null,
  explanation: null,
  fixes: null,
  assertions: resultsOf(check),
  ...origin,
});
