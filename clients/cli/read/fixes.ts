import type { RunFixes } from '../../../shared/fixes/worst-run.ts';
import { findFixes } from '../../api/find-fixes.ts';
import type { Context } from '../context.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import type { FixesOptions } from '../flags/options.ts';
import { fixesMarkdownOf } from '../formats/fixes-markdown.ts';
import { fixesTextOf } from '../formats/fixes-text.ts';
import { writeResults } from '../formats/output.ts';
import { hasOnePlace } from '../run/result.ts';
import { auditing } from '../run/run.ts';
import { checkIdOf } from './check-id.ts';
import { reading } from './read.ts';

/** Prints what to fix first: in a run, in the worst run of a check, or on a page, which it audits. */
export const fixes = async (context: Context, target: string, options: FixesOptions): Promise<number> => {
  if (/[.:/]|^localhost$/i.test(target)) return fixesOfPage(context, target, options);
  if (target !== 'last' && !/^[\da-f-]{4,36}$/i.test(target))
    throw new UsageError(
      `${target} is no id of a run or a check, and no URL. page-audit list prints the ids of checks.`,
    );
  return reading(context, options, async (client) => {
    const found = await findFixes(client, await checkIdOf(client, target, context), context);
    await print(context, options, found, await hasOnePlace(client, context.signal));
    return exitCodes.good;
  });
};

/** Audits the page. Prints the result as `run` does if the audit failed. */
const fixesOfPage = (context: Context, url: string, options: FixesOptions): Promise<number> =>
  auditing(context, [url], options, {
    write: async ([result]) => {
      if (result?.fixes) await print(context, options, result.fixes, result.isOnePlace);
      else if (result) await writeResults(context, [result], { format: 'text' });
    },
  });

const print = (context: Context, { format }: FixesOptions, found: RunFixes, isOnePlace: boolean): Promise<void> => {
  if (format === 'markdown') return context.print(fixesMarkdownOf(found));
  if (format === 'text') return context.print(fixesTextOf(found, context.view, isOnePlace));
  const { id, url, region, device, auditVersion, performance } = found.run;
  const run = { runId: id, url, region, device, auditVersion, performance };
  return context.print(`${JSON.stringify({ ...run, fixes: found.fixes }, null, 2)}\n`);
};
