import type { AssertionResult } from '../../shared/assertions/assertions.ts';

type Judged = Pick<AssertionResult, 'passed' | 'level'>;

/** Returns the results that did not pass: those that failed, then those that were not judged, each with level error first. */
export const failedFirst = <Result extends Judged>(results: readonly Result[]): Result[] => {
  const rank = ({ passed, level }: Result) => (passed === null ? 2 : 0) + (level === 'error' ? 0 : 1);
  return results.filter(({ passed }) => !passed).toSorted((a, b) => rank(a) - rank(b));
};

export const isNotJudged = ({ passed }: Pick<Judged, 'passed'>): boolean => passed === null;

/** Returns how many results failed, warned, passed and were not judged, in words. */
export const countsText = (results: readonly Judged[]): string => {
  const count = (is: (each: Judged) => boolean) => results.filter(is).length;
  const failed = (each: Judged) => each.passed === false;
  const unjudged = count(isNotJudged);
  return [
    `${count((each) => failed(each) && each.level === 'error')} failed`,
    `${count((each) => failed(each) && each.level !== 'error')} warned`,
    `${count(({ passed }) => passed === true)} passed`,
    ...(unjudged > 0 ? [`${unjudged} not judged`] : []),
  ].join(', ');
};

/** Returns whether a result failed, is a warning, passed or was not judged. */
export const outcomeOf = ({ passed, level }: Judged): 'failed' | 'warning' | 'passed' | 'not judged' => {
  if (passed === null) return 'not judged';
  if (passed) return 'passed';
  return level === 'error' ? 'failed' : 'warning';
};

/** Returns the message of an assertion with the key that its file has. A message about a missing audit names the key itself. */
export const messageWithKey = ({ key, message }: Pick<AssertionResult, 'key' | 'message'>): string =>
  message.includes(key) ? message : `${message} (${key})`;
