import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Build, buildStore } from '../../functions/lib/store/builds.ts';
import { updateItem } from '../../functions/lib/store/dynamodb.ts';
import { ifExists } from '../../functions/lib/store/expressions.ts';
import { reports } from '../../functions/lib/store/reports.ts';
import { faultOf } from '../../infra/local/backup/item-schemas.ts';
import { ReportReadEnv } from '../../shared/service/env.ts';
import { partitions } from '../../shared/service/partitions.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { type Faults, faultsBefore, isOfObjects, isTableWrite } from '../support/faulty-services.ts';

let api: Api;
let writes: Faults;
let project: string;
beforeAll(async () => {
  api = await startApi();
  writes = faultsBefore(
    api.world.aws.handle,
    (request) => isTableWrite(request) || (isOfObjects(request) && request.method !== 'GET'),
  );
  await api.world.aws.connect(writes.handle);
  project = (await body(await post('/lookup', { token: 'any' }))).id;
});
afterEach(() => writes.heal());
afterAll(() => api.stop());

// biome-ignore lint/suspicious/noExplicitAny: answers in the form of another server
type Any = any;
const lhr = JSON.parse(
  gunzipSync(readFileSync(new URL('../recorded/reports/12.8.2.json.gz', import.meta.url))).toString(),
);
const json = { 'content-type': 'application/json' };
const body = (answer: Response): Promise<Any> => answer.json();
const post = (path: string, sent: unknown) =>
  fetchDocumented(`${api.url}/v1/projects${path}`, { method: 'POST', body: JSON.stringify(sent), headers: json });
const begin = (hash: string) => post(`/${project}/builds`, { lifecycle: 'unsealed', branch: 'main', hash });
const add = (build: string, lcp: number, page = 'http://localhost/') => {
  const report = structuredClone(lhr);
  report.audits['largest-contentful-paint'].numericValue = lcp;
  return post(`/${project}/builds/${build}/runs`, { url: page, lhr: JSON.stringify(report) });
};
const seal = (build: string) =>
  fetchDocumented(`${api.url}/v1/projects/${project}/builds/${build}/lifecycle`, {
    method: 'PUT',
    body: '"sealed"',
    headers: json,
  });
/** Returns the samples of each check of a build. */
const samplesOf = async (build: string): Promise<number[]> => {
  const { checks } = await body(await fetch(`${api.url}/v1/checks?label=build:${build}`));
  return checks.map(({ samples }: Any) => samples ?? 1);
};
const checksOf = async (build: string): Promise<string[]> =>
  (await body(await fetch(`${api.url}/v1/checks?label=build:${build}`))).checks.map(({ id }: Any) => id);
const itemsUnder = async (...begins: string[]) => {
  const { Items = [] } = await api.world.db.client.send(new ScanCommand({ TableName: api.world.db.table }));
  return Items.filter(({ pk }) => begins.some((each) => String(pk).startsWith(each)));
};
/** Expects that nothing waits for a seal, and that a check has as many objects as reports. */
const expectNothingLeft = async (build: string) => {
  expect(await itemsUnder(`${partitions.upload}${build}`)).toEqual([]);
  expect((await itemsUnder(partitions.unsealed)).filter(({ sk }) => sk === build)).toEqual([]);
  const [id = ''] = await checksOf(build);
  const [samples] = await samplesOf(build);
  expect(await reports(ReportReadEnv.parse(process.env)).keysOf(id, 90)).toHaveLength(samples ?? 0);
};
const begun = async (): Promise<string> => (await body(await begin(randomUUID()))).id;

/** Acts before the n-th write from now on. */
const beforeWrite = (nth: number, act: () => Promise<unknown>) => {
  let count = 0;
  writes.before(async () => {
    if (++count === nth) await act();
  });
};

test('a report beside a seal is in the sealed build or refused, whichever write the seal comes before', async () => {
  const outcomes = new Set<string>();
  for (let nth = 1; nth <= 5; nth++) {
    const build = await begun();
    expect((await add(build, 1000)).status).toBe(200);
    let sealed: Response | undefined;
    beforeWrite(nth, async () => {
      sealed = await seal(build);
    });
    const { status } = await add(build, 2000);
    writes.heal();
    expect([(sealed ?? (await seal(build))).status, (await seal(build)).status]).toEqual([204, 204]);
    expect([nth, status, await samplesOf(build)]).toEqual([nth, status, status === 200 ? [2] : [1]]);
    await expectNothingLeft(build);
    outcomes.add(`${status}`);
  }
  expect([...outcomes].sort()).toEqual(['200', '422']);
});

test('reports that are posted while their build is sealed are in it or refused', async () => {
  for (let round = 0; round < 3; round++) {
    const build = await begun();
    await add(build, 1000);
    const posted = Array.from({ length: 6 }, (_, i) => add(build, 2000 + i));
    const seals = Array.from({ length: 3 }, async () => {
      await posted[round];
      return seal(build);
    });
    expect((await Promise.all(seals)).map(({ status }) => status)).toEqual([204, 204, 204]);
    const statuses = (await Promise.all(posted)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 422)).toEqual([]);
    expect(await samplesOf(build)).toEqual([1 + statuses.filter((status) => status === 200).length]);
    await expectNothingLeft(build);
  }
});

test('the same report at once, and again after its answer was lost, is one report', async () => {
  const build = await begun();
  const answers = await Promise.all(Array.from({ length: 5 }, () => add(build, 1000)));
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
  await seal(build);
  expect(await samplesOf(build)).toEqual([1]);
  await expectNothingLeft(build);
});

test.each(['a write', 'the answer of a write'])(
  'a build whose upload loses %s at any step is right after a repeat',
  async (what) => {
    const lose = (nth: number) => (what === 'a write' ? writes.failAfter(nth - 1) : writes.loseResponseOf(nth));
    const steps: [string, (hash: string, build: () => Promise<string>) => Promise<Response>][] = [
      ['begin', (hash) => begin(hash)],
      ['first', async (_, build) => add(await build(), 1000)],
      ['second', async (_, build) => add(await build(), 2000)],
      ['seal', async (_, build) => seal(await build())],
    ];
    for (const [step, act] of steps) {
      for (let nth = 1; ; nth++) {
        const hash = randomUUID();
        const build = async () =>
          (await body(await fetch(`${api.url}/v1/projects/${project}/builds?hash=${hash}`)))[0].id;
        for (const [name, before] of steps) {
          if (name === step) break;
          expect((await before(hash, build)).status).toBeLessThan(300);
        }
        lose(nth);
        const answer = await act(hash, step === 'begin' ? async () => '' : build);
        const isOver = writes.passed() < nth && answer.ok;
        writes.heal();
        expect([step, nth, answer.status]).toEqual([
          step,
          nth,
          expect.toSatisfy((status) => [200, 204, 500, 503].includes(status)),
        ]);
        for (const [, after] of steps.slice(steps.findIndex(([name]) => name === step) + (answer.ok ? 1 : 0)))
          expect([step, nth, (await after(hash, build)).status]).toEqual([
            step,
            nth,
            expect.toSatisfy((status) => status < 300),
          ]);
        const id = await build();
        expect([step, nth, await samplesOf(id)]).toEqual([step, nth, [2]]);
        await expectNothingLeft(id);
        if (isOver) break;
      }
    }
  },
  120_000,
);

test('a seal that was cut off is completed by the next upload of the commit', async () => {
  const hash = randomUUID();
  const { id } = await body(await begin(hash));
  await add(id, 1000);
  writes.failAfter(2);
  expect((await seal(id)).status).toBeGreaterThanOrEqual(500);
  writes.heal();
  expect(await body(await add(id, 2000))).toMatchObject({ code: 'invalid-build' });
  expect(await body(await begin(hash))).toMatchObject({ code: 'invalid-build' });
  expect(await samplesOf(id)).toEqual([1]);
  expect(await body(await fetch(`${api.url}/v1/projects/${project}/builds/${id}`))).toMatchObject({
    lifecycle: 'sealed',
  });
  await expectNothingLeft(id);
});

test('a project has the base branch that its owner sets, also against most builds', async () => {
  const set = async (sent: unknown) =>
    fetchDocumented(`${api.url}/v1/projects/${project}`, { method: 'PUT', body: JSON.stringify(sent), headers: json });
  const { id: base } = await body(
    await post(`/${project}/builds`, { lifecycle: 'unsealed', branch: 'develop', hash: 'base' }),
  );
  const { id } = await body(await begin(randomUUID()));
  const ancestor = async () => (await body(await fetch(`${api.url}/v1/projects/${project}/builds/${id}/ancestor`))).id;
  expect(await ancestor()).not.toBe(base);
  expect(await body(await set({ baseBranch: 'develop' }))).toMatchObject({ id: project, baseBranch: 'develop' });
  expect(await body(await post('/lookup', { token: 'any' }))).toMatchObject({ baseBranch: 'develop' });
  expect(await ancestor()).toBe(base);
  expect((await itemsUnder(partitions.build)).flatMap(({ pk, sk, ...item }) => faultOf(pk, sk, item) ?? [])).toEqual(
    [],
  );
  expect(await body(await set({ baseBranch: null }))).toMatchObject({ baseBranch: 'main' });
  for (const wrong of [{ baseBranch: '' }, { baseBranch: 'a', name: 'b' }, {}])
    expect((await set(wrong)).status).toBe(400);
});

test('an owner leaves a bounded number and size of builds unsealed, and those of the day before end', async () => {
  const entries = buildStore(api.world.db);
  const { id: left } = await body(await begin(randomUUID()));
  await add(left, 1000);
  const checkId = String((await itemsUnder(`${partitions.upload}${left}`))[0]?.sk).split('#')[1] as string;
  const entry = (id: string) => ({ pk: `${partitions.unsealed}anonymous`, sk: id });
  for (let i = (await entries.unsealed('anonymous')).length; i < 500; i++) {
    const fields = { id: randomUUID(), createdAt: new Date().toISOString(), expiresAt: Date.now() / 1000 + 3600 };
    await entries.putUnsealed('anonymous', fields as Build);
  }
  const refused = await begin(randomUUID());
  expect([refused.status, refused.headers.get('retry-after'), (await body(refused)).detail]).toEqual([
    ...[429, '60', expect.stringContaining('500 unsealed builds')],
  ]);
  expect((await add(left, 2000)).status).toBe(200); // what has begun goes on
  await updateItem(api.world.db, entry(left), { set: { since: '2020-01-01T00:00:00.000Z' }, ...ifExists });
  const { id: last } = await body(await begin(randomUUID()));
  expect((await fetch(`${api.url}/v1/projects/${project}/builds/${left}`)).status).toBe(404);
  expect(await itemsUnder(`${partitions.upload}${left}`)).toEqual([]);
  expect(await reports(ReportReadEnv.parse(process.env)).keysOf(checkId, 90)).toEqual([]);
  await updateItem(api.world.db, entry(last), { set: { bytes: 10_000_000_000 }, ...ifExists });
  expect(await body(await add(last, 1000))).toMatchObject({
    status: 429,
    detail: expect.stringContaining('10000 MB in unsealed builds'),
  });
});
