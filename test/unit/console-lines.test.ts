import { expect, test } from 'vitest';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { consoleLines } from '../../infra/local/console-lines.ts';
import { runError } from '../../shared/problems.ts';
import { aCheck } from '../support/world.ts';

const check = aCheck({ url: 'https://example.com/page?token=secret', regions: ['us-west1'] });
const run = { ...check.runs[0], checkId: check.id } as RunItem;
const job = {
  checkId: check.id,
  runId: run.id,
  region: run.region,
  correlationId: 'c',
  owner: 'anonymous',
  createId: 'c',
};
const where = 'us-west1             https://example.com/page?[redacted]';

/** Lines of one message whose run is read as `atStart` and then as `atEnd`. */
const linesOf = async (atStart: RunItem | Error | undefined, atEnd: RunItem | Error | undefined, body?: string) => {
  const printed: string[] = [];
  const reads = [atStart, atEnd];
  const findRunOfAnyOwner = async () => {
    const read = reads.shift();
    if (read instanceof Error) throw read;
    return read;
  };
  const onMessage = consoleLines({
    store: { findRunOfAnyOwner },
    url: 'http://127.0.0.1:4080',
    print: (line) => printed.push(line),
  });
  const record = { body: body ?? JSON.stringify(job) };
  await onMessage(record, 'started');
  await onMessage(record, 'ended', 6.54);
  return printed;
};

const report = { key: 'reports/key', bytes: 1, gzipBytes: 1 };
const succeeded: RunItem = { ...run, state: 'succeeded', performance: 98, report };
const failed: RunItem = { ...run, state: 'failed', error: runError('dns-failure') };
const took = `6.5 s  check ${check.id}`;
const away = new Error('DynamoDB is away');

test.each([
  [
    'succeeded',
    succeeded,
    `✓ ${where}  succeeded  performance 98  ${took}  report http://127.0.0.1:4080/v1/audit/runs/${run.id}/report`,
  ],
  ['failed', failed, `✗ ${where}  failed  dns-failure: The host name does not resolve to an address.  ${took}`],
  ['is unfinished', run, `↩ ${where}  released  ${took}`],
  ['was erased', undefined, `⌫ ${where}  erased  ${took}`],
  ['can not be read', away, `↩ ${where}  released  ${took}`],
] as const)('the lines of a run that %s name its page, its check and its report', async (_, atEnd, last) => {
  expect(await linesOf(run, atEnd)).toEqual([`▶ ${where}  Lighthouse 13.5.0`, last]);
});

test('a run that can not be read has lines with its id', async () => {
  const unknown = `us-west1             run ${run.id}`;
  expect(await linesOf(away, away)).toEqual([`▶ ${unknown}`, `↩ ${unknown}  released  ${took}`]);
  expect(await linesOf(undefined, undefined)).toEqual([`▶ ${unknown}`, `⌫ ${unknown}  erased  ${took}`]);
});

test('a line shows no character that steers the terminal', async () => {
  const url = 'https://example.com/\u202e\u{1f600}';
  const error = runError('internal', { detail: 'The audit failed: \u001b[2J\u009b1A\r\nhello' });
  const [first, last] = await linesOf({ ...run, url }, { ...failed, url, error });
  expect(first).toContain('https://example.com/%E2%80%AE%F0%9F%98%80');
  expect(last).toContain('internal: The audit failed: \ufffd[2J\ufffd1A hello');
});

test.each(['no job', '{}', 'null'])('the message %s, which is no job, has no line', async (body) => {
  expect(await linesOf(run, run, body)).toEqual([]);
});
