import type { CheckView } from '../../../shared/check.ts';
import type { CheckComparison, RegionComparison } from '../../../shared/comparison/schemas.ts';
import type { Client } from '../../api/client.ts';
import type { BaseOptions } from '../../api/paths.ts';
import { ServiceError } from '../../api/service-error.ts';
import { comparedEntries } from '../../words/compared.ts';
import { differenceText, isOfVariants } from '../../words/differences.ts';
import { UsageError } from '../exit-codes.ts';
import { reasonText } from '../formats/notes.ts';
import type { CheckResult } from './result.ts';

export const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const LABEL = /^([^:=]+)[:=](.*)$/;

/** Returns a base as the service takes it: the id of a check, or a label such as `branch=main`. */
export const baseParameter = (base: string): string => {
  if (UUID.test(base)) return base;
  const [, name, value] = LABEL.exec(base) ?? [];
  if (name === undefined)
    throw new UsageError(`${base} is no base. Use the id of a check, or a label such as branch=main.`);
  return `label:${name}=${value}`;
};

/** Returns the base of new checks. A check that does not exist fails before the audits, so that a wrong id costs nothing. */
export const findBase = async (client: Client, base: string, signal: AbortSignal): Promise<string> =>
  UUID.test(base) ? (await client.get(base, { signal })).id : baseParameter(base);

export type Judged = Pick<CheckResult, 'comparison' | 'base' | 'baseProblem' | 'explanation'>;

/** Compares a finished check with its base, its two variants, or its regions. */
export const judge = async (
  client: Client,
  check: CheckView,
  { base, ...options }: BaseOptions & { base: string | undefined },
  signal: AbortSignal,
): Promise<Judged> => {
  const { id, regions, against } = check;
  if (base === undefined && against === undefined) {
    const comparison = regions.length > 1 ? await comparisonOf(client, id, signal) : null;
    return { comparison, base: null, baseProblem: null, explanation: null };
  }
  const comparison = against === undefined && regions.length > 1 ? await comparisonOf(client, id, signal) : null;
  return { comparison, ...(await compareWithBase(client, check, { base, ...options }, signal)) };
};

/** Returns the comparison of the regions of a check with one variant, or null if no two runs can be compared. */
const comparisonOf = async (client: Client, id: string, signal: AbortSignal) =>
  client.compare(id, { signal }).then(
    (comparison) => comparison as RegionComparison,
    (error) => {
      if (error instanceof ServiceError && (error.code === 'not-comparable' || error.code === 'report-not-ready'))
        return null;
      throw error;
    },
  );

/**
 * Compares a check with its base, or without a base its two variants. Says why there is no verdict, so that a gate without
 * one is no success.
 */
export const compareWithBase = async (
  client: Client,
  { id: checkId, url }: Pick<CheckView, 'id' | 'url'>,
  { base: given, ...options }: BaseOptions & { base: string | undefined },
  signal: AbortSignal,
): Promise<Omit<Judged, 'comparison'>> => {
  try {
    const base = (await client.compare(checkId, { base: given, ...options, signal })) as CheckComparison;
    const baseProblem = hasVerdict(base) ? null : noVerdictText(base);
    return { base, baseProblem, explanation: await explanationOf(client, base, { base: given, ...options, signal }) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const label = given?.startsWith('label:') ? given.slice('label:'.length) : undefined;
    if (label !== undefined && error.code === 'not-found') return unjudged(noBaseText(url, label));
    if (!['not-comparable', 'report-not-ready'].includes(error.code ?? '')) throw error;
    const other = given === undefined ? 'its other variant' : given;
    return unjudged(`The check ${checkId} is not compared with ${other}: ${error.message}`);
  }
};

const unjudged = (baseProblem: string): Omit<Judged, 'comparison'> => ({ base: null, explanation: null, baseProblem });

const noBaseText = (url: string, label: string): string =>
  `No earlier finished check of ${url} has the label ${label}, so nothing is compared. A check becomes the base with --label ${label}.`;

/** Returns why the check of a comparison differs from its base, or null if nothing clearly changed or a report is gone. */
const explanationOf = async (client: Client, comparison: CheckComparison, query: Parameters<Client['explain']>[1]) => {
  const isChange = ({ verdict }: { verdict: string }) => verdict === 'regressed' || verdict === 'improved';
  return comparedEntries(comparison).some(isChange) ? storedExplanation(client, comparison.checkId, query) : null;
};

/** Returns why a check differs from its base or its second variant, or null if a report is gone. */
export const storedExplanation = (client: Client, checkId: string, query: Parameters<Client['explain']>[1]) =>
  client.explain(checkId, query).catch((error) => {
    const isAnswer =
      error instanceof ServiceError && ['not-found', 'report-unavailable', 'not-comparable'].includes(error.code ?? '');
    if (!isAnswer) throw error;
    return null;
  });

/** Returns true if a comparison proves something: a regression, or that no main metric may have changed by more than counts. */
export const hasVerdict = ({ verdict, unjudged }: CheckComparison): boolean =>
  verdict === 'regressed' || unjudged.length === 0;

/** Says why a comparison proves nothing, and how to get a verdict. The two variants of a check differ on purpose. */
export const noVerdictText = (comparison: CheckComparison): string => {
  const { checkId, baseCheckId, reasons, differences, unjudged } = comparison;
  const open = comparedEntries(comparison).filter(({ id }) => unjudged.includes(id));
  const names = open.map(({ id, label, title }) => (id.startsWith('interactions:') ? title : label)).join(', ');
  const causes = [...new Set(reasons.map(({ code }) => code))]
    .filter((code) => code !== 'fewer-samples') // the note on samples stands once for all checks
    .map(reasonText);
  if (isOfVariants(comparison) && causes.length > 0) return causes.join(' ');
  if (isOfVariants(comparison))
    return `The variants of the check ${checkId} are not judged: ${names} may differ by more than counts.`;
  const codes = differences.map(({ code }) => code).join();
  const advice = codes === '' ? [] : [`If you meant the differences, use --intended ${codes}.`];
  const first = `The check ${checkId} is not judged against ${baseCheckId}: ${names} may have changed by more than counts.`;
  return [first, ...differences.map(differenceText), ...causes, ...advice].join(' ');
};
