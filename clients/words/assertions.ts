import type { AssertionResult } from '../../shared/assertions/assertions.ts';
import { metricNames, type PageMetric, pageMetric } from '../../shared/page-metrics.ts';

/** Returns the value that an assertion found, and the value that it expected. */
export const assertionTexts = ({ key, name, actual, expected, operator, message }: AssertionResult) => {
  if (actual === null || name === 'auditRan') return { actual: message, expected: '' };
  const unit = name === 'maxNumericValue' ? (units.find(({ keys }) => keys.test(key))?.unit ?? '') : '';
  const [found, limit] = distinct(actual, expected, unit ? 0 : 2);
  return { actual: found + unit, expected: `expected ${operator === '>=' ? '≥' : '≤'} ${limit}${unit}` };
};

/** Returns the title of an assertion for people, and its message without the key. */
export const assertionSentence = ({ key, message }: Pick<AssertionResult, 'key' | 'message'>) => ({
  title: titleOfKey(key),
  found: message.startsWith(`${key} `) ? message.slice(key.length + 1) : message,
});

/** Returns the title of the metric that a key names. Another key is written as words, because no run stores its title. */
const titleOfKey = (key: string): string => {
  const [id = '', ...part] = key.split(/[.:]/);
  const isNamed = ({ audit, category }: PageMetric) =>
    id === 'categories' ? audit === undefined && category === part[0] : audit === id && part.length === 0;
  const metric = metricNames.map(pageMetric).find(isNamed);
  if (metric) return metric.title;
  const words = id.replaceAll('-', ' ');
  return [words.charAt(0).toUpperCase() + words.slice(1), part.join(' ')].filter(Boolean).join(': ');
};

/** Returns two numbers with as many digits as they need to differ. */
const distinct = (a: number, b: number, digits: number): [string, string] => {
  const text = (value: number) => value.toLocaleString('en', { maximumFractionDigits: digits });
  const [first, second] = [text(a), text(b)];
  return a === b || first !== second || digits >= 10 ? [first, second] : distinct(a, b, digits + 1);
};

/** Units of numeric values. Other values have none. */
const units = [
  {
    keys: /^(?:(?:first|largest)-contentful-paint|first-meaningful-paint|speed-index|interactive|total-blocking-time|max-potential-fid|server-response-time|mainthread-work-breakdown|bootup-time|network-rtt|network-server-latency)$/,
    unit: ' ms',
  },
  { keys: /^(?:total-byte-weight|resource-summary[.:].+[.:]size)$/, unit: ' bytes' },
];

/** Returns the failed results, with those of level error first. */
export const failedFirst = <Result extends Pick<AssertionResult, 'passed' | 'level'>>(results: readonly Result[]) => {
  const failed = results.filter(({ passed }) => !passed);
  return [...failed.filter(({ level }) => level === 'error'), ...failed.filter(({ level }) => level !== 'error')];
};
