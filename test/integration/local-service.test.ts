import { setTimeout as sleep } from 'node:timers/promises';
import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunItem } from '../../functions/lib/store/items.ts';
import type { Lease } from '../../functions/lib/store/leases.ts';
import { startService } from '../../infra/local/service.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { aCheck, worldHere } from '../support/world.ts';

const printed: string[] = [];
const dataDir = temporaryFolder('local-service');
let service: Awaited<ReturnType<typeof startService>>;
let world: ReturnType<typeof worldHere>;
beforeAll(async () => {
  service = await startService(await serviceSettings(dataDir), (line) => printed.push(line));
  world = worldHere();
  await service.prepared;
}, 60_000);
afterAll(async () => {
  world.sqs.destroy();
  await service.stop();
});

test('an invalid message from another local program stops nothing and prints no line', async () => {
  const QueueUrl = world.urls['us-west1'];
  const before = printed.length; // lines about the machine
  const junk = ['no job', '{}', 'null'];
  for (const MessageBody of junk) await world.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  const names = ['ApproximateNumberOfMessages' as const, 'ApproximateNumberOfMessagesNotVisible' as const];
  const ask = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: names });
  const waiting = async () => {
    const { Attributes } = await world.sqs.send(ask);
    return names.map((name) => Attributes?.[name]);
  };
  await expect.poll(() => waiting()).toEqual(['0', '3']); // each returns later, and becomes a dead letter after three deliveries
  const id = crypto.randomUUID();
  expect((await fetch(`${service.url}/v1/checks/${id}`)).status).toBe(404);
  expect(printed.slice(before)).toEqual([]);
});

const BEFORE_THE_END_OF_A_WAIT = { timeout: 20_000 };
test('the write that finishes a check wakes its waiting client', BEFORE_THE_END_OF_A_WAIT, async () => {
  const check = aCheck({ regions: ['us-west1'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = (await world.leases.claim(run, crypto.randomUUID(), new Date())) as Lease;
  const answer = fetch(`${service.url}/v1/checks/${check.id}`, { headers: { prefer: 'wait=25' } });
  await sleep(600); // the wait has begun
  await world.leases.finish(lease, { state: 'failed', attempts: [] }, new Date());
  expect(await (await answer).json()).toMatchObject({ state: 'failed' });
});

test('the service sends reports of any size itself, because clients can not reach its bucket', async () => {
  const { path } = await world.finishedRun(JSON.stringify({ text: 'a'.repeat(33 * 2 ** 20) }));
  const as = (accept: string) =>
    fetch(`${service.url}${path}`, { headers: { accept, 'accept-encoding': 'identity' }, redirect: 'manual' });
  const answer = await as('application/json');
  expect(answer.status).toBe(200);
  expect(((await answer.json()) as { text: string }).text).toHaveLength(33 * 2 ** 20);
  const page = await as('text/html');
  expect([page.status, (await page.text()).length > 33 * 2 ** 20]).toEqual([200, true]);
});
