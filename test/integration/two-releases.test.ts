import { resolve } from 'node:path';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { clientSettings } from '../../functions/lib/aws-client.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { copyNextRelease } from '../support/next-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorld } from '../support/world.ts';

const next: Release = copyNextRelease();
const here: Release = (path) => import(/* @vite-ignore */ resolve(path));
const world = await startWorld();
afterAll(() => world.stop());
const { replaceClientSettings } =
  await next<typeof import('../../functions/lib/aws-client.ts')>('functions/lib/aws-client.ts');
replaceClientSettings(clientSettings);

type Release = <Module>(path: string) => Promise<Module>;

/** Starts a process of a release on the shared table and queues. */
const start = async (load: Release) => {
  const { worldHere } = await load<typeof import('../support/world.ts')>('test/support/world.ts');
  const { createCheck } = await load<typeof import('../../functions/create-check.ts')>('functions/create-check.ts');
  const { runAudit } = await load<typeof import('../../functions/run-audit.ts')>('functions/run-audit.ts');
  const { sweep } = await load<typeof import('../../functions/sweep.ts')>('functions/sweep.ts');
  const { getCheck } = await load<typeof import('../../functions/get-check.ts')>('functions/get-check.ts');
  const { deleteCheck } = await load<typeof import('../../functions/delete-check.ts')>('functions/delete-check.ts');
  const { AuditJob } = await load<typeof import('../../shared/service/audit-job.ts')>('shared/service/audit-job.ts');
  const { raiseFormat } = await load<typeof import('../../infra/local/data-format.ts')>('infra/local/data-format.ts');
  const { refuseRollBack } =
    await load<typeof import('../../infra/operator/roll-out.ts')>('infra/operator/roll-out.ts');
  const parts = worldHere();
  const request = (more: object) => ({
    owner: 'acme',
    plan: 'large' as const,
    requestId: 'request-1',
    method: 'GET',
    path: '/',
    host: 'localhost',
    params: {},
    query: {},
    headers: {},
    body: undefined,
    ...more,
  });
  const metrics = { ...noMetrics, performance: 98 };
  const audit = async () => ({ ...emptyResult, state: 'succeeded' as const, metrics });
  const run = runAudit({ ...parts, auditors: { audit }, retryDelaysMs: [] });
  const targets = { targets: 'public' as const, ports: [443] };
  return {
    parts,
    /** Creates a check of one run, and leaves its job in the queue. Returns the id of the check. */
    create: async (): Promise<string> => {
      const body = { url: 'https://example.com/', auditVersion: 'latest', regions: ['us-west1'] };
      const deps = { ...parts, targets, retentionDays: 90, trendDays: 400 };
      const { body: created } = await createCheck(deps)(request({ body, method: 'POST' }));
      return (created as { id: string }).id;
    },
    /** Handles a message as the consumer of the queue does. */
    handle: (message: string) => run(AuditJob.parse(JSON.parse(message)), () => 600_000),
    sweep: (now: Date) => sweep({ ...parts, now: () => now })({}),
    read: async (checkId: string) => (await getCheck(parts)(request({ params: { checkId } }))).body,
    erase: (checkId: string) => deleteCheck(parts)(request({ params: { checkId }, method: 'DELETE' })),
    raise: () => raiseFormat(parts.db, new Date()),
    refuseRollBack: () => refuseRollBack(parts.db),
  };
};
type Process = Awaited<ReturnType<typeof start>>;

/** Takes all messages from the queue. */
const messages = async (): Promise<string[]> => {
  const QueueUrl = world.urls['us-west1'];
  const { Messages = [] } = await world.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  for (const { ReceiptHandle } of Messages) await world.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  return Messages.map(({ Body = '' }) => Body);
};
const items = async () => {
  const { db } = await start(next).then(({ parts }) => parts);
  return (await db.client.send(new ScanCommand({ TableName: db.table }))).Items;
};

let older: Process;
let newer: Process;
beforeEach(async () => {
  [older, newer] = [await start(here), await start(next)];
});

const expectFinished = async (reader: Process, checkId: string) =>
  expect(await reader.read(checkId)).toMatchObject({ state: 'succeeded', runs: [{ performance: 98 }] });

test('until the format is raised, each release reads the items and messages of the other', async () => {
  const [ofOlder, ofNewer] = [await older.create(), await newer.create()];
  const [first = '', second = ''] = await messages();
  expect(Object.keys(JSON.parse(second)).sort()).toEqual(Object.keys(JSON.parse(first)).sort());
  await newer.handle(first);
  await older.handle(second);
  for (const reader of [older, newer]) for (const id of [ofOlder, ofNewer]) await expectFinished(reader, id);
  expect(await older.erase(ofNewer)).toEqual({ status: 204 });
  expect(await newer.erase(ofOlder)).toEqual({ status: 204 });
});

test('a sweeper of one release resends the lost job of the other', async () => {
  const created = [
    { by: older, sweeper: newer },
    { by: newer, sweeper: older },
  ];
  for (const { by, sweeper } of created) {
    const id = await by.create();
    await messages(); // someone empties the queue
    await sweeper.sweep(new Date(Date.now() + 2 * 3600_000));
    const [job = ''] = await messages();
    await by.handle(job);
    await expectFinished(sweeper, id);
  }
});

test('after the format is raised, the newer release ends the work of the older one, and the older one writes nothing', async () => {
  const id = await older.create();
  const [running, releases] = [older, [older, newer]];
  await newer.raise();
  for (const release of releases) await release.read(id); // their processes have read the format lately
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
  await expect(running.read(id)).rejects.toThrow('format 2');
  vi.restoreAllMocks();
  newer = await start(next);
  const ofNewer = await newer.create();
  const sent = await messages();
  const [first = ''] = sent.filter((message) => message.includes(id));
  const [second = ''] = sent.filter((message) => message.includes(ofNewer));
  expect(JSON.parse(second)).toHaveProperty('requestId', 'request-1');
  await newer.handle(first);
  await expectFinished(newer, id);

  older = await start(here); // a roll back
  const before = await items();
  const refusal = 'The data have format 2, and this release knows format 1.';
  await expect(older.read(ofNewer)).rejects.toThrow(refusal);
  await expect(older.create()).rejects.toThrow(refusal);
  await expect(older.handle(first)).rejects.toThrow(refusal);
  await expect(older.sweep(new Date())).rejects.toThrow(refusal);
  await expect(older.refuseRollBack()).rejects.toThrow(`${refusal} Nothing was uploaded.`);
  await newer.refuseRollBack();
  await expect(older.raise()).rejects.toThrow(refusal);
  expect(await items()).toEqual(before);
  await newer.handle(second);
  await expectFinished(newer, ofNewer);
});

test('the start of the newer release raises the format of a data folder, and the older one refuses the folder then', async () => {
  const dataDir = temporaryFolder('two-releases');
  const startOf = async (load: Release) => {
    const { startAws } = await load<typeof import('../../infra/local/aws.ts')>('infra/local/aws.ts');
    return startAws({ dataDir, regions: ['us-west1'] });
  };
  await (await startOf(here)).close();
  await (await startOf(next)).close();
  await expect(startOf(here)).rejects.toThrow('The data have format 2, and this release knows format 1.');
  await (await startOf(next)).close();
});
