import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

type Mark = { id: string | null; text: string; at: string; url: string | null; checkId: string | null };
const page = 'https://shop.example/';
const json = { 'content-type': 'application/json' };
const send = (path: string, body: unknown) =>
  fetchDocumented(`${api.url}${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) });
const create = async (mark: object) => (await (await send('/v1/marks', mark)).json()) as Mark;
const list = async (query = `?url=${page}`): Promise<Mark[]> =>
  ((await (await fetchDocumented(`${api.url}/v1/marks${query}`)).json()) as { marks: Mark[] }).marks;
const textsOf = (marks: readonly Mark[]) => marks.map(({ text }) => text);
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

test('a mark of a page and one of all pages are in the marks of the page, oldest first', async () => {
  await create({ text: 'second', url: page, at: ago(2) });
  await create({ text: 'first', at: ago(3) });
  await create({ text: 'of another page', url: `${page}other`, at: ago(1) });
  expect(textsOf(await list())).toEqual(['first', 'second']);
  expect(textsOf(await list(''))).toEqual(['first']);
  expect(textsOf(await list(`?url=${page}&createdAfter=${ago(2.5)}`))).toEqual(['second']);
});

test('the same mark is made once and keeps its time, and a deleted one is gone', async () => {
  const url = `${page}once`;
  const [first, again] = [
    await send('/v1/marks', { text: 'deploy 1', url }),
    await send('/v1/marks', { text: 'deploy 1', url }),
  ];
  expect([first.status, again.status, await again.json()]).toEqual([201, 200, await first.json()]);
  const mark = (await list(`?url=${url}`)).find(({ text }) => text === 'deploy 1');
  const path = `${api.url}/v1/marks/${mark?.id}`;
  expect((await fetchDocumented(path, { method: 'DELETE' })).status).toBe(204);
  expect(textsOf(await list(`?url=${url}`))).toEqual(['first']);
  expect((await fetchDocumented(path, { method: 'DELETE' })).status).toBe(404);
});

test('a filter by a label leaves out the marks with another value of it', async () => {
  const url = `${page}labels`;
  await create({ text: 'main', url, at: ago(3), labels: { branch: 'main' } });
  await create({ text: 'other', url, at: ago(2), labels: { branch: 'other' } });
  await create({ text: 'campaign', url, at: ago(1) });
  expect(textsOf(await list(`?url=${url}&label=branch:main`))).toEqual(['first', 'main', 'campaign']);
});

test('a new commit in the labels of a check makes a mark by itself, which goes with the check', async () => {
  const report = gunzipSync(readFileSync(new URL('../recorded/reports/13.5.0.json.gz', import.meta.url)));
  const url = `${page}commits`;
  const upload = async (commit: string) => {
    const answer = await send(`/v1/reports?url=${url}&label=commit:${commit}`, JSON.parse(report.toString()));
    return ((await answer.json()) as { id: string }).id;
  };
  await upload('aaa');
  await upload('aaa');
  const id = await upload('bbb0123456789abcdef');
  await upload('bbb0123456789abcdef');
  const marks = (await list(`?url=${url}`)).filter(({ checkId }) => checkId);
  expect(marks).toEqual([expect.objectContaining({ id: null, text: 'commit bbb012345678', checkId: id, url })]);
});

test.each([
  ['no text', {}, 'text'],
  ['two lines', { text: 'a\nb' }, 'text'],
  ['a long text', { text: 'a'.repeat(101) }, 'text'],
  ['a time without its zone', { text: 'a', at: '2026-01-01T00:00:00' }, 'at'],
  ['a time of long ago', { text: 'a', at: '1999-01-01T00:00:00Z' }, 'at'],
  ['another address', { text: 'a', url: 'javascript:alert(1)' }, 'url'],
  ['a name of no label', { text: 'a', labels: { __proto__: null, 'A B': 'x' } }, 'labels'],
  ['an unknown field', { text: 'a', colour: 'red' }, 'colour'],
])('a mark with %s is a 400 that names the field', async (_, mark, field) => {
  const answer = await send('/v1/marks', mark);
  const { errors } = (await answer.json()) as { errors: { path: string }[] };
  expect([answer.status, errors[0]?.path.split('.')[0]]).toEqual([400, field]);
});
