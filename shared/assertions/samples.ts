import { metricNames, pageMetric } from '../metrics/page-metrics.ts';
import type { Sample } from '../metrics/page-metrics-schemas.ts';
import { isSteady } from '../options/audit-options.ts';
import { type Assertions, levelOf, limitsOf, optionsOf } from './assertions.ts';
import type { Limit } from './messages.ts';
import { type CheckAssertions, setsOf, withMethod } from './sets.ts';
import { partsOfKey } from './values.ts';

/* `aggregationMethod` of Lighthouse CI: an assertion is about all samples of a run, and not about the median sample. */

export type Method = NonNullable<ReturnType<typeof optionsOf>['aggregationMethod']>;
type OfSamples = Exclude<Method, 'median-run'>;

const names: Record<OfSamples, string> = { median: 'median', optimistic: 'best', pessimistic: 'worst' };

/** Reason why a time is not judged. */
export const CONTENDED = 'other programs used the CPU and the times could not be corrected';

/** Returns the metric of a key whose value each sample has, if the limit is about that value. */
const metricOf = (key: string, limit: Limit) => {
  const [id, part] = partsOfKey(key);
  const isCategory = id === 'categories';
  if (limit !== (isCategory ? 'minScore' : 'maxNumericValue')) return undefined;
  return metricNames.find((name) => {
    const { audit, category } = pageMetric(name);
    return isCategory ? !audit && category === part : part === undefined && audit === id && name !== 'requests';
  });
};

/**
 * Returns the value that all samples of a run have together, or why nobody knows it. A time of a sample is unknown if other
 * programs used the CPU.
 */
export const aggregate = (key: string, limit: Limit, method: OfSamples, samples: readonly Sample[]) => {
  const metric = metricOf(key, limit);
  if (!metric) return { actual: null, reason: 'the service keeps the report of the median sample only' };
  const { dependsOn, category } = pageMetric(metric);
  const isOnce = category && isSteady(category); // the first sample may have the score for all
  const measured = isOnce ? samples.filter((sample) => sample[metric] !== null) : samples;
  const free = measured.filter(({ contended }) => !(dependsOn !== 'page' && contended));
  const values = free.map((sample) => sample[metric]).filter((value) => value !== null);
  if (values.length === 0 || (method === 'pessimistic' && values.length < measured.length)) {
    return { actual: null, reason: free.length < measured.length ? CONTENDED : 'a sample lacks the value' };
  }
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
  const isHighest = (method === 'optimistic') === (limit === 'minScore');
  const value = method === 'median' ? median : ((isHighest ? sorted.at(-1) : sorted[0]) as number);
  return {
    actual: limit === 'minScore' ? value / 100 : value,
    ...(measured.length > 1 && { samples: `${names[method]} of ${measured.length} samples` }),
  };
};

/** Returns the keys of assertions on several samples whose values only the report of each sample has. */
export const keysWithoutSamples = (assertions: Assertions): string[] =>
  Object.entries(assertions).flatMap(([key, assertion]) => {
    const options = optionsOf(assertion);
    const { aggregationMethod: method = 'median-run' } = options;
    if (method === 'median-run' || levelOf(assertion) === 'off') return [];
    return limitsOf(options).every(([limit]) => metricOf(key, limit)) ? [] : [key];
  });

/**
 * Returns why assertions can't be judged on several samples: their method needs values that only the report of each sample
 * has. `path` is the place of the set.
 */
export const faultsOfMethods = (given: CheckAssertions): { path: string; message: string }[] =>
  setsOf(given).flatMap(({ preset, assertions = {}, aggregation = 'median-run' }, i) => {
    const ofPreset = preset && aggregation !== 'median-run' ? [`the preset ${preset}`] : [];
    const keys = [...ofPreset, ...keysWithoutSamples(withMethod(assertions, aggregation))];
    if (keys.length === 0) return [];
    const shown = keys.length > 5 ? `${keys.slice(0, 5).join(', ')} and ${keys.length - 5} more` : keys.join(', ');
    const message = `The method needs the report of each sample for ${shown}, and the service keeps the report of the median sample. Use the method median-run for them, or one sample. Scores of categories and values of metrics have every method.`;
    return [{ path: Array.isArray(given) ? `assertions.${i}` : 'assertions', message }];
  });
