import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { createCheck } from '../../functions/create-check.ts';
import type { Request } from '../../functions/lib/http/endpoint.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import { closeIfFinished } from '../../functions/lib/store/closing.ts';
import { type Db, getItem } from '../../functions/lib/store/dynamodb.ts';
import { usageKey } from '../../functions/lib/store/items.ts';
import { leaseStore } from '../../functions/lib/store/leases.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { later, startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const t0 = new Date('2131-01-01T12:00:00.000Z');
const end = later(t0, 1);
const body = {
  url: 'https://preview.example.com/',
  auditVersion: 'latest',
  regions: ['us-west1'],
  samples: 'auto',
  against: { url: 'https://www.example.com/' },
};
const create = async (owner: string, sent: object = body, now = t0): Promise<string> => {
  const deps = { ...world, targets: { targets: 'public' as const, ports: [443] }, retentionDays: 90, trendDays: 400 };
  const reply = await createCheck({ ...deps, now: () => now })({
    owner,
    plan: 'small',
    requestId: randomUUID(),
    method: 'POST',
    path: '/v1/checks',
    params: {},
    query: {},
    headers: {},
    body: sent,
  } as unknown as Request);
  return (reply.body as { id: string }).id;
};
const report = { gzip: gzipSync('{}'), bytes: 2 };
const steady: AuditResult = {
  ...emptyResult,
  state: 'succeeded',
  report,
  metrics: { ...noMetrics, performance: 90, fcp: 900, tti: 900, lcp: 1500, tbt: 0, cls: 0 },
};
/** Audits the page of a check, and leaves the check to be closed. */
const audit = async (checkId: string, store: Db = world.db): Promise<void> => {
  const deps = { ...world, leases: leaseStore(store), auditors: { audit: async () => steady }, now: () => end };
  await runAudit({ ...deps, retryDelaysMs: [0] })(jobOf(await world.runOf(checkId)), () => 600_000);
};
const usageOf = async (owner: string) => {
  const usage = (await getItem(world.db, usageKey(owner))) ?? {};
  const { minute, day } = usage['tokens-small'] as { minute: number; day: number };
  return { minute, day, marks: Object.keys((usage.refunded as object | undefined) ?? {}).length };
};
/** A table that lets `act` decide about each call. */
const tableWith = (act: (command: unknown, send: () => Promise<unknown>) => Promise<unknown>): Db => {
  const { client } = world.db;
  const send = (command: never) => act(command, () => client.send(command));
  return { ...world.db, client: Object.create(client, { send: { value: send } }) };
};
const down = new Error('DynamoDB is unavailable');
/** A table whose queries fail once a run is finished, so that its check stays open. */
const noClosing = () => {
  let ended = false;
  return tableWith((command, send) => {
    if (ended && command instanceof QueryCommand) return Promise.reject(down);
    ended ||= command instanceof UpdateCommand && command.input.UpdateExpression?.includes('#finishedAt') === true;
    return send();
  });
};

test('a check with automatic samples counts by the audits that it used, when it ends', async () => {
  const owner = `owner-${randomUUID()}`;
  const id = await create(owner);
  expect(await usageOf(owner)).toMatchObject({ minute: 12 - 24, day: 200 - 24 });
  await audit(id);
  const { item, runs } = await world.find(id);
  expect(runs[0]).toMatchObject({ state: 'succeeded', turns: { pairs: 5, stopped: 'clear' }, samples: { length: 5 } });
  expect(item.completedAt).not.toBeNull();
  expect(await usageOf(owner)).toEqual({ minute: 12 - 10, day: 200 - 10, marks: 0 });
});

test.each(['before', 'after'])(
  'a worker that dies %s any write of the closing returns the tokens once',
  async (when) => {
    for (let nth = 1; ; nth++) {
      const owner = `owner-${randomUUID()}`;
      const id = await create(owner);
      await audit(id, noClosing());
      let writes = 0;
      let died = false;
      const dying = tableWith(async (command, send) => {
        if (died) throw down;
        died = !(command instanceof GetCommand || command instanceof QueryCommand) && ++writes === nth;
        if (died && when === 'after') await send();
        if (died) throw down;
        return send();
      });
      await closeIfFinished(dying, id, end).catch(() => {});
      const { day } = await usageOf(owner);
      expect([200 - 24, 200 - 10]).toContain(day);
      expect(await closeIfFinished(world.db, id, end)).toBe(true);
      expect(await usageOf(owner), `${when} write ${nth}`).toMatchObject({ minute: 12 - 10, day: 200 - 10 });
      if (!died) {
        expect(writes).toBeGreaterThan(4);
        return;
      }
      // A mark that a dead worker has left goes with a later refund.
      const next = await create(owner, body, later(end, 3600));
      await audit(next, noClosing());
      await closeIfFinished(world.db, next, later(end, 3600));
      expect((await usageOf(owner)).marks).toBe(0);
    }
  },
);

test('a worker that closes late returns no tokens again, whenever it stood still', async () => {
  for (let nth = 1; ; nth++) {
    const owner = `owner-${randomUUID()}`;
    const id = await create(owner);
    await audit(id, noClosing());
    let calls = 0;
    const late = tableWith(async (_, send) => {
      if (++calls === nth) await closeIfFinished(world.db, id, end); // meanwhile another one closes the check
      return send();
    });
    await closeIfFinished(late, id, end);
    expect(await usageOf(owner), `before call ${nth}`).toEqual({ minute: 12 - 10, day: 200 - 10, marks: 0 });
    if (calls < nth) return;
  }
});

test('a check whose second variant is missing is refused with what to do', async () => {
  const { against, ...alone } = body;
  await expect(create('anna', alone)).rejects.toMatchObject({
    errors: [{ path: 'samples', message: expect.stringContaining('Add the second variant in `against`') }],
  });
});
