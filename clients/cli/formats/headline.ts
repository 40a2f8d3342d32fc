import { failedFirst } from '../../words/assertions.ts';
import { headlineOfChange } from '../../words/headline.ts';
import { counted, labels } from '../../words/numbers.ts';
import type { CheckResult } from '../run/result.ts';
import { shellWord } from '../shell-word.ts';
import { assertionsIn, failuresOf } from './notes.ts';
import { hasRegressed, type Outcome, outcomeOf } from './outcome.ts';
import { paint, type Style, signed, type View, wrap } from './terminal.ts';

/** Returns the answer of a check in one line: what failed, or how it compares with its base. Undefined if nothing was asked. */
export const headlineOf = (result: CheckResult): string | undefined => {
  const parts = [...failureTexts(result), ...baseTexts(result), ...assertionTexts(result)];
  return parts.length === 0 ? undefined : parts.join('. ');
};

const failureTexts = (result: CheckResult): string[] =>
  failuresOf(result).map(({ regions, code }) =>
    result.check.runs.length > 1 ? `${regions} failed: ${code}` : `The audit failed: ${code}`,
  );

const baseTexts = ({ base, baseProblem, confirmation }: CheckResult): string[] => {
  if (baseProblem && !base) return ['No verdict against the base'];
  const confirmed = confirmation?.state === 'confirmed' && !(base && hasRegressed(base)) ? confirmation.changes : [];
  const names = [...new Set(confirmed.map(({ metric }) => labels[metric]))];
  if (names.length > 0) return [`${names.join(', ')} got worse, which one more audit confirmed`];
  return base ? [headlineOfChange(base)] : [];
};

const assertionTexts = (result: CheckResult): string[] => {
  const all = assertionsIn(result);
  const failed = failedFirst(all).filter(({ passed, level }) => passed === false && level === 'error');
  const [first] = failed;
  if (first) {
    const [message = ''] = first.message.split('. ');
    const count = all.length === 1 ? 'The assertion' : `${failed.length} of ${counted(all.length, 'assertion')}`;
    return [`${count} failed: ${message}`];
  }
  const unjudged = all.filter(({ passed }) => passed === null).length;
  if (unjudged > 0) return [`${unjudged} of ${counted(all.length, 'assertion')} could not be judged`];
  const warned = all.filter(({ passed }) => !passed).length;
  if (warned > 0) return [`No assertion failed, with ${counted(warned, 'warning')}`];
  return all.length > 0 ? [`${counted(all.length, 'assertion')} passed`] : [];
};

/** Returns how many of several checks failed, and how many are not judged. */
export const countOfFailed = (results: readonly CheckResult[]): string => {
  const having = (outcome: Outcome) => results.filter((each) => outcomeOf(each) === outcome).length;
  const unjudged = having('unjudged') > 0 ? `, ${having('unjudged')} not judged` : '';
  return `${having('bad')} of ${results.length} checks failed${unjudged}.`;
};

/** Returns the outcome of several checks: the one that needs work first. */
export const worstOutcome = (results: readonly CheckResult[]): Outcome =>
  (['bad', 'unjudged', 'open', 'unclear'] as const).find((each) =>
    results.some((result) => outcomeOf(result) === each),
  ) ?? 'good';

/** Returns the next step after results: the fix that gains most, and the command that prints all of them. */
export const nextStepOf = (results: readonly CheckResult[]): string | undefined => {
  for (const result of results) {
    const [first] = result.fixes?.fixes ?? [];
    if (!first?.points || first.points < 1) continue;
    const command = fixesCommand(result);
    return `Next: up to ${Math.round(first.points)} points: ${first.title.replace(/\.$/, '')}.${command ? `  ${command}` : ''}`;
  }
  return undefined;
};

/** Returns a command that works after this one has ended. A page behind a login, or of a server that ends too, has none. */
const fixesCommand = ({ check, readWith, isServed }: CheckResult): string | undefined => {
  if (readWith !== null) return `page-audit fixes ${check.id}${readWith}`;
  const { url, device = 'mobile', headers = [], basicAuth, cookies = [], storageState } = check;
  if (isServed || headers.length + cookies.length > 0 || basicAuth || storageState) return undefined;
  return `page-audit fixes ${shellWord(url)}${device === 'mobile' ? '' : ` --device ${device}`}`;
};

/** Returns the answer with its sign. */
export const headlineLines = (result: CheckResult, view: View): string[] => {
  const text = headlineOf(result);
  if (text === undefined) return [];
  return signed(signOf(outcomeOf(result), view), text, view);
};

const signs = {
  good: ['✓', 'pass'],
  unclear: ['○', 'unknown'],
  unjudged: ['?', 'work'],
  bad: ['✘', 'poor'],
  open: ['◌', 'none'],
} as const satisfies Record<Outcome, readonly [sign: string, style: Style]>;

/** Returns the sign of an answer. Only a proved one is green. */
export const signOf = (outcome: Outcome, view: View): string => {
  const [sign, style] = signs[outcome];
  return paint(sign, style, view);
};

/** Returns the next step. Its command stays whole on a line of its own if the terminal is too narrow. */
export const nextLines = (next: string, view: View): string[] => {
  if (next.length <= view.width) return [next];
  const [text = '', command] = next.split('  page-audit ');
  return [...wrap(text, view.width), ...(command === undefined ? [] : [`page-audit ${command}`])];
};
