import type { CheckView } from '../../shared/check.ts';
import type { CheckComparison } from '../../shared/comparison/schemas.ts';
import type { BaseOptions, Client } from '../api/client.ts';
import { ServiceError } from '../api/service-error.ts';
import { differenceText } from '../words/differences.ts';
import { UsageError } from './exit-codes.ts';
import { reasonText } from './formats/notes.ts';
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

type Judged = Pick<CheckResult, 'base' | 'baseProblem' | 'explanation'>;

/** Compares a check with its base. Says why there is no verdict, so that a gate without one is no success. */
export const compareWithBase = async (
  client: Client,
  { id: checkId, url }: Pick<CheckView, 'id' | 'url'>,
  { base: given, ...options }: BaseOptions & { base: string },
  signal: AbortSignal,
): Promise<Judged> => {
  try {
    const base = await client.compare(checkId, { base: given, ...options, signal });
    const baseProblem = hasVerdict(base) ? null : noVerdictText(base);
    return { base, baseProblem, explanation: await explanationOf(client, base, { base: given, ...options, signal }) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const label = given.startsWith('label:') ? given.slice('label:'.length) : undefined;
    if (label !== undefined && error.code === 'not-found') return unjudged(noBaseText(url, label));
    if (!['not-comparable', 'report-not-ready'].includes(error.code ?? '')) throw error;
    return unjudged(`The check ${checkId} is not compared with ${given}: ${error.message}`);
  }
};

const unjudged = (baseProblem: string): Judged => ({ base: null, explanation: null, baseProblem });

const noBaseText = (url: string, label: string): string =>
  `No earlier finished check of ${url} has the label ${label}, so nothing is compared. A check becomes the base with --label ${label}.`;

/** Returns why the check of a comparison differs from its base, or null if nothing clearly changed or a report is gone. */
const explanationOf = async (
  client: Client,
  { checkId, metrics }: CheckComparison,
  query: Parameters<Client['explain']>[1],
) => {
  const isChange = ({ verdict }: { verdict: string }) => verdict === 'regressed' || verdict === 'improved';
  if (!Object.values(metrics).some(isChange)) return null;
  return client.explain(checkId, query).catch((error) => {
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
export const noVerdictText = ({ checkId, baseCheckId, reasons, differences }: CheckComparison): string => {
  const causes = [...differences.map(differenceText), ...new Set(reasons.map(({ code }) => reasonText(code)))];
  const codes = differences.map(({ code }) => code).join();
  const advice = codes === '' ? [] : [`If you meant the differences, use --intended ${codes}.`];
  return [`No metric of the check ${checkId} has a verdict against ${baseCheckId}.`, ...causes, ...advice].join(' ');
};
