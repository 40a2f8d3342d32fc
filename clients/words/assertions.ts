import type { AssertionResult } from '../../shared/assertions/assertions.ts';

/** Returns the failed results, with those of level error first. */
export const failedFirst = <Result extends Pick<AssertionResult, 'passed' | 'level'>>(results: readonly Result[]) => {
  const failed = results.filter(({ passed }) => !passed);
  return [...failed.filter(({ level }) => level === 'error'), ...failed.filter(({ level }) => level !== 'error')];
};

/** Returns the message of an assertion with the key that its file has. A message about a missing audit names the key itself. */
export const messageWithKey = ({ key, message }: Pick<AssertionResult, 'key' | 'message'>): string =>
  message.includes(key) ? message : `${message} (${key})`;
