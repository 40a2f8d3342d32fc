import type { CheckSummary } from '../../../shared/summaries.ts';
import { gradeOf, gradeSigns } from '../../words/numbers.ts';
import { ago } from '../../words/times.ts';
import { unreadableNote } from '../../words/words.ts';
import { paint, signed, type View, wrap } from '../formats/terminal.ts';
import { shortUrl } from '../formats/titles.ts';

/** A page of checks. `unreadable` has the ids of checks whose stored data can't be read. */
type ListedPage = { checks: readonly CheckSummary[]; unreadable?: readonly string[] | undefined };

const NO_CHECKS = 'There are no checks yet. Audit a page: page-audit run https://example.com/';

/** Returns the checks of a list as text for a terminal, newest first. Each has its URL, the score of each region and its id. */
export const listTextOf = (
  { checks, unreadable = [] }: ListedPage,
  {
    now,
    isFiltered = true,
    isOnePlace = false,
    ...view
  }: View & { now: Date; isFiltered?: boolean; isOnePlace?: boolean },
): string => {
  const note = unreadable.length > 0 ? [signed(paint('!', 'work', view), unreadableNote(unreadable), view)] : [];
  const all = [...checks.map((check) => linesOf(check, { now, isOnePlace }, view)), ...note];
  if (all.length === 0) return isFiltered ? 'There are no checks that match.\n' : `${NO_CHECKS}\n`;
  return all.map((lines) => `${lines.join('\n')}\n`).join('\n');
};

const linesOf = (
  check: CheckSummary,
  { now, isOnePlace }: { now: Date; isOnePlace: boolean },
  view: View,
): string[] => {
  const { id, url, device = 'mobile', labels = {}, createdAt, runs, assertionsPassed } = check;
  const facts = [
    device,
    ...Object.entries(labels).map(([name, value]) => `${name}=${value}`),
    ago(createdAt, now.getTime()),
  ];
  const scores = runs.map(
    (run) => `${scoreOf(run, device, view)}${isOnePlace && runs.length === 1 ? '' : ` ${run.region}`}`,
  );
  return [
    ...wrap(paint(shortUrl(url), 'heading', view), view.width),
    ...[scores.join('   '), ...gateOf(assertionsPassed, view), facts.join(', '), id].flatMap((text) =>
      wrap(text, view.width - INDENT.length).map((line) => INDENT + line),
    ),
  ];
};
const INDENT = '  ';

const gateOf = (passed: boolean | null | undefined, view: View): string[] => {
  if (typeof passed !== 'boolean') return []; // an earlier service has no assertions
  return [passed ? paint('✓ assertions passed', 'pass', view) : paint('✘ assertions failed', 'poor', view)];
};

const scoreOf = (
  { state, performance }: CheckSummary['runs'][number],
  device: 'mobile' | 'desktop',
  view: View,
): string => {
  if (state === 'failed') return paint('✘ failed', 'poor', view);
  if (state === 'created') return '◌ waiting';
  if (state === 'running') return '◐ auditing';
  const grade = gradeOf('performance', performance, device);
  return paint(`${gradeSigns[grade]} ${performance ?? 'no score'}`, grade, view);
};
