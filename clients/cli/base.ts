import type { CreateCheckBody } from '../../shared/check.ts';
import type { CheckComparison } from '../../shared/comparison/schemas.ts';
import type { Client, ListFilters } from '../api/client.ts';
import { ServiceError } from '../api/service-error.ts';
import { UsageError } from './exit-codes.ts';
import { reasonText } from './formats/notes.ts';
import type { CheckResult } from './result.ts';

export const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const LABEL = /^([^:=]+)[:=](.*)$/;

/**
 * Returns the id of the check that a new check is compared with, or undefined if there is none yet. The base is the id of
 * a check, or a label: the newest finished check of the same URL and device that has it.
 */
export const findBase = async (
  client: Client,
  base: string,
  { url, device = 'mobile' }: CreateCheckBody,
  signal: AbortSignal,
): Promise<string | undefined> => {
  if (UUID.test(base)) return (await client.get(base, { signal })).id;
  const [, name, value] = LABEL.exec(base) ?? [];
  if (name === undefined)
    throw new UsageError(`${base} is no base. Use the id of a check, or a label such as branch=main.`);
  const query: ListFilters = { url, device, label: [`${name}:${value}`], limit: 100 };
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.list(cursor === undefined ? query : { ...query, cursor }, { signal });
    const found = page.checks.find(({ state }) => state === 'succeeded' || state === 'partial');
    if (found) return found.id;
    cursor = page.nextCursor;
  }
  return undefined;
};

type Judged = Pick<CheckResult, 'base' | 'baseProblem' | 'explanation'>;

/** Compares a check with its base. Says why there is no verdict, so that a gate without one is no success. */
export const compareWithBase = async (
  client: Client,
  checkId: string,
  baseId: string,
  signal: AbortSignal,
): Promise<Judged> => {
  try {
    const base = await client.compare(checkId, { base: baseId, signal });
    const baseProblem = hasVerdict(base) ? null : noVerdictText(base);
    return { base, baseProblem, explanation: await explanationOf(client, base, signal) };
  } catch (error) {
    const isAnswer = error instanceof ServiceError && ['not-comparable', 'report-not-ready'].includes(error.code ?? '');
    if (!isAnswer) throw error;
    return {
      base: null,
      explanation: null,
      baseProblem: `The check ${checkId} is not compared with ${baseId}: ${error.message}`,
    };
  }
};

/** Returns why the check of a comparison differs from its base, or null if nothing clearly changed or a report is gone. */
const explanationOf = async (client: Client, comparison: CheckComparison, signal: AbortSignal) => {
  const { checkId, baseCheckId: base, metrics } = comparison;
  const isChange = ({ verdict }: { verdict: string }) => verdict === 'regressed' || verdict === 'improved';
  if (!Object.values(metrics).some(isChange)) return null;
  return client.explain(checkId, { base, signal }).catch((error) => {
    const isAnswer =
      error instanceof ServiceError && ['not-found', 'report-unavailable', 'not-comparable'].includes(error.code ?? '');
    if (!isAnswer) throw error;
    return null; // a service of an earlier version has no explanation
  });
};

/** Returns true if a metric of a region got better, got worse or stayed the same. */
export const hasVerdict = ({ metrics }: CheckComparison): boolean =>
  Object.values(metrics).some(({ verdict }) => verdict !== 'unknown');

/** Says why no metric of a comparison has a verdict. */
export const noVerdictText = ({ checkId, baseCheckId, reasons }: CheckComparison): string => {
  const causes = [...new Set(reasons.map(({ code }) => reasonText(code)))];
  return [`No metric of the check ${checkId} has a verdict against ${baseCheckId}.`, ...causes].join(' ');
};
