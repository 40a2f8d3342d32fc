import { expect, test } from 'vitest';
import { emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { getCheck } from '../../functions/get-check.ts';
import { formats } from '../../functions/lib/store/format.ts';
import { pageStore } from '../../functions/lib/store/listed-pages.ts';
import { listStore } from '../../functions/lib/store/lists.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { faultOf } from '../../infra/local/backup/item-schemas.ts';
import type { CheckView } from '../../shared/check.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { AuditJob } from '../../shared/service/audit-job.ts';
import {
  putItems,
  readFormats,
  recordedAt,
  recordedOf,
  shapeOf,
  stored,
  withBytes,
  writeItems,
} from '../support/recorded-items.ts';
import { startWorld } from '../support/world.ts';

test.each(readFormats)('items and messages of format %i are read, listed, audited and erased', async (format) => {
  await using world = await startWorld();
  const recorded = recordedOf(format);
  await putItems(world, recorded);
  const { db } = world;
  const lists = listStore(db);
  const { entries: checks } = await lists.checks('acme', {}, 10, recordedAt);
  expect(checks).toHaveLength(3);
  expect(checks.filter((each) => 'unreadable' in each)).toEqual([]);
  const { entries: runs } = await lists.runs('acme', 'https://example.com/', {}, 10, recordedAt);
  expect(runs.map((each) => 'state' in each && each.state).sort()).toEqual(['failed', 'succeeded']);
  expect((await pageStore(db).list('acme', recordedAt)).results).toHaveLength(2);
  expect((await world.keys.list()).unreadable).toEqual([]);
  expect(await world.webhooks.list('acme')).toHaveLength(1);

  const audit = async () => ({
    ...emptyResult,
    state: 'succeeded' as const,
    metrics: { ...noMetrics, performance: 98 },
  });
  const work = runAudit({ ...world, auditors: { audit }, retryDelaysMs: [], now: () => recordedAt });
  for (const message of recorded.messages) await work(AuditJob.parse(JSON.parse(message)), () => 600_000);
  const request = { owner: 'acme', requestId: 'r', method: 'GET', path: '/', query: {}, headers: {}, body: undefined };
  const states: string[] = [];
  for (const { id } of checks as { id: string }[]) {
    const { body } = await getCheck(world)({ ...request, params: { checkId: id } });
    states.push((body as CheckView).state);
  }
  expect(states.sort()).toEqual(['partial', 'running', 'succeeded']);
  for (const item of (await stored(world)).items) expect(faultOf(item.pk, item.sk, withBytes(item))).toBeUndefined();
  for (const { id } of checks as { id: string }[]) {
    await world.erasure.markErased((await world.find(id)).item, recordedAt);
    await world.erasure.eraseRemains(id);
  }
  expect((await stored(world)).items.filter(({ sk }) => /^(RUN|TREND)/.test(sk))).toEqual([]);
});

test('this release writes the items and messages that are recorded of its format', async () => {
  await using world = await startWorld();
  await writeItems(world);
  const advice =
    'If the release before can not read the change, raise the format (.github/CONTRIBUTING.md). Then record: npm run record -- test/record/items.test.ts';
  expect(shapeOf(await stored(world)), advice).toEqual(shapeOf(recordedOf(formats.newest)));
});
