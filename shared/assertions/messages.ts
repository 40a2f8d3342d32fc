import { type AssertedAudit, type AssertedReport, budgetAudits, partsOfKey, rowsOf } from './values.ts';

export type Limit = 'minScore' | 'maxLength' | 'maxNumericValue';

const units: Record<string, string> = { millisecond: 'ms', byte: 'bytes', element: 'elements', request: 'requests' };

/** Returns a sentence about the value that an assertion compared. */
export const describe = (
  key: string,
  audit: AssertedAudit,
  limit: Limit,
  expected: number,
  actual: number | null,
): string => {
  if (actual === null) return `${key} has ${missingValue[limit]}${reasonOf(audit)}`;
  const limitText = numberText(expected, MAX_DIGITS);
  const unit = limit === 'maxNumericValue' ? units[audit.numericUnit ?? ''] : undefined;
  const valueText = distinctText(actual, expected, unit ? 0 : 2);
  if (limit === 'minScore') return `${key} has score ${valueText}, expected at least ${limitText}`;
  if (limit === 'maxLength') return `${key} lists ${withUnit(valueText, 'items')}, expected at most ${limitText}`;
  return `${key} is ${withUnit(valueText, unit)}, expected at most ${withUnit(limitText, unit)}`;
};

const withUnit = (text: string, unit: string | undefined): string =>
  unit ? `${text} ${text === '1' ? unit.replace(/(?<!m)s$/, '') : unit}` : text;

const missingValue: Record<Limit, string> = {
  minScore: 'no score',
  maxLength: 'no list',
  maxNumericValue: 'no numeric value',
};

const reasonOf = ({ scoreDisplayMode, errorMessage }: AssertedAudit): string => {
  if (scoreDisplayMode === 'manual') return ', because it needs a manual check';
  if (scoreDisplayMode === 'notApplicable') return ', because it does not apply to this page';
  if (scoreDisplayMode === 'category') return ', because an audit of the category failed';
  if (scoreDisplayMode === 'error')
    return `, because it failed in Lighthouse${errorMessage ? `: ${errorMessage}` : ''}`;
  return '';
};

/** Returns why a report lacks the audit, category or part that a key names. */
export const describeMissing = (key: string, report: AssertedReport): string => {
  const [id, ...part] = partsOfKey(key);
  if (budgetAudits.includes(id)) {
    return `${id} checks nothing, because the audit has no budget. Assert resource-summary:<type>:<size or count> instead`;
  }
  const version = `Lighthouse ${report.lighthouseVersion}`;
  const categories = Object.keys(report.categories).join(', ');
  if (id === 'categories') return `The report of ${version} has no category ${part[0] ?? ''}. It has ${categories}`;
  const audit = Object.hasOwn(report.audits, id) ? report.audits[id] : undefined;
  if (!audit) return `${version} has no audit ${id} in the categories ${categories}`;
  if (id === 'user-timings') return `The page has no user timing ${part.join('-')}`;
  const types = rowsOf(audit).map(({ resourceType }) => resourceType);
  return `resource-summary has no type ${part[0]}. It has ${types.join(', ')}`;
};

const MAX_DIGITS = 10;
const formats = Array.from(
  { length: MAX_DIGITS + 1 },
  (_, digits) => new Intl.NumberFormat('en-US', { maximumFractionDigits: digits }),
);

const numberText = (value: number, digits: number): string => formats[digits]?.format(value) ?? String(value);

/** Returns a rounded number, with as many digits as it needs to differ from the limit. */
const distinctText = (value: number, limit: number, digits: number): string => {
  const text = numberText(value, digits);
  const isDistinct = value === limit || digits >= MAX_DIGITS || text !== numberText(limit, MAX_DIGITS);
  return isDistinct ? text : distinctText(value, limit, digits + 1);
};
