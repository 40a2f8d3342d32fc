import { expect, test } from 'vitest';
import type { Client } from '../../clients/api/client.ts';
import { exitCodeOfRuns } from '../../clients/cli/exit-codes.ts';
import { conclude } from '../../clients/cli/run/follow.ts';
import { runError } from '../../shared/problems.ts';
import type { RunView } from '../../shared/run.ts';
import { checkWith, failed, resultOf } from '../support/check-results.ts';
import { commandContext } from '../support/command-context.ts';

const checkOf = (...errors: RunView['error'][]) => ({ runs: errors.map((error) => ({ error }) as RunView) });

test.each([
  ['no failed run', [null, null], 0],
  ['a page that failed', [null, runError('dns-failure')], 3],
  ['a service that failed', [null, runError('internal')], 4],
  ['a page and the service that failed', [runError('internal'), runError('dns-failure')], 4],
] as const)('the exit code for %s is its own', (_, errors, code) => {
  expect(exitCodeOfRuns([checkOf(null), checkOf(...errors)])).toBe(code);
});

test.each([
  [
    'dns-failure',
    undefined,
    { https_proxy: 'http://proxy.example:3128' },
    "Audits don't use the proxy of https_proxy.",
  ],
  ['dns-failure', undefined, {}, ''],
  ['http-error', undefined, { https_proxy: 'http://proxy.example:3128' }, ''],
  ['dns-failure', 'http://127.0.0.1:4080', { https_proxy: 'http://proxy.example:3128' }, ''],
] as const)('a run with %s of the service %s and the environment %o has the note %j', async (code, url, env, note) => {
  const { context, shown } = commandContext(url);
  const results = [resultOf(checkWith({ 'us-west1': failed(code) }))];
  const ending = { timeout: 1, format: 'text', isGate: true, write: async () => {} } as const;
  expect(await conclude({ ...context, env }, {} as Client, results, ending)).toBe(3);
  expect(shown.stderr).toBe(note && `${note} They audit pages that this machine reaches directly.\n`);
});
