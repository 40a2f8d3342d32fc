import type { AssertionResult } from '../../../shared/assertions/assertions.ts';
import type { RunView } from '../../../shared/run.ts';
import { failedVariantText, nextSteps, reasonTexts, retryStep } from '../../words/words.ts';
import type { CheckResult } from '../result.ts';
import { grouped } from './metrics.ts';

/** Returns the regions that a sentence is about. A check of one region needs no name. */
const regionsIn = (of: readonly { region: string }[], { check }: CheckResult): string =>
  check.runs.length > 1 ? `${of.map(({ region }) => region).join(', ')}: ` : '';

/** Returns the sentences that a reader of the numbers should know: warnings of the runs, and why verdicts are unknown. */
export const warningsOf = (result: CheckResult): string[] => {
  const { check, comparison, base } = result;
  const warnings = check.runs.flatMap(({ region, warnings }) => warnings.map((warning) => ({ region, text: warning })));
  const reasons = [...(comparison?.reasons ?? []), ...(base?.reasons ?? [])]
    .filter(({ code }) => code !== 'failed' || base !== null) // a failed run has its own lines
    .filter(({ code }) => code !== 'fewer-samples') // the note on samples stands once for all checks
    .map(({ code, region }) => ({ region, text: reasonText(code) }));
  return grouped([...warnings, ...reasons], ({ text }) => text).map((group) => {
    const regions = [...new Set(group.map(({ region }) => region))].map((region) => ({ region }));
    return `${regionsIn(regions, result)}${group[0]?.text}`;
  });
};

/** Returns why verdicts are unknown, by the code of the reason. */
export const reasonText = (code: string): string =>
  `${reasonTexts[code] ?? code}${code === 'fewer-samples' ? ' Use --samples 5 for both sides.' : ''}`;

/** Returns how to get the verdicts that need more samples, or nothing if no comparison lacks them. */
export const sampleNotes = (results: readonly CheckResult[]): string[] => {
  const reasons = results.flatMap(({ comparison, base }) => [...(comparison?.reasons ?? []), ...(base?.reasons ?? [])]);
  return reasons.some(({ code }) => code === 'fewer-samples') ? [reasonText('fewer-samples')] : [];
};

/** A reason why runs failed, and the next step. */
export type Failure = { regions: string; code: string; message: string; advice: string };

/** Returns why runs failed. Runs that failed in the same way are together. */
export const failuresOf = ({ check }: CheckResult): Failure[] => {
  const failed = check.runs.flatMap((run) => (run.error ? [{ run, error: run.error }] : []));
  return grouped(failed, ({ error }) => `${error.variant} ${error.code} ${error.message}`).flatMap((group) => {
    const error = group[0]?.error;
    if (!error) return [];
    return [
      {
        regions: group.map(({ run }) => run.region).join(', '),
        code: error.code,
        message: error.message,
        advice: adviceOf(error),
      },
    ];
  });
};

/** Returns whose fault an error is, and the next step. */
export const adviceOf = (error: NonNullable<RunView['error']>): string => {
  const { code, blame } = error;
  const cause = blame === 'page' ? 'The cause is the page.' : 'The cause is the service, not the page.';
  return [failedVariantText(error), cause, nextSteps[code] ?? retryStep].filter(Boolean).join(' ');
};

/** An assertion that failed on a run. */
export type FailedAssertion = AssertionResult & { region: string };

/** Returns the failed assertions, with those of level error first. */
export const failedAssertions = ({ check, assertions }: CheckResult): FailedAssertion[] => {
  const failed = check.runs.flatMap(({ id, region }) =>
    (assertions[id] ?? []).filter(({ passed }) => !passed).map((each) => ({ ...each, region })),
  );
  return [...failed.filter(({ level }) => level === 'error'), ...failed.filter(({ level }) => level === 'warn')];
};

/** Returns the number of assertions that passed on a run. */
export const countPassed = ({ check, assertions }: CheckResult): number =>
  check.runs.flatMap(({ id }) => assertions[id] ?? []).filter(({ passed }) => passed).length;

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
