import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { synthesizedAnew } from '../infra/support.ts';
import { workerVariablesOf } from '../infra/worker-variables.ts';
import { compileCache } from '../support/compile-cache.ts';
import { outputOf } from '../support/output.ts';
import { type Pages, servePages } from '../support/pages.ts';
import { preparedPrograms } from '../support/service.ts';
import { tableDefinition } from '../support/table-definition.ts';
import { aCheck, worldHere } from '../support/world.ts';
import { awsEnv } from './aws-env.ts';

const { region: stack, environment } = synthesizedAnew('dev', { workers: { instances: 2, spot: true } });
const { names } = environment;
const variables = workerVariablesOf(stack);
const aws = () => awsEnv(inject('motoUrl'));

let pages: Pages;
let world: ReturnType<typeof worldHere>;
let queueUrl: string;
beforeAll(async () => {
  pages = await servePages();
  Object.assign(process.env, aws(), variables, { TARGETS: 'local', AUTH: 'open' });
  await new DynamoDBClient({}).send(new CreateTableCommand(tableDefinition(variables.TABLE_NAME as string)));
  const LocationConstraint = 'us-west-2';
  await new S3Client({}).send(
    new CreateBucketCommand({ Bucket: variables.REPORT_BUCKET, CreateBucketConfiguration: { LocationConstraint } }),
  );
  const queueOf = async (QueueName: string) =>
    (await new SQSClient({}).send(new CreateQueueCommand({ QueueName }))).QueueUrl as string;
  queueUrl = await queueOf(names.auditQueue('us-west1'));
  process.env.AUDIT_QUEUES = JSON.stringify({ 'us-west1': queueUrl });
  process.env.DEAD_LETTER_QUEUES = JSON.stringify({ 'us-west1': await queueOf(names.deadLetters('us-west1')) });
  process.env.DELIVERY_QUEUE = await queueOf(names.deliveryQueue);
  world = worldHere();
});
afterAll(() => pages?.close());

test('the worker of an instance, with the variables of the template, drains the queue of its region', async () => {
  const checks = ['/perfect', '/perfect?2', '/perfect?3'].map((path) =>
    aCheck({ url: pages.url(path), regions: ['us-west1'], categories: ['seo'] }),
  );
  for (const check of checks) {
    const [run] = (await world.create(check)) as [RunItem];
    await world.queues.send(jobOf(run));
  }
  const { PATH, HOME, CHROMIUM, DELIVERY_QUEUE } = process.env;
  const ofMachine = {
    PATH,
    HOME,
    ...compileCache,
    CHROMIUM_DIR: await preparedPrograms(),
    ...(CHROMIUM && { CHROMIUM }),
  };
  // moto has other URLs than AWS, its pages are on loopback, and the sandbox depends on this machine.
  const changed = { QUEUE_URL: queueUrl, DELIVERY_QUEUE, TARGETS: 'local', SANDBOX: 'optional', AUDITS_AT_ONCE: '1' };
  const main = fileURLToPath(new URL('../../infra/local/worker-main.ts', import.meta.url));
  const worker = spawn(process.execPath, [main], {
    env: { ...ofMachine, ...aws(), ...variables, ...changed, POWERTOOLS_METRICS_DISABLED: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = outputOf(worker);
  const exited = once(worker, 'exit');
  const jobs = () => world.queues.count('us-west1');
  await expect.poll(jobs, { timeout: 300_000, message: output() }).toEqual({ waiting: 0, received: 0 });
  worker.kill('SIGTERM');
  expect((await exited)[0], output()).toBe(0);
  for (const { id } of checks) {
    const run = await world.runOf(id);
    expect(run, output()).toMatchObject({ state: 'succeeded', seo: 100, report: { key: expect.any(String) } });
    expect((await world.reports.get(run.report?.key as string)).length).toBeGreaterThan(1000);
  }
});
