import { cpuAudits } from '../metrics/cpu-audits.ts';
import type { Sample } from '../metrics/page-metrics-schemas.ts';
import { cutText } from '../text.ts';
import { type AssertionResult, type Assertions, levelOf, limitsOf, optionsOf } from './assertions.ts';
import { describe, describeMissing, type Limit } from './messages.ts';
import { aggregate, CONTENDED, type Method } from './samples.ts';
import { type AssertedAudit, type AssertedReport, findAsserted, partsOfKey } from './values.ts';

/** How the report was measured. */
export type Measured = {
  /** True if the machine was busy, and the times were not corrected. */
  contended?: boolean;
  /** All samples of the run. The report is that of the median sample. */
  samples?: readonly Sample[];
};

/** Longest message of a result, because it may quote an error of Lighthouse. */
const MAX_MESSAGE_LENGTH = 300;

/**
 * Compares a report with assertions. An assertion with several limits has several results. If the machine was busy,
 * times are not judged.
 */
export const evaluate = (assertions: Assertions, report: AssertedReport, measured: Measured = {}): AssertionResult[] =>
  Object.entries(assertions).flatMap(([key, assertion]): AssertionResult[] => {
    const level = levelOf(assertion);
    if (level === 'off') return [];
    const options = optionsOf(assertion);
    const audit = findAsserted(key, report);
    if (audit)
      return limitsOf(options).map(([limit, expected]) => {
        const found = findValue({ key, audit, limit, method: options.aggregationMethod }, measured);
        return { key, level, ...compare(key, audit, report, { limit, expected, ...found }) };
      });
    const message = cutText(describeMissing(key, report), MAX_MESSAGE_LENGTH);
    return [{ key, name: 'auditRan', level, passed: false, expected: 1, actual: 0, operator: '>=', message }];
  });

/** A value, and why it is not judged. `samples` says which of the samples have the value. */
type Found = { actual: number | null; reason?: string; samples?: string };
type Asked = { key: string; audit: AssertedAudit; limit: Limit; method: Method | undefined };

const findValue = ({ key, audit, limit, method }: Asked, { contended = false, samples = [] }: Measured): Found => {
  if (method && method !== 'median-run' && samples.length > 1) return aggregate({ key, limit, method, samples, audit });
  const actual = actualValue[limit](audit);
  return contended && actual !== null && isTime(key, audit, limit) ? { actual, reason: CONTENDED } : { actual };
};

const compare = (
  key: string,
  audit: AssertedAudit,
  report: AssertedReport,
  { limit, expected, actual, reason, samples }: Found & { limit: Limit; expected: number },
) => {
  const operator = limit === 'minScore' ? '>=' : '<=';
  const isKept = actual !== null && (operator === '>=' ? actual >= expected : actual <= expected);
  const passed = reason ? null : isKept;
  const text = describe(key, audit, report, { limit, expected, actual, passed, reason, samples });
  return { name: limit, passed, expected, actual, operator, message: cutText(text, MAX_MESSAGE_LENGTH) } as const;
};

/** Returns true if a value depends on the time that the page had a CPU. */
const isTime = (key: string, { numericUnit, scoreDisplayMode }: AssertedAudit, limit: Limit): boolean => {
  const [id, part] = partsOfKey(key);
  if (scoreDisplayMode === 'notApplicable') return false;
  if (id === 'categories') return part === 'performance';
  return cpuAudits.includes(id) || (numericUnit === 'millisecond' && limit !== 'maxLength');
};

const actualValue: Record<Limit, (audit: AssertedAudit) => number | null> = {
  minScore: ({ score, scoreDisplayMode }) => {
    if (score !== null) return score;
    return scoreDisplayMode === 'notApplicable' ? 1 : scoreDisplayMode === 'informative' ? 0 : null;
  },
  maxLength: ({ scoreDisplayMode, details }) => {
    if (scoreDisplayMode === 'error') return null;
    return Array.isArray(details?.items) ? details.items.length : 0;
  },
  maxNumericValue: ({ numericValue }) => numericValue ?? null,
};
