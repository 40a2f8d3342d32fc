import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { majorVersions } from '../support/major-versions.ts';
import { problemOf } from '../support/problem.ts';
import { readReport } from '../support/recorded-reports.ts';
import { aCheck, type World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi();
  world = api.world;
});
afterAll(() => api.stop());

/** Requests `screenshot` or `filmstrip` of a new run with this report. */
const open = async (json: string) => {
  const { path } = await world.finishedRun(json);
  return (form: 'screenshot' | 'filmstrip', headers = {}, method = 'GET') =>
    fetchDocumented(`${api.url}${path.replace(/report$/, form)}`, { method, headers });
};
const reportWith = (audits: object) => JSON.stringify({ audits });
/** First and last bytes of a JPEG file, in hexadecimal. */
const jpegEnds = (bytes: Buffer) => [bytes.subarray(0, 3).toString('hex'), bytes.subarray(-2).toString('hex')];
const JPEG = ['ffd8ff', 'ffd9'];

test.each(majorVersions)('a run of version $version has a screenshot and a filmstrip', async ({ version }) => {
  const get = await open(gunzipSync(readReport(version)).toString());
  const screenshot = await get('screenshot');
  expect([screenshot.status, screenshot.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  expect(screenshot.headers.get('x-content-type-options')).toBe('nosniff');
  expect(jpegEnds(Buffer.from(await screenshot.arrayBuffer()))).toEqual(JPEG);

  const { frames } = (await (await get('filmstrip')).json()) as { frames: { timing: number; image: string }[] };
  expect(frames.length).toBeGreaterThanOrEqual(8);
  const timings = frames.map(({ timing }) => timing);
  expect(timings).toEqual(timings.toSorted((a, b) => a - b));
  for (const { image } of frames) expect(jpegEnds(Buffer.from(image.split(',')[1] ?? '', 'base64'))).toEqual(JPEG);
});

test('an image that the client has cached is a 304, and HEAD has no body', async () => {
  const get = await open(gunzipSync(readReport('13.5.0')).toString());
  for (const form of ['screenshot', 'filmstrip'] as const) {
    const head = await get(form, {}, 'HEAD');
    const etag = head.headers.get('etag') as string;
    expect([head.status, await head.text()]).toEqual([200, '']);
    const cached = await get(form, { 'if-none-match': etag });
    expect([cached.status, cached.headers.get('etag'), await cached.text()]).toEqual([304, etag, '']);
  }
  const etags = [await get('screenshot'), await get('filmstrip')].map(({ headers }) => headers.get('etag'));
  expect(new Set(etags).size).toBe(2);
});

test.each([
  ['no images', {}],
  ['an empty filmstrip', { 'final-screenshot': {}, 'screenshot-thumbnails': { details: { items: [] } } }],
  ['an image of another type', { 'final-screenshot': { details: { data: 'data:text/html;base64,PGI+' } } }],
])('a report with %s is a 404', async (_, audits) => {
  const get = await open(reportWith(audits));
  await problemOf(await get('screenshot'), 404, 'report-unavailable');
  await problemOf(await get('filmstrip'), 404, 'report-unavailable');
});

test('an unfinished run is a 409, and an unknown run a 404', async () => {
  const check = aCheck();
  const [run] = await world.create(check);
  const at = (runId?: string) => fetchDocumented(`${api.url}/v1/checks/${check.id}/runs/${runId}/screenshot`);
  await problemOf(await at(run?.id), 409, 'report-not-ready');
  await problemOf(await at(check.id), 404, 'not-found');
});
