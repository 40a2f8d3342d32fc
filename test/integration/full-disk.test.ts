import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { FULL } from '../support/full.ts';
import { unlessMissing } from '../support/skips.ts';
import { noDiskHere, startLocalApi } from '../support/small-disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
afterAll(() => rmSync(folder, { recursive: true }));

const create = async (url: string) => {
  const body = JSON.stringify({ url: 'https://example.com/', auditVersion: 'latest', regions: ['us-west1'] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/checks`, { method: 'POST', headers, body });
  const { id = '', detail } = (await answer.json()) as { id?: string; detail?: string };
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), id, detail };
};
const readiness = async (url: string) => {
  const answer = await fetch(`${url}/ready`);
  return { status: answer.status, detail: ((await answer.json()) as { detail?: string }).detail };
};
const statusOf = async (url: string, id: string) => (await fetch(`${url}/v1/checks/${id}`)).status;

describe('on a disk of 32 MB', unlessMissing(noDiskHere()), () => {
  test('a full disk refuses writes, not reads; the service writes again when there is room, and keeps every check', async () => {
    const api = await startLocalApi(folder, { mount: 'size=32m' });
    const kept: string[] = [];
    const fill = () => {
      try {
        writeFileSync(api.pathOf('filler'), Buffer.alloc(40 * 2 ** 20));
      } catch {} // the disk is full now
    };
    for (const round of FULL ? [1, 2] : [1]) {
      kept.push((await create(api.url)).id);
      fill();
      const full = expect.stringMatching(`The disk of ${folder} has [0-9] MiB free`);
      expect(await readiness(api.url)).toEqual({ status: 503, detail: full }); // before any write has failed
      let refused = await create(api.url); // the first writes may fit into the last page of the log
      for (; refused.status === 201; refused = await create(api.url)) kept.push(refused.id);
      const cause = expect.stringMatching(`The table in ${folder} can't be written: database or disk is full`);
      expect(refused).toMatchObject({ status: 503, retryAfter: '5', detail: cause });
      expect(await readiness(api.url)).toEqual({ status: 503, detail: cause });
      for (let i = 0; i < 5; i++) expect((await create(api.url)).status).toBe(503);
      expect(await statusOf(api.url, kept[0] as string)).toBe(200);
      rmSync(api.pathOf('filler'));
      const patience = { interval: 500 };
      await expect.poll(async () => (await create(api.url)).status, patience).toBe(201);
      expect(await readiness(api.url)).toEqual({ status: 200 });
      expect(api.output().match(/can't be written: .*disk is full/g)).toHaveLength(round);
      expect(api.output().match(/can be written again/g)).toHaveLength(round);
    }
    for (let i = 0; i < 20; i++) kept.push((await create(api.url)).id);
    const copy = join(folder, 'copy');
    cpSync(api.pathOf(''), copy, { recursive: true });
    await api.kill();

    const after = await startLocalApi(copy);
    for (const id of kept) expect(await statusOf(after.url, id)).toBe(200);
    expect(after.output()).not.toMatch(/damaged/);
    await after.kill();
  }, 60_000);

  test('a start on a full disk names the folder, the free space and what to do', async () => {
    const api = await startLocalApi(folder, { mount: 'size=8m' });
    expect(api.url).toMatch(/^not started: The disk of \S+ has [78] MiB free, .* needs 16 MiB .*\. Free some space/);
  });

  test('a start on a disk that can not be written names the folder, the cause and what to do', async () => {
    const api = await startLocalApi(folder, { mount: 'ro' });
    expect(api.url).toMatch(/^not started: \S+ can't be used: EROFS: read-only file system.*\. Make it writable .*\n$/);
  });
});
