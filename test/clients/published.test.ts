import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCli } from '../../infra/build/cli.ts';
import { type Api, startApi } from '../support/api.ts';
import { needsOlderNode, olderNode } from '../support/older-node.ts';
import type { World } from '../support/world.ts';

describe.each([
  ['the Node.js of the packages', process.execPath],
  ['an older Node.js', olderNode],
])('the published command with %s', (_, node) => {
  const needsNode = node === process.execPath ? {} : needsOlderNode;
  const published = (args: string[], url?: string) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const env = { PATH: process.env.PATH, ...(url && { PAGE_AUDIT_URL: url }) };
      const child = execFile(
        node as string,
        [join(folder, 'page-audit.mjs'), ...args],
        { env },
        (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
      );
    });

  test('shows its help, and says that it has no service inside', needsNode, async () => {
    expect(await published(['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: page-audit'),
    });
    const alone = await published(['run', 'https://example.com/']);
    expect(alone).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^This package has no service inside. Set PAGE_AUDIT_URL/),
    });
  });

  test('reads a check and its report in every format', needsNode, async () => {
    const { check, run } = await world.finishedRun(
      JSON.stringify({ auditVersion: '13.5.0', categories: {}, audits: {} }),
    );
    for (const format of ['text', 'json', 'markdown', 'junit', 'csv']) {
      const { code, stdout, stderr } = await published(['get', check.id, '--format', format], api.url);
      expect([code, stderr, stdout.includes('us-west1')], format).toEqual([0, '', true]);
    }
    expect((await published(['list'], api.url)).stdout).toContain(check.id);
    expect(JSON.parse((await published(['report', run.id], api.url)).stdout)).toMatchObject({ auditVersion: '13.5.0' });
  });
});

let folder: string;
let world: World;
let api: Api;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'page-audit-published-'));
  await buildCli(folder);
  api = await startApi();
  ({ world } = api);
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true });
});
