import { expect, test } from 'vitest';
import { exitCodeOfRuns } from '../../clients/cli/exit-codes.ts';
import { runError } from '../../shared/problems.ts';
import type { RunView } from '../../shared/run.ts';

const checkOf = (...errors: RunView['error'][]) => ({ runs: errors.map((error) => ({ error }) as RunView) });

test.each([
  ['no failed run', [null, null], 0],
  ['a page that failed', [null, runError('dns-failure')], 3],
  ['a service that failed', [null, runError('internal')], 4],
  ['a page and the service that failed', [runError('internal'), runError('dns-failure')], 4],
] as const)('the exit code for %s is its own', (_, errors, code) => {
  expect(exitCodeOfRuns([checkOf(null), checkOf(...errors)])).toBe(code);
});
