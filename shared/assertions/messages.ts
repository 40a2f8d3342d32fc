import { metricNames, type PageMetric, pageMetric } from '../metrics/page-metrics.ts';
import { cutText, grouped } from '../text.ts';
import { evidenceOf } from './evidence.ts';
import { type AssertedAudit, type AssertedReport, budgetAudits, partsOfKey, rowsOf } from './values.ts';

export type Limit = 'minScore' | 'maxLength' | 'maxNumericValue';

/** Longest title of an audit in a message, so that the limit and the evidence have room. */
const MAX_TITLE_LENGTH = 120;

const units: Record<string, string> = { millisecond: 'ms', byte: 'bytes', element: 'elements', request: 'requests' };

/** A limit of an assertion, and the value that it was compared with. */
type Compared = {
  limit: Limit;
  expected: number;
  actual: number | null;
  passed: boolean | null;
  /** Why the value is not judged. */
  reason?: string | undefined;
  /** The samples that have the value, such as `worst of 3 samples`. */
  samples?: string | undefined;
};

/**
 * Returns a sentence about the value that an assertion compared: title, value, limit, and the first element or file that
 * failed. Every client shows this sentence.
 */
export const describe = (key: string, audit: AssertedAudit, report: AssertedReport, compared: Compared): string => {
  const { passed, actual, reason, samples } = compared;
  const title = titleOf(key, audit);
  if (reason && actual === null) return `${title}: not judged, because ${reason}`;
  const value = `${title}: ${valueText(audit, compared)}`;
  if (reason) return `${value}. Not judged, because ${reason}`;
  if (samples) return `${value} (${samples})`; // no element is of all samples
  const evidence = passed || actual === null ? undefined : evidenceOf(key, audit, report);
  return evidence ? `${value}. ${evidence}` : value;
};

const valueText = (audit: AssertedAudit, { limit, expected, actual }: Compared): string => {
  if (actual === null) return missingValue[limit] + reasonOf(audit);
  const limitText = grouped(expected, MAX_DIGITS);
  const unit = limit === 'maxNumericValue' ? units[audit.numericUnit ?? ''] : undefined;
  const found = distinctText(actual, expected, unit ? 0 : 2);
  if (limit === 'minScore') return `score ${found}, expected at least ${limitText}`;
  if (limit === 'maxLength') return `${withUnit(found, 'items')}, expected at most ${limitText}`;
  return `${withUnit(found, unit)}, expected at most ${withUnit(limitText, unit)}`;
};

/** Returns the title of what a key names. A metric has the title that it has everywhere else. */
const titleOf = (key: string, { title }: AssertedAudit): string => {
  const [id, ...part] = partsOfKey(key);
  const isNamed = ({ audit, category }: PageMetric) =>
    id === 'categories' ? audit === undefined && category === part[0] : audit === id && part.length === 0;
  const metric = metricNames.map(pageMetric).find(isNamed);
  if (metric) return metric.title;
  if (id === 'user-timings' && part.length > 0) return `User timing ${part.join('-')}`;
  if (id === 'resource-summary' && part.length > 0)
    return `${capital(part[0] ?? '')} ${part[1] === 'size' ? 'size' : 'requests'}`;
  return title ? cutText(title, MAX_TITLE_LENGTH) : capital([id, ...part].join(' ').replaceAll('-', ' '));
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

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
  if (scoreDisplayMode === 'interaction') return errorMessage ? `. ${errorMessage}` : '';
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
  if (id === 'interactions') {
    const names = report.interactions?.map(({ name }) => name).join(', ');
    return `The run has no such interaction as ${key}. ${names ? `Its interactions: ${names}` : 'It has none'}`;
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

/** Returns a rounded number, with as many digits as it needs to differ from the limit. */
const distinctText = (value: number, limit: number, digits: number): string => {
  const text = grouped(value, digits);
  const isDistinct = value === limit || digits >= MAX_DIGITS || text !== grouped(limit, MAX_DIGITS);
  return isDistinct ? text : distinctText(value, limit, digits + 1);
};
