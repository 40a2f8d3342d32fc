import { ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { PurgeQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect } from 'vitest';
import { ownerHash } from '../../functions/lib/owner-hash.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { functionRows } from '../../shared/service/functions.ts';
import { type Deployed, environment, functionName, REGION } from './deployed.ts';
import {
  audited,
  concurrencyOf,
  configurationOf,
  create,
  itemIn,
  keyOf,
  mappingsOf,
  newRun,
  queueOf,
  writersNow,
} from './deployed-state.ts';

const { names, homeRegion } = environment;
const RESTORED = `${names.table}-restored`;

type Run = (more?: Record<string, string>) => Promise<{ stdout: string; stderr: string }>;
type Cure = [part: string, shows: (aws: Deployed, run: Run) => Promise<void>];

const changesMapping = (part: string, state: string): Cure => [
  part,
  async (aws, run) => {
    await run();
    expect(await mappingsOf(aws, functionName.audit)).toEqual([state]);
  },
];
let beforePause: Awaited<ReturnType<typeof writersNow>>;
let damaged: RunItem;

/** A part of each command, and what shows its effect. The order is that of a bad night: only a paused table is restored. */
export const cures: Cure[] = [
  ['E=prod', async (_, run) => expect(await run()).toEqual({ stdout: '', stderr: '' })],
  [
    'regions -- pause',
    async (aws, run) => {
      await run();
      const refused = await create(aws);
      expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true]);
      expect(await refused.text()).toContain(REGION);
    },
  ],
  ['regions -- list', async (_, run) => expect((await run()).stdout).toMatch(new RegExp(`${REGION}.*paused since`))],
  [
    'regions -- resume',
    async ({ world }, run) => {
      await run();
      expect(await world.regions.read([REGION])).toMatchObject([{ pausedAt: null }]);
    },
  ],
  changesMapping('--no-enabled', 'Disabled'),
  changesMapping(' --enabled', 'Enabled'),
  [
    'wake',
    async (aws, run) => {
      const { world } = aws;
      const { checkId } = await newRun(aws);
      await world.sqs.send(new PurgeQueueCommand({ QueueUrl: world.urls[REGION] }));
      expect((await run()).stdout).not.toContain('errorMessage');
      const { handler } = await import('../../functions/sweep.ts');
      await handler();
      expect((await world.jobsIn(REGION)).map((job) => job.checkId)).toContain(checkId);
    },
  ],
  [
    'start-message-move-task',
    async (aws, run) => {
      const job = jobOf(await newRun(aws));
      const { QueueUrl } = await queueOf(aws, names.deadLetters(REGION));
      await aws.world.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(job) }));
      await run();
      expect(await aws.world.jobsIn(REGION)).toContainEqual(job);
      expect((await queueOf(aws, names.deadLetters(REGION))).messages).toBe(0);
    },
  ],
  [
    'npm run -s open',
    async (aws, run) => {
      const { checkId } = await newRun(aws);
      expect((await run()).stdout).toContain(checkId);
    },
  ],
  [
    'filter-log-events',
    async ({ call }, run) => {
      const names = { logGroupName: `/aws/lambda/${functionName.audit}`, logStreamName: 'instance' };
      const log = (operation: string, body: object) =>
        call(['logs', homeRegion], { target: `Logs_20140328.${operation}`, body });
      await log('CreateLogGroup', names).catch(() => {}); // moto makes some groups by itself
      await log('CreateLogStream', names);
      const timestamp = Date.now();
      const logEvents = ['first', 'second'].map((runId) => ({ timestamp, message: JSON.stringify({ runId }) }));
      await log('PutLogEvents', { ...names, logEvents });
      expect((await run({ ID: 'second' })).stdout.trim()).toBe('{"runId":"second"}');
    },
  ],
  [
    'keys -- list',
    async ({ world }, run) => {
      await world.newKey({ owner: 'shop' });
      expect((await run()).stdout).toContain(ownerHash('shop'));
    },
  ],
  [
    'keys -- revoke',
    async ({ world, api }, run) => {
      const { key, text } = await world.newKey({ owner: 'shop' });
      await run({ PREFIX: key.prefix });
      const refused = await fetch(`${api.url}/v1/checks`, { headers: { authorization: `Bearer ${text}` } });
      expect(refused.status).toBe(401);
    },
  ],
  [
    'npm run pause',
    async (aws, run) => {
      damaged = await newRun(aws);
      beforePause = await writersNow(aws);
      await run();
      const { concurrency, mappings, policies } = await writersNow(aws);
      expect([new Set(concurrency), new Set(mappings)]).toEqual([new Set([0]), new Set(['Disabled'])]);
      for (const policy of policies) expect(policy).toContain('sqs:ReceiveMessage');
    },
  ],
  [
    '--at 2026-11-26T14:05:00Z',
    async (aws, run) => {
      await run();
      expect(await itemIn(aws, RESTORED, damaged)).toBeDefined();
    },
  ],
  [
    'aws dynamodb put-item',
    async (aws, run) => {
      const whole = await itemIn(aws, names.table, damaged);
      await aws.dynamodb.send(new PutItemCommand({ TableName: names.table, Item: keyOf(damaged) }));
      await run({ PK: keyOf(damaged).pk.S, SK: keyOf(damaged).sk.S });
      expect(await itemIn(aws, names.table, damaged)).toEqual(whole);
    },
  ],
  [
    '--replace',
    async (aws, run) => {
      const later = await newRun(aws); // stands for what was written after the time of the restore
      await run();
      expect(await itemIn(aws, names.table, damaged)).toBeDefined();
      expect(await itemIn(aws, names.table, later)).toBeUndefined();
      await run(); // an operator may repeat it
      const { TimeToLiveDescription: expiry } = await aws.call(['dynamodb', homeRegion], {
        target: 'DynamoDB_20120810.DescribeTimeToLive',
        body: { TableName: names.table },
      });
      expect(expiry).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expiresAt' });
    },
  ],
  [
    'npm run resume',
    async (aws, run) => {
      await run();
      expect(await writersNow(aws)).toEqual(beforePause);
    },
  ],
  [
    'delete-table',
    async ({ dynamodb }, run) => {
      await run();
      expect((await dynamodb.send(new ListTablesCommand({}))).TableNames).not.toContain(RESTORED);
    },
  ],
  ['npm run -s smoke', async (aws, run) => expect((await audited(aws, run())).stdout).toMatch(/us-west1 .* passed\n$/)],
  [
    'canary --cli-binary-format',
    async (aws, run) => expect((await audited(aws, run())).stdout).not.toContain('errorMessage'),
  ],
  [
    '--description',
    async (aws, run) => {
      await run();
      expect(await configurationOf(aws, functionName.audit)).toMatchObject({
        Description: expect.stringMatching(/^functions\/run-audit\.ts, instances replaced 20.+Z$/),
      });
    },
  ],
  [
    '--memory-size',
    async (aws, run) => {
      await run();
      const { MemorySize } = await configurationOf(aws, functionName.audit);
      expect(MemorySize).toBe(functionRows['run-audit'].memoryMb);
    },
  ],
  [
    'put-function-concurrency',
    async (aws, run) => {
      await run();
      expect(await concurrencyOf(aws, functionName.wait)).toBe(5);
    },
  ],
  [
    'enable-rule',
    async ({ call }, run) => {
      for (const F of ['canary', 'sweep'] as const) {
        await run({ F });
        const body = { Name: `rule-of-${functionName[F]}` };
        const { State } = await call(['events', homeRegion], { target: 'AWSEvents.DescribeRule', body });
        expect(State).toBe('ENABLED');
      }
    },
  ],
  [
    'purge-queue',
    async (aws, run) => {
      const { QueueUrl } = await queueOf(aws, names.lostDeliveries);
      await aws.world.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}' }));
      await run();
      expect((await queueOf(aws, names.lostDeliveries)).messages).toBe(0);
    },
  ],
  [
    'npm run cost',
    async (_, run) => expect((await run()).stdout).toContain('Estimated dollars per 1,000 runs in prod.'),
  ],
];
