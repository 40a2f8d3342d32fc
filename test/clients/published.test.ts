import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCli } from '../../infra/bundle/cli.ts';
import { type Api, startApi } from '../support/api.ts';
import { needsOlderNode, olderNode } from '../support/older-node.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { World } from '../support/world.ts';

const publishedWith = (node: string, args: string[], url?: string, more = {}) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const env = { PATH: process.env.PATH, ...(url && { PAGE_AUDIT_URL: url }), ...more };
    const child = execFile(node, [join(folder, 'page-audit.mjs'), ...args], { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });

test('the published command says which Node.js it needs to an older one', needsOlderNode, async () => {
  const [version = '', major, minor] =
    /(\d+)\.(\d+)\.\d+/.exec(`${spawnSync(olderNode as string, ['-v']).stdout}`) ?? [];
  const isTooOld = Number(major) < 22 || (Number(major) === 22 && Number(minor) < 13);
  const refused = { code: 4, stdout: '', stderr: `This is Node.js ${version}. Install 22.13 or later.\n` };
  const shown = { code: 0, stderr: '', stdout: expect.stringContaining('Usage: page-audit') };
  expect(await publishedWith(olderNode as string, ['--help'])).toEqual(isTooOld ? refused : shown);
});

describe('the published command', () => {
  const published = (args: string[], url?: string) => publishedWith(process.execPath, args, url);

  test('shows its help, and says that it has no service inside', async () => {
    expect(await published(['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: page-audit'),
    });
    const alone = await published(['run', 'https://example.com/']);
    expect(alone).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^This package has no service inside. Set PAGE_AUDIT_URL.*\nTo get one, .* docker run /,
      ),
    });
  });

  test('names the variable of a proxy that it does not use, where the service can not be reached', async () => {
    const proxy = { HTTPS_PROXY: 'http://127.0.0.1:9' };
    const ask = async (env: object) =>
      (await publishedWith(process.execPath, ['list'], 'http://127.0.0.1:9', env)).stderr;
    expect(await ask(proxy)).toMatch(/can't be reached.* proxy of HTTPS_PROXY only with NODE_USE_ENV_PROXY=1\.$/m);
    expect(await ask({ ...proxy, NODE_USE_ENV_PROXY: '1' })).not.toContain('proxy of');
  });

  test.each([
    ['lighthouserc.mjs', 'export default await Promise.resolve('],
    ['module/lighthouserc.js', 'export default await Promise.resolve('],
    ['lighthouserc.cjs', 'module.exports = ('],
  ])('loads %s, which begins with %j', async (name, start) => {
    mkdirSync(join(configs, 'module'), { recursive: true });
    writeFileSync(join(configs, 'module/package.json'), '{ "type": "module" }');
    const file = join(configs, name);
    writeFileSync(file, `${start}{ ci: { assert: { assertions: { 'image-alt': 'error', bypass: 'fatal' } } } });`);
    const url = 'ftp://example.com'; // is refused after the file was read
    const { code, stderr } = await published(['run', url, '--assert', file], api.url);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/bypass: "fatal" is no level[\s\S]*ftp:\/\/example\.com is no URL/),
    ]);
  });

  test('reads a check and its report in every format', async () => {
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

test('the package of `npm pack` installs into an empty folder, and its command and its tools use a service', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'page-audit-installed-'));
  try {
    const options = { cwd: empty, env: { ...process.env, npm_config_update_notifier: 'false' } };
    const npm = async (...args: string[]) => (await execFileAsync('npm', args, options)).stdout;
    const [{ filename, files }] = JSON.parse(await npm('pack', folder, '--json'));
    expect(files.map(({ path }: { path: string }) => path).sort()).toEqual([
      ...['LICENSE', 'README.md', 'package.json', 'page-audit.mjs'],
    ]);
    await npm('install', '--offline', '--no-audit', '--no-fund', `./${filename}`);
    const env = { PATH: process.env.PATH ?? '', PAGE_AUDIT_URL: api.url };
    const installed = async (...args: string[]) =>
      (await execFileAsync(join(empty, 'node_modules/.bin/page-audit'), args, { env })).stdout;
    expect(await installed('--version')).toMatch(
      /^\d+\.\d+\.\d+\nThe service at http:\/\/127\.0\.0\.1:\d+ has the version \d+\.\d+\.\d+\.\n$/,
    );
    const id = (await installed('run', 'https://example.com/', '--detach')).trim();
    expect((await api.client.get(id)).url).toBe('https://example.com/');
    const agent = new Client({ name: 'test', version: '1' });
    const command = join(empty, 'node_modules/.bin/page-audit');
    await agent.connect(new StdioClientTransport({ command, args: ['mcp'], env }));
    const { structuredContent } = await agent.callTool({ name: 'get_check', arguments: { checkId: id } });
    expect(structuredContent).toMatchObject({ checkId: id, page: `${api.url}/checks/${id}` });
    await agent.close();
  } finally {
    rmSync(empty, { recursive: true });
  }
});

test('only a package with a scope can be published', async () => {
  const manifest = async (name: string) => JSON.parse(readFileSync(join(name, 'package.json'), 'utf8'));
  expect(await manifest(folder)).toMatchObject({
    name: 'page-audit',
    private: true,
    bin: { 'page-audit': 'page-audit.mjs' },
  });
  const scoped = mkdtempSync(join(tmpdir(), 'page-audit-scoped-'));
  try {
    await buildCli(scoped, '@acme');
    const published = await manifest(scoped);
    expect(published).toMatchObject({ name: '@acme/page-audit' });
    expect(published).not.toHaveProperty('private');
    expect(published).not.toHaveProperty('types');
  } finally {
    rmSync(scoped, { recursive: true });
  }
  await expect(buildCli(scoped, 'acme')).rejects.toThrow('acme is no scope of npm.');
});

const execFileAsync = promisify(execFile);

const configs = temporaryFolder('configs');
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
