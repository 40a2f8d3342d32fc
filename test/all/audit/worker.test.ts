import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobOf } from '../../../functions/lib/queue/dispatch.ts';
import type { RunItem } from '../../../functions/lib/store/items.ts';
import { compileCache } from '../../support/compile-cache.ts';
import { outputOf } from '../../support/output.ts';
import { type Pages, servePages } from '../../support/pages.ts';
import { preparedPrograms } from '../../support/service.ts';
import { serveOnHttp } from '../../support/services-on-http.ts';
import { aCheck, startWorld, type World } from '../../support/world.ts';

let world: World;
let pages: Pages;
let http: Awaited<ReturnType<typeof serveOnHttp>>;
beforeAll(async () => {
  world = await startWorld();
  http = await serveOnHttp(world.aws);
  pages = await servePages();
});
afterAll(async () => {
  await pages.close();
  await http.close();
  await world.stop();
});

const QUEUE = 'us-west1';

/** Starts `npm run worker` on a queue of the engines. */
const startWorker = async (env: Record<string, string>) => {
  const main = new URL('../../../infra/local/worker-main.ts', import.meta.url).pathname;
  const queue = {
    QUEUE_URL: JSON.parse(http.env.AUDIT_QUEUES ?? '')[QUEUE],
    AWS_REGION: 'us-west-2',
    OPEN_SHARDS: '1',
  };
  const more = { TARGETS: 'local', SANDBOX: 'optional', CHROMIUM_DIR: await preparedPrograms(), AUDITS_AT_ONCE: '1' };
  const { PATH, HOME, CHROMIUM } = process.env;
  const worker = spawn(process.execPath, [main], {
    env: {
      ...compileCache,
      PATH,
      HOME,
      ...http.env,
      POWERTOOLS_METRICS_DISABLED: 'true',
      ...queue,
      ...more,
      ...(CHROMIUM && { CHROMIUM }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = outputOf(worker);
  const exited = once(worker, 'exit');
  return {
    output,
    stop: async () => {
      worker.kill('SIGTERM');
      return (await exited)[0] as number | null;
    },
  };
};

/** Creates a check of one page, and sends its job. */
const send = async (path: string): Promise<RunItem> => {
  const check = aCheck({ url: pages.url(path), regions: [QUEUE], categories: ['seo'] });
  const [run] = (await world.create(check)) as [RunItem];
  await world.queues.send(jobOf(run));
  return run;
};
const messages = async () => {
  const AttributeNames = ['ApproximateNumberOfMessages' as const, 'ApproximateNumberOfMessagesNotVisible' as const];
  const { Attributes } = await world.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: world.urls[QUEUE], AttributeNames }),
  );
  return Object.values(Attributes ?? {}).map(Number);
};

test('a worker audits the jobs of a queue, and lets a running audit finish when it stops', async () => {
  const [first, second] = [await send('/perfect'), await send('/perfect?waitMs=1500')];
  const worker = await startWorker({ STOP_SECONDS: '60' });
  const state = async ({ checkId }: RunItem) => (await world.runOf(checkId)).state;
  await expect.poll(() => state(first)).toBe('succeeded');
  await expect.poll(() => state(second)).toBe('running');
  expect(await worker.stop(), worker.output()).toBe(0);
  expect(await world.runOf(second.checkId)).toMatchObject({ state: 'succeeded', seo: 100, attempts: [{ code: null }] });
  expect(await messages()).toEqual([0, 0]);
});

test('a worker without time to finish releases its run, so that the sweeper resends the job', async () => {
  pages.hits.clear();
  const run = await send('/perfect?waitMs=30000');
  const worker = await startWorker({ STOP_SECONDS: '0' });
  await expect.poll(() => pages.hits.get('/perfect')).toBe(1);
  expect(await worker.stop(), worker.output()).toBe(0);
  const released = await world.runOf(run.checkId);
  expect(released).toMatchObject({ state: 'running', attempts: [] });
  expect([released.lease, Date.parse(released.dueAt ?? '') <= Date.now()]).toEqual([undefined, true]);
  expect(await messages()).toEqual([0, 0]);
});
