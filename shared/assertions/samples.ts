import { metricNames, pageMetric } from '../metrics/page-metrics.ts';
import type { Sample } from '../metrics/page-metrics-schemas.ts';
import { isSteady } from '../options/audit-options.ts';
import { type Assertions, levelOf, limitsOf, optionsOf } from './assertions.ts';
import { interactionOfKey } from './interactions.ts';
import type { Limit } from './messages.ts';
import { type CheckAssertions, setsOf, withMethod } from './sets.ts';
import { type AssertedAudit, partsOfKey } from './values.ts';

/* `aggregationMethod` of Lighthouse CI: an assertion is about all samples of a run, and not about the median sample. */

export type Method = NonNullable<ReturnType<typeof optionsOf>['aggregationMethod']>;
type OfSamples = Exclude<Method, 'median-run'>;

const names: Record<OfSamples, string> = { median: 'median', optimistic: 'best', pessimistic: 'worst' };

/** Reason why a time is not judged. */
export const CONTENDED = 'the machine was busy and the times could not be corrected';

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

type Asked = { key: string; limit: Limit; method: OfSamples; samples: readonly Sample[]; audit: AssertedAudit };
/** Value of a sample. It is unknown if it depends on the CPU and the machine was busy. */
type SampleValue = { value: number | null; isContended: boolean };

/** Returns the value that all samples of a run have together, or why nobody knows it. An interaction that failed has none. */
export const aggregate = ({ key, limit, method, samples, audit }: Asked) => {
  const measured = valuesOf(key, limit, samples, audit);
  if (!measured) return { actual: null, reason: 'the service keeps the report of the median sample only' };
  const ofSamples = measured.length > 1 && { samples: `${names[method]} of ${measured.length} samples` };
  const isNull = ({ value }: SampleValue) => value === null;
  if (audit.samples && (method === 'pessimistic' ? measured.some(isNull) : measured.every(isNull)))
    return { actual: null, ...ofSamples };
  const free = measured.filter(({ isContended }) => !isContended);
  const values = free.map(({ value }) => value).filter((value) => value !== null);
  if (values.length === 0 || (method === 'pessimistic' && values.length < measured.length)) {
    return { actual: null, reason: free.length < measured.length ? CONTENDED : 'a sample lacks the value' };
  }
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
  const isHighest = (method === 'optimistic') === (limit === 'minScore');
  const value = method === 'median' ? median : ((isHighest ? sorted.at(-1) : sorted[0]) as number);
  return { actual: limit === 'minScore' ? value / 100 : value, ...ofSamples };
};

/** Returns the values of the samples, or undefined if only the report of each sample has them. */
const valuesOf = (
  key: string,
  limit: Limit,
  samples: readonly Sample[],
  audit: AssertedAudit,
): SampleValue[] | undefined => {
  if (audit.samples) {
    const isTime = audit.numericUnit === 'millisecond';
    return audit.samples.map((value, i) => ({ value, isContended: isTime && samples[i]?.contended === true }));
  }
  const metric = metricOf(key, limit);
  if (!metric) return undefined;
  const { dependsOn, category } = pageMetric(metric);
  const isOnce = category && isSteady(category); // the first sample may have the score for all
  return samples
    .filter((sample) => !isOnce || sample[metric] !== null)
    .map((sample) => ({ value: sample[metric], isContended: dependsOn !== 'page' && sample.contended === true }));
};

/** Returns the keys of assertions on several samples whose values only the report of each sample has. */
export const keysWithoutSamples = (assertions: Assertions): string[] =>
  Object.entries(assertions).flatMap(([key, assertion]) => {
    const options = optionsOf(assertion);
    const { aggregationMethod: method = 'median-run' } = options;
    if (method === 'median-run' || levelOf(assertion) === 'off') return [];
    return interactionOfKey(key) || limitsOf(options).every(([limit]) => metricOf(key, limit)) ? [] : [key];
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
