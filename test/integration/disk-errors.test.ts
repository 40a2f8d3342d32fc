import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { databaseFile } from '../../infra/local/data-folder.ts';
import { breakDisk, noDiskErrorsHere } from '../support/disk-errors.ts';
import { unlessMissing } from '../support/skips.ts';
import { startLocalApi } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorld } from '../support/world.ts';

const folder = temporaryFolder('disk-errors');
const patience = { timeout: 30_000, interval: 500 };

const create = async (url: string) => {
  const body = JSON.stringify({ url: 'https://example.com/', auditVersion: 'latest', regions: ['us-west1'] });
  const headers = { 'content-type': 'application/json' };
  return await answerOf(await fetch(`${url}/v1/checks`, { method: 'POST', headers, body }));
};
const answerOf = async (answer: Response) => ({
  status: answer.status,
  retryAfter: answer.headers.get('retry-after'),
  ...((await answer.json()) as { id: string; detail?: string }),
});

describe('errors of the disk', unlessMissing(noDiskErrorsHere()), () => {
  test.each([
    ['syncs', 'fdatasync,fsync', '(EIO: i/o error, fdatasync|disk I/O error)'],
    ['writes', 'pwrite64,pwritev', 'disk I/O error'],
    ['writes and syncs', 'pwrite64,pwritev,fdatasync,fsync', 'disk I/O error'],
  ])(
    'refuse writes while %s fail, not reads; the service writes again after them, and keeps what it answered',
    async (name, calls, cause) => {
      const api = await startLocalApi(`${folder}/${name}`);
      const kept = [(await create(api.url)).id];
      for (const round of [1, 2]) {
        const mend = await breakDisk(api.pid, calls);
        const named = expect.stringMatching(`The table in ${folder}/${name} can't be written: ${cause}\\. .*dmesg`);
        for (let i = 0; i < 3; i++)
          expect(await create(api.url)).toMatchObject({ status: 503, retryAfter: '5', detail: named });
        expect(await answerOf(await fetch(`${api.url}/ready`))).toMatchObject({ status: 503, detail: named });
        for (const id of kept) expect((await fetch(`${api.url}/v1/checks/${id}`)).status).toBe(200);
        await mend();
        await expect.poll(async () => (await fetch(`${api.url}/ready`)).status, patience).toBe(200);
        for (let i = 0; i < 5; i++) kept.push((await create(api.url)).id);
        expect(api.output().match(/can be written again/g)).toHaveLength(round);
      }
      await api.kill();
      const after = await startLocalApi(`${folder}/${name}`);
      expect(kept).toHaveLength(11);
      for (const id of kept) expect((await fetch(`${after.url}/v1/checks/${id}`)).status).toBe(200);
      await after.kill();
    },
  );

  test('of a read is a 503 for the request that needs it, and for no later one', async () => {
    const dataDir = `${folder}/reads`;
    const world = await startWorld({}, { dataDir });
    const { path } = await world.finishedRun(JSON.stringify(randomBytes(50_000).toString('base64')), {
      gzip: gzipSync(JSON.stringify(randomBytes(50_000).toString('base64'))),
    });
    await world.stop();
    const api = await startLocalApi(dataDir);
    expect((await fetch(`${api.url}${path}`)).status).toBe(200);
    const mend = await breakDisk(api.pid, 'read,pread64', databaseFile(dataDir));
    expect((await fetch(`${api.url}${path}`)).status).toBe(503);
    await mend();
    expect((await fetch(`${api.url}${path}`)).status).toBe(200);
    await api.kill();
  });
});
