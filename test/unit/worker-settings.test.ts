import { expect, test } from 'vitest';
import { auditsAtOnceFrom } from '../../infra/local/start-settings.ts';
import { workerSettingsFrom } from '../../infra/local/worker-settings.ts';

const QUEUE_URL = 'https://sqs.eu-north-1.amazonaws.com/123456789012/prod-audits-europe-north1';
const needed = {
  QUEUE_URL,
  TABLE_NAME: 'prod',
  HOME_REGION: 'us-west-2',
  REPORT_BUCKET: 'reports',
  DELIVERY_QUEUE: QUEUE_URL,
  OPEN_SHARDS: '8',
};

test('a worker takes the region from the URL of its queue, and requires the sandbox', () => {
  const settings = workerSettingsFrom({ ...needed, AUDITS_AT_ONCE: '3' });
  expect(settings).toMatchObject({ queueUrl: QUEUE_URL, awsRegion: 'eu-north-1', auditsAtOnce: 3, stopMs: 20_000 });
  expect(settings.env).toMatchObject({ SANDBOX: 'required' });
});

test('the queue of another endpoint needs the region', () => {
  const local = { ...needed, QUEUE_URL: 'http://127.0.0.1:4566/000000000000/audits' };
  expect(workerSettingsFrom({ ...local, AWS_REGION: 'us-west-2' }).awsRegion).toBe('us-west-2');
  expect(() => workerSettingsFrom(local)).toThrow(/QUEUE_URL: The URL of the queue names no region.* Set AWS_REGION/);
});

test('without settings, a worker does not start and names each setting that it needs', () => {
  const start = () => workerSettingsFrom({});
  for (const name of Object.keys(needed)) expect(start).toThrow(`\n  ${name}: Use `);
  expect(start).toThrow('The worker did not start, because these settings are invalid.');
});

test.each([
  ['QUEUE_URL', 'prod-audits'],
  ['HOME_REGION', 'us-west1'],
  ['OPEN_SHARDS', '0'],
  ['SANDBOX', 'off'],
  ['STOP_SECONDS', '-1'],
])('a worker with a wrong %s does not start', (name, value) => {
  expect(() => workerSettingsFrom({ ...needed, [name]: value })).toThrow(`  ${name}: Use `);
});

test.each([
  ['two CPUs and 24 GiB', 1, 24, Infinity, 2],
  ['four CPUs and 7.7 GiB', 2, 7.7, Infinity, 2],
  ['64 CPUs and 24 GiB', 32, 24, Infinity, 12],
  ['64 CPUs in the container of compose.yaml', 32, 6, 2048, 3],
  ['64 CPUs, much memory and 2,048 processes', 32, 256, 2048, 8],
  ['less than one audit needs', 1, 1.5, 100, 1],
])('with %s, memory and processes bound the audits at once', (_, TIMED_AT_ONCE, gib, processes, expected) => {
  expect(auditsAtOnceFrom({ TIMED_AT_ONCE }, { memoryBytes: gib * 2 ** 30, processes })).toBe(expected);
  expect(auditsAtOnceFrom({ TIMED_AT_ONCE, AUDITS_AT_ONCE: 5 }, { memoryBytes: gib * 2 ** 30, processes })).toBe(5);
});
