import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getExplanation } from '../../functions/get-explanation.ts';
import { CheckExplanation } from '../../shared/explanation/schema.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { largerImage, reportedCheck } from '../support/explained-checks.ts';
import { problemOf } from '../support/problem.ts';
import { aCheck, type World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi();
  world = api.world;
});
afterAll(() => api.stop());

const explain = (id: string, query = '') => fetchDocumented(`${api.url}/v1/checks/${id}/explanation${query}`);

const { fast, slow } = largerImage();
const finishedCheck = (results: Parameters<typeof reportedCheck>[1]) => reportedCheck(world, results);

test('each region in common is explained by its own two reports', async () => {
  const base = await finishedCheck({ 'us-west1': fast, 'us-east4': fast, 'europe-north1': fast });
  const id = await finishedCheck({ 'us-west1': slow, 'us-east4': fast, 'europe-north1': undefined });
  const answer = await explain(id, `?base=${base}`);
  expect(answer.status).toBe(200);
  const { regions, ...rest } = CheckExplanation.strict().parse(await answer.json());
  expect(rest).toEqual({ checkId: id, baseCheckId: base, comparable: false });
  expect(Object.keys(regions)).toEqual(['us-west1', 'us-east4']);
  expect(regions['us-west1']?.sentence).toMatch(/^LCP is 4\.0 s slower .*image \/hero\.png is 802 KiB larger/);
  expect(regions['us-east4']?.sentence).toBe('No metric has a clear change.');
});

test('a label as base is explained by the newest check that has it', async () => {
  const base = await reportedCheck(world, { 'us-west1': fast }, { branch: 'main' });
  await world.store.closeIfFinished(base, new Date());
  const id = await finishedCheck({ 'us-west1': slow });
  const answer = await explain(id, '?base=label:branch=main&pool=2');
  const { baseCheckId, regions } = (await answer.json()) as CheckExplanation;
  expect(baseCheckId).toBe(base);
  expect(regions['us-west1']?.sentence).toMatch(/^LCP is 4\.0 s slower/);
});

test('a difference within the noise gets no story', async () => {
  const base = await finishedCheck({ 'us-west1': { ...fast, lcps: [1500, 5500] } });
  const id = await finishedCheck({ 'us-west1': { ...slow, lcps: [5500, 1500] } });
  const { regions } = (await (await explain(id, `?base=${base}`)).json()) as CheckExplanation;
  expect(regions['us-west1']).toMatchObject({ sentence: 'No metric has a clear change.', mainThread: [] });
});

test('a secret that a page has in an address is masked', async () => {
  const base = await finishedCheck({ 'us-west1': fast });
  const report = slow.report.replaceAll('/hero.png', '/hero.png?api_key=hush-hush-hush');
  const id = await finishedCheck({ 'us-west1': { ...slow, report } });
  const text = await (await explain(id, `?base=${base}`)).text();
  expect(text).toContain('/hero.png?api_key=[redacted]');
  expect(text).not.toContain('hush');
});

test('each explanation that is impossible has an answer of its own', async () => {
  const id = await finishedCheck({ 'us-west1': fast });
  const elsewhere = await finishedCheck({ 'us-east4': fast });
  const large = await finishedCheck({ 'us-west1': { ...fast, bytes: 65 * 1024 * 1024 } });
  const unfinished = aCheck({ regions: ['us-west1'] });
  await world.create(unfinished);
  expect(await problemOf(await explain(id), 400, 'invalid-request')).toMatchObject({
    errors: [{ path: 'base', message: expect.stringContaining('Send base=<id of an earlier check>') }],
  });
  await problemOf(await explain(id, '?with=x'), 400, 'invalid-request');
  await problemOf(await explain(id, `?base=${id}`), 400, 'invalid-request');
  await problemOf(await explain(id, `?base=${randomUUID()}`), 404, 'not-found');
  await problemOf(await explain(randomUUID(), `?base=${id}`), 404, 'not-found');
  await problemOf(await explain(id, `?base=${elsewhere}`), 422, 'not-comparable');
  await problemOf(await explain(id, `?base=${unfinished.id}`), 409, 'report-not-ready');
  expect(await problemOf(await explain(id, `?base=${large}`), 422, 'not-comparable')).toMatchObject({
    detail: expect.stringContaining('has 65 MiB'),
  });
});

test('a report that has expired is a 404 that says so, and of two large reports one is in memory', async () => {
  const base = await finishedCheck({ 'us-west1': fast });
  const id = await finishedCheck({ 'us-west1': slow });
  let [open, most] = [0, 0];
  const get = async (key: string) => {
    open += 1;
    most = Math.max(most, open);
    const found = await world.reports.get(key);
    open -= 1;
    return found;
  };
  const request = {
    owner: 'anonymous',
    plan: 'large' as const,
    requestId: 'r',
    method: 'GET',
    path: '/',
    params: { checkId: id },
    query: { base },
    headers: {},
    body: undefined,
    host: 'localhost',
  };
  const reply = await getExplanation({ ...world, reports: { ...world.reports, get } })(request);
  expect([reply.status, most]).toEqual([200, 1]);
  for (const key of await world.reports.keysOf(base, 90)) await world.reports.delete(key);
  expect(await problemOf(await explain(id, `?base=${base}`), 404, 'report-unavailable')).toMatchObject({
    detail: expect.stringContaining('The report has expired'),
  });
});
