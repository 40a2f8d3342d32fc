import type { AssertionResult } from '../../../shared/assertions/assertions.ts';
import type { CheckComparison } from '../../../shared/comparison/schemas.ts';
import { failedFirst, messageWithKey, outcomeOf } from '../../words/assertions.ts';
import { interactionNotes, orderNotes, workNotes } from '../../words/compared.ts';
import { differenceText, isOfVariants, variantNames } from '../../words/differences.ts';
import { type Change, changesOf, grouped } from './metrics.ts';
import { reasonText } from './notes.ts';
import { sectionText } from './section.ts';
import { paint, signed, type View, wrap } from './terminal.ts';

/** Returns the comparison of two checks as text for a terminal: each metric before and after, and its change. */
export const comparisonTextOf = (comparison: CheckComparison, view: View): string => {
  const changes = changesOf(comparison);
  const { base, value } = isOfVariants(comparison)
    ? variantNames(comparison)
    : { base: comparison.baseCheckId, value: comparison.checkId };
  const lines = [
    ...wrap(`before  ${base}`, view.width),
    ...wrap(`after   ${value}`, view.width),
    ...grouped(changes, ({ region }) => region).flatMap((group) => ['', ...regionLines(group, view)]),
    ...newlyFailedLines(comparison, view),
    ...reasonLines(comparison, view),
  ];
  return `${lines.join('\n')}\n`;
};

/** Returns the table of a region. */
const regionLines = (changes: readonly Change[], view: View): string[] => {
  const region = changes[0]?.region ?? '';
  const rows = changes.map(({ label, before, after, change, verdict }) => ({
    name: label,
    cells: [before, after, { text: change, verdict }],
  }));
  const columns = ['Metric', 'Before', 'After', 'Change'];
  return sectionText({ id: region, title: region, kind: 'change', columns, rows }, view);
};

/** Returns the assertions that passed before and fail now. */
const newlyFailedLines = ({ newlyFailed, regions }: CheckComparison, view: View): string[] => {
  if (newlyFailed.length === 0) return [];
  return [
    '',
    'Assertions that fail now',
    ...failedFirst(newlyFailed).flatMap((each) => assertionLines(each, view, regions.length)),
  ];
};

/** Returns an assertion that did not pass with its region, if there are several, and the key by which people find it in their file. */
export const assertionLines = (failed: AssertionResult & { region: string }, view: View, regions: number): string[] => {
  const signs = {
    failed: paint('✘', 'poor', view),
    warning: paint('!', 'work', view),
    'not judged': paint('○', 'unknown', view),
    passed: paint('✓', 'pass', view),
  };
  return signed(signs[outcomeOf(failed)], `${regions > 1 ? `${failed.region}  ` : ''}${messageWithKey(failed)}`, view);
};

/** Returns why verdicts are unknown, and what differs between the checks. */
const reasonLines = (comparison: CheckComparison, view: View): string[] => {
  const { reasons } = comparison;
  const differences = isOfVariants(comparison) ? [] : comparison.differences;
  const notes = [...orderNotes(comparison), ...workNotes(comparison), ...interactionNotes(comparison)];
  if (reasons.length + differences.length + notes.length === 0) return [];
  const sign = paint('!', 'work', view);
  const differing = differences.flatMap((each) => signed(sign, differenceText(each), view));
  const lines = grouped(reasons, ({ code }) => code).flatMap((group) => {
    const regions = group.map(({ region }) => region).join(', ');
    return signed(sign, `${regions}: ${reasonText(group[0]?.code ?? '')}`, view);
  });
  return ['', ...differing, ...lines, ...notes.flatMap((note) => signed(sign, note, view))];
};
