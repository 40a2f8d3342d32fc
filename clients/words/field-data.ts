import type { CheckView } from '../../shared/check.ts';
import { type FieldMetricName, fieldDataReasons, fieldMetricNames, fieldMetrics } from '../../shared/field-data.ts';
import type { FieldData } from '../../shared/field-data-schemas.ts';
import type { RunView } from '../../shared/run.ts';
import { joinedValues } from './headline.ts';
import { numberOf, textOf } from './numbers.ts';
import type { Cell } from './section.ts';

/** Check, or a run with the field data of its check. */
type Source = Pick<CheckView, 'fieldData'> & { runs: readonly RunView[] };

/** Returns a value of field data with its unit. */
const fieldText = (name: FieldMetricName, value: number): string =>
  textOf(fieldMetrics[name].kind === 'shift' ? 'cls' : 'lcp', value);

/** Returns a value of field data with its grade. */
export const fieldCell = (name: FieldMetricName, value: number): Cell => {
  const [good, needsImprovement] = fieldMetrics[name].limits;
  return {
    text: fieldText(name, value),
    grade: value <= good ? 'pass' : value <= needsImprovement ? 'work' : 'poor',
  };
};

/** Returns the field data beside the result of the audit in one sentence, or why there are none. */
export const fieldSentence = ({ fieldData, runs }: Source): string | undefined => {
  if (!fieldData) return undefined;
  const { metrics, reason, formFactor, of, url } = fieldData;
  const [name] = metrics ? fieldMetricNames.filter((each) => metrics[each]) : [];
  const p75 = name && metrics?.[name]?.p75;
  if (name === undefined || p75 === undefined)
    return `No field data. ${fieldDataReasons[reason ?? 'no-data']}${redirectHint(fieldData, runs)}`;
  const where = of === 'origin' ? ` on all pages of ${url}` : '';
  const visitors = `Three of four visitors on ${formFactor === 'phone' ? 'phones' : 'desktops'}`;
  const { name: label } = fieldMetrics[name];
  const article = /^[LIF]/.test(label) ? 'an' : 'a';
  return `${visitors} see ${article} ${label} of ${fieldText(name, p75)} or better${where}${ofAudit(name, runs)}.`;
};

/** Returns the value of the audit, if it has the metric. */
const ofAudit = (name: FieldMetricName, runs: readonly RunView[]): string => {
  if (name === 'inp' || name === 'ttfb') return ''; // a load has no interaction, and its TTFB begins after the connection
  const values = runs.flatMap((run) => numberOf(run, name) ?? []);
  if (values.length === 0) return '';
  const isSimulated = runs.some(({ environment }) => environment?.throttling === 'simulate');
  const text = joinedValues(
    values.map((value) => fieldText(name, value)),
    ' to ',
  );
  return `; this audit ${isSimulated ? 'simulates' : 'measured'} ${text}`;
};

/** Returns which page to check if the page redirects. Chrome UX Report has the data of the page behind. */
const redirectHint = ({ reason, url }: FieldData, runs: readonly RunView[]): string => {
  const [final] = runs.flatMap((run) => run.finalUrl ?? []);
  if (reason !== 'no-data' || final === undefined || url !== null) return '';
  const isOther = runs.some((run) => run.finalUrl !== null && addressOf(run.finalUrl) !== addressOf(run.url));
  return isOther ? ` The page redirects, so check ${addressOf(final)}.` : '';
};

/** Returns a URL without its query and fragment. */
const addressOf = (url: string): string => url.replace(/[?#].*/, '');
