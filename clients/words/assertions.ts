import type { AssertionResult } from '../../shared/assertions/assertions.ts';

/** Returns the value that an assertion found, and the value that it expected. */
export const assertionTexts = ({ key, name, actual, expected, operator, message }: AssertionResult) => {
  if (actual === null || name === 'auditRan') return { actual: message, expected: '' };
  const unit = name === 'maxNumericValue' ? (units.find(({ keys }) => keys.test(key))?.unit ?? '') : '';
  const [found, limit] = distinct(actual, expected, unit ? 0 : 2);
  return { actual: found + unit, expected: `expected ${operator === '>=' ? '≥' : '≤'} ${limit}${unit}` };
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
