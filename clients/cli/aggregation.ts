import { type AssertionResult, type Assertions, levelOf } from '../../shared/assertions/assertions.ts';
import { evaluate, type Measured } from '../../shared/assertions/evaluate.ts';
import { type AssertedReport, partsOfKey } from '../../shared/assertions/values.ts';
import type { CheckView } from '../../shared/check.ts';
import { metricNames, pageMetric } from '../../shared/page-metrics.ts';
import type { RunView } from '../../shared/run.ts';

/* `aggregationMethod` of Lighthouse CI: an assertion is about all samples of a run, and not about the median sample. */

type Method = 'median' | 'optimistic' | 'pessimistic';
type Samples = RunView['samples'];

const names: Record<Method, string> = { median: 'median', optimistic: 'best', pessimistic: 'worst' };

/** Returns the method of an assertion, or undefined if the assertion is about the median sample. */
const methodOf = (assertion: Assertions[string]): Method | undefined => {
  const method = typeof assertion === 'string' ? undefined : assertion[1]?.aggregationMethod;
  return method === 'median-run' || levelOf(assertion) === 'off' ? undefined : method;
};

/** Returns true if an assertion is about several samples. The service judges the median sample only. */
export const isAboutSamples = (assertions: Assertions): boolean => Object.values(assertions).some(methodOf);

/** Returns the keys whose values only the report has. The service keeps the report of the median sample. */
export const keysWithoutSamples = (assertions: Assertions): string[] =>
  Object.entries(assertions).flatMap(([key, assertion]) => {
    if (!methodOf(assertion)) return [];
    const options = typeof assertion === 'string' ? {} : (assertion[1] ?? {});
    const limit = metricOf(key)?.limit;
    const others = (['minScore', 'maxLength', 'maxNumericValue'] as const).filter((each) => each !== limit);
    const isKnown = limit !== undefined && others.every((each) => options[each] === undefined);
    return isKnown && (limit === 'minScore' || options.maxNumericValue !== undefined) ? [] : [key];
  });

/** Returns the metric of a key, and the limit that the samples have a value for. */
const metricOf = (key: string) => {
  const [id, part] = partsOfKey(key);
  const name = metricNames.find((each) => {
    const { audit, category } = pageMetric(each);
    return id === 'categories'
      ? !audit && category === part
      : part === undefined && audit === id && each !== 'requests';
  });
  return name && ({ name, limit: id === 'categories' ? 'minScore' : 'maxNumericValue' } as const);
};

/** Compares a run with assertions. An assertion with a method is about all samples. */
export const evaluateSamples = (
  assertions: Assertions,
  report: AssertedReport,
  samples: Samples,
  measured: Measured = {},
): AssertionResult[] => {
  if (samples.length < 2) return evaluate(assertions, report, measured);
  return Object.entries(assertions).flatMap(([key, assertion]) => {
    const method = methodOf(assertion);
    const value = method && aggregated(key, method, samples);
    if (value === undefined) return evaluate({ [key]: assertion }, report, measured);
    const results = evaluate({ [key]: assertion }, withValue(report, key, value), measured);
    return results.map((each) => ({
      ...each,
      message: `${each.message} (${names[method as Method]} of ${samples.length} samples)`,
    }));
  });
};

/** Returns the keys of which a run with several samples lacks the values that their method needs. */
export const keysLacking = (assertions: Assertions, samples: Samples, asked: CheckView['samples'] = 1): string[] =>
  asked === 1
    ? []
    : Object.entries(assertions).flatMap(([key, assertion]) => {
        const method = methodOf(assertion);
        return method && (samples.length < 2 || aggregated(key, method, samples) === undefined) ? [key] : [];
      });

const aggregated = (key: string, method: Method, samples: Samples): number | undefined => {
  const metric = metricOf(key);
  if (!metric) return undefined;
  const values = samples.map((sample) => sample[metric.name]).filter((value) => value !== null);
  const numbers = values.map((value) => (typeof value === 'string' ? Number.parseFloat(value) : value));
  if (numbers.length === 0 || (method === 'pessimistic' && numbers.length < samples.length)) return undefined;
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
  const isHighest = (method === 'optimistic') === (metric.limit === 'minScore');
  const value = method === 'median' ? median : ((isHighest ? sorted.at(-1) : sorted[0]) as number);
  return metric.limit === 'minScore' ? value / 100 : value;
};

/** Returns a report in which a category or an audit has another value. It names no element, because none is of all samples. */
const withValue = (report: AssertedReport, key: string, value: number): AssertedReport => {
  const [id, part = ''] = partsOfKey(key);
  if (id === 'categories') {
    return part in report.categories
      ? { ...report, categories: { ...report.categories, [part]: { score: value } } }
      : report;
  }
  const audit = report.audits[id];
  return audit ? { ...report, audits: { [id]: { ...audit, numericValue: value, details: undefined } } } : report;
};
