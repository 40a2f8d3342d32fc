import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Request } from '../../functions/lib/http/endpoint.ts';
import { toHttpResult } from '../../functions/lib/http/response.ts';
import { exportRuns } from '../../functions/lib/http/run-export.ts';
import { updateItem } from '../../functions/lib/store/dynamodb.ts';
import { ifExists } from '../../functions/lib/store/expressions.ts';
import { type RunItem, trendKey } from '../../functions/lib/store/items.ts';
import { type ListedCheck, listKeyOf, type Position } from '../../functions/lib/store/lists.ts';
import { seriesRun } from '../../shared/summaries.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { finishRun } from '../support/finished-checks.ts';
import { problemOf } from '../support/problem.ts';
import { aCheck, later } from '../support/world.ts';

const exec = promisify(execFile);
let api: Api;
beforeAll(async () => {
  api = await startApi({ AUTH: 'keys' });
});
afterAll(() => api.stop());

/** Each test has an owner of its own. */
let [owner, key] = ['', ''];
beforeEach(async () => {
  owner = `owner-${randomUUID().slice(0, 8)}`;
  key = (await api.world.newKey({ owner })).text;
});

/** A time at which every check of a test is old enough for an export. */
const t0 = new Date(Date.now() - 3600_000);
const createdAt = (seconds: number, inputs: Parameters<typeof aCheck>[0] = {}): Promise<RunItem[]> =>
  api.world.create(aCheck({ now: later(t0, seconds), ...inputs }), { owner });
const finish = async (runs: readonly RunItem[]) => {
  for (const run of runs) await finishRun(api.world, run, { lcps: [900] });
};
const finished = async (...created: Parameters<typeof createdAt>): Promise<string[]> => {
  const runs = await createdAt(...created);
  await finish(runs);
  return runs.map(({ id }) => id);
};

const get = async (query = '', accept = 'application/x-ndjson') =>
  fetchDocumented(`${api.url}/v1/runs${query}`, { headers: { accept, authorization: `Bearer ${key}` } });
type Line = { id: string; checkId: string; unreadable?: true; [name: string]: unknown };
const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const read = async (query = '') => {
  const answer = await get(query);
  expect(answer.status, await answer.clone().text()).toBe(200);
  const lines = linesOf(await answer.text());
  expect(answer.headers.get('run-count')).toBe(`${lines.length}`);
  const { cursor, endedBy, link } = {
    cursor: answer.headers.get('next-cursor') as string,
    endedBy: answer.headers.get('export-ended-by'),
    link: answer.headers.get('link'),
  };
  return { lines, ids: lines.map(({ id }) => id), cursor, endedBy, link };
};

/** The command of the crontab in API.md, as cron runs it. */
const cronLine = async (): Promise<string> => {
  const text = await readFile(new URL('../../shared/API.md', import.meta.url), 'utf8');
  const [, line = ''] = /```crontab\n(?:\S+ ){5}(.+)\n```/.exec(text) ?? [];
  return line.replaceAll('\\%', '%').replace('http://127.0.0.1:4080', api.url);
};

test('the cron line of API.md exports each run once, also one that ends after later ones', async () => {
  const home = await mkdtemp(join(tmpdir(), 'export-'));
  await exec('mkdir', [join(home, 'audits')]);
  const line = await cronLine();
  const [file, position] = [join(home, 'audits/runs.ndjson'), join(home, 'audits/position')];
  const exported = async () => {
    await exec('sh', ['-c', line], { env: { PATH: process.env.PATH, HOME: home, API_KEY: key } });
    return linesOf(await readFile(file, 'utf8')).map(({ id }) => id);
  };
  await writeFile(position, `createdAfter=${later(t0, 5).toISOString()}\n`);
  expect(await exported()).toEqual([]);

  await finished(0); // before the time at which the export begins
  const first = await finished(10);
  const late = await createdAt(20);
  const third = await finished(30);
  expect(await exported()).toEqual(first);
  expect(await exported()).toEqual(first);
  await finish(late);
  const all = [...first, ...late.map(({ id }) => id), ...third];
  expect(await exported()).toEqual(all);
  expect(await exported()).toEqual(all);

  // A refused call changes neither the file nor the position.
  const before = await readFile(position, 'utf8');
  await appendFile(position, 'x');
  await expect(exported()).rejects.toThrow();
  await writeFile(position, before);
  const last = await finished(40);
  expect(await exported()).toEqual([...all, ...last]);
});

test('an answer says why it ended, and where the next one begins', async () => {
  expect(await read()).toMatchObject({ lines: [], endedBy: 'end', link: null });
  const [first, second] = [await finished(10), await finished(20)];
  const [open] = await createdAt(30);
  const page = await read('?limit=1');
  expect(page).toMatchObject({ ids: first, endedBy: 'limit' });
  expect(page.link).toBe(`</v1/runs?limit=1&cursor=${page.cursor}>; rel="next"`);
  const rest = await read(`?cursor=${page.cursor}`);
  expect(rest).toMatchObject({ ids: second, endedBy: `unfinished-check ${open?.checkId}`, link: null });
  expect(await read(`?cursor=${rest.cursor}`)).toMatchObject({ ids: [], cursor: rest.cursor });
});

test('a check is exported only when no earlier one can appear any more', async () => {
  await finished(3600 + 600); // newer than 30 seconds, however slow the machine is
  expect(await read()).toMatchObject({ ids: [], endedBy: 'end' });
});

test('the filters of runs apply, and a cursor stays within its owner', async () => {
  const [ofMain = '', ofMainToo = ''] = await finished(10, { labels: { branch: 'main' } });
  const other = await finished(20, { url: 'https://example.com/other', device: 'desktop' });
  expect((await read('?label=branch:main')).ids).toEqual([ofMain, ofMainToo]);
  expect((await read('?region=us-east4&label=branch:main')).ids).toEqual([ofMainToo]);
  expect((await read('?url=https://example.com/other')).ids).toEqual(other);
  expect((await read('?device=desktop')).ids).toEqual(other);
  expect((await read(`?createdBefore=${later(t0, 20).toISOString()}`)).ids).toEqual([ofMain, ofMainToo]);
  const { cursor } = await read('?limit=1');
  key = (await api.world.newKey({ owner: 'another' })).text;
  expect(await read(`?cursor=${cursor}`)).toMatchObject({ ids: [] });
});

test('a line has the fields of a run of the list, without links', async () => {
  await finished(10, { regions: ['us-west1'] });
  const { lines } = await read();
  const list = await get('?url=https://example.com/', 'application/json');
  const { runs } = (await list.json()) as { runs: Line[] };
  const [{ links: _, ...run } = {} as Line] = runs;
  expect(lines).toEqual([run]);
});

test('a run that can not be read is a line that says so', async () => {
  const [run] = await createdAt(10);
  await finish(await api.world.find(run?.checkId as string).then(({ runs }) => runs));
  const damage = { set: { listed: new Uint8Array([1, 2, 3]) }, ...ifExists };
  await updateItem(api.world.db, trendKey(run?.checkId as string, run?.id as string), damage);
  const { lines } = await read();
  expect(lines.filter(({ unreadable }) => unreadable)).toEqual([
    { id: run?.id, checkId: run?.checkId, createdAt: run?.createdAt, unreadable: true },
  ]);
  expect(lines).toHaveLength(2);
});

test.for([
  ['?every=day', 'every'],
  ['?limit=1001', 'limit'],
  ['?cursor=', 'cursor'],
  ['?cursor=bm90IGEgY3Vyc29y', 'cursor'],
  ['?createdAfter=yesterday', 'createdAfter'],
])('%s is refused by the name of the parameter', async ([query, path]) => {
  const answer = await get(query);
  expect((await problemOf(answer, 400, 'invalid-request')).errors).toMatchObject([{ path }]);
});

test('an answer of the longest lines stays within the limit of Lambda, and the next ones have the rest', async () => {
  const labels = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`name-${i}`, '"😀'.repeat(42)]));
  const url = `https://example.com/${'a'.repeat(2000)}`;
  const checks = Array.from({ length: 900 }, (_, i) =>
    aCheck({ now: later(t0, i), url, labels, regions: ['us-west1'] }),
  );
  const runsOf = ({ id: checkId, runs }: (typeof checks)[0]) =>
    runs.map((run) => ({ ...seriesRun({ ...run, checkId, labels }), runExpiresAt: 0, position: 0, locations: {} }));
  const lists = {
    checks: async (_: string, { after = '' }, limit: number) => {
      const left = checks.filter((check) => listKeyOf(check) > after);
      const entries = left.slice(0, limit) as unknown as ListedCheck[];
      return {
        entries,
        last: entries.length ? listKeyOf(entries.at(-1) as Position) : undefined,
        more: left.length > limit,
      };
    },
    runsOfCheck: async (_: string, checkId: string) => checks.filter(({ id }) => id === checkId).flatMap(runsOf),
  };
  const ids: string[] = [];
  let rawQuery = '';
  for (let answers = 0; answers < 5; answers++) {
    const request = { owner, path: '/v1/runs', rawQuery, headers: {} } as unknown as Request;
    const reply = await exportRuns(request, lists, new Date());
    expect(JSON.stringify(toHttpResult(reply)).length).toBeLessThan(6_000_000);
    ids.push(...linesOf(reply.body as string).map(({ id }) => id));
    if (reply.headers?.['export-ended-by'] === 'end') break;
    rawQuery = `cursor=${reply.headers?.['next-cursor']}`;
  }
  expect(rawQuery).not.toBe('');
  expect(ids).toEqual(checks.flatMap(({ runs }) => runs.map(({ id }) => id)));
});
