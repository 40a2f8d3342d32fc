import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileCache } from '../support/compile-cache.ts';
import { shortReport, startFakeService } from '../support/fake-service.ts';

let service: Awaited<ReturnType<typeof startFakeService>>;
let folder: string;
let gate: string;
beforeAll(async () => {
  service = await startFakeService({ report: () => ({ ...shortReport, text: 'x'.repeat(100_000) }) });
  folder = mkdtempSync(join(tmpdir(), 'page-audit-streams-'));
  const rc = join(folder, 'rc.json');
  const assertions = { 'categories:performance': ['error', { minScore: 0.9 }] };
  writeFileSync(rc, JSON.stringify({ ci: { assert: { assertions } } }));
  mkdirSync(join(folder, 'folder.json'));
  gate = `run https://shop.example/ --assert ${rc}`; // the assertion fails
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service[Symbol.asyncDispose]();
});

/** Runs the command in a shell, followed by redirections. Returns its exit code and what reached stdout and stderr. */
const shell = (command: string, redirections = '', { file = 'clients/cli/main.ts', before = '' } = {}) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const line = `${before} "${process.execPath}" ${file} ${command} ${redirections}; exit \${PIPESTATUS[0]}`;
    const { PATH = '', HOME = '' } = process.env;
    const env = { ...compileCache, PATH, HOME, PAGE_AUDIT_URL: service.url, DATA_DIR: join(folder, 'data') };
    const child = execFile('bash', ['--norc', '-c', line], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin?.end();
  });

const lostStdout = /^Standard output can't be written \(ENOSPC/m;

describe.concurrent('a failed write is never a success', () => {
  test.each([
    ['> /dev/full', 4, '', lostStdout],
    ['2> /dev/full', 4, /✘ Performance: score 0\.2, .*\nStandard error can't be written \(ENOSPC.*\n$/, ''],
    ['| true', 1, '', /succeeded\n$/],
    ['>&-', 1, '', /succeeded\n$/],
  ] as const)('a failed gate with %s is exit code %i', async (redirections, code, stdout, stderr) => {
    expect(await shell(gate, redirections)).toEqual({
      code,
      stdout: stdout === '' ? '' : expect.stringMatching(stdout),
      stderr: stderr === '' ? '' : expect.stringMatching(stderr),
    });
  });

  test.each([['--help'], ['mcp <<< \'{"jsonrpc":"2.0","id":1,"method":"ping"}\'']])(
    '`page-audit %s > /dev/full` is exit code 4',
    async (command) => {
      expect(await shell(command, '> /dev/full')).toMatchObject({ code: 4, stderr: expect.stringMatching(lostStdout) });
    },
  );

  test.each([
    ['clients/action/main.ts', 4],
    ['infra/operator/cost.ts', 1],
  ])('%s > /dev/full is exit code %i', async (file, code) => {
    const result = await shell('', '> /dev/full', { file });
    expect(result).toMatchObject({ code, stderr: expect.stringMatching(lostStdout) });
    expect(result.stderr).not.toMatch(/^ {4}at /m);
  });

  test('a file that takes only a part of a report is exit code 4', async () => {
    const before = 'trap "" XFSZ; ulimit -f 64;'; // KiB
    const { code, stderr } = await shell('report 1', `> ${join(folder, 'part.json')}`, { before });
    expect([code, stderr]).toEqual([4, expect.stringMatching(/^Standard output can't be written \(EFBIG/)]);
  });

  test('a message that is lost is on stdout', async () => {
    const { code, stdout } = await shell('nothing', '2> /dev/full');
    expect([code, stdout]).toEqual([4, expect.stringMatching(/^Standard error can't be written/)]);
  });

  test('an output file on a full disk keeps no other output from its results', async () => {
    const full = join(folder, 'full.json');
    symlinkSync('/dev/full', full);
    const text = join(folder, 'a.txt');
    const { code, stdout, stderr } = await shell(gate, `--output ${full} --output ${text}`);
    expect([code, stdout]).toEqual([4, expect.stringContaining('✘ Performance')]);
    expect(stderr).toContain(`${full} can't be written (ENOSPC`);
    expect(readFileSync(text, 'utf8')).toContain('✘ Performance');
  });

  test.each([
    ['a folder', 'folder.json', /is a folder/],
    ['in a place without files', '/proc/x.json', /The folder \/proc can't be written/],
  ])('an output that is %s costs no audit', async (_, output, message) => {
    const result = await shell(gate, `--output ${resolve(folder, output)}`);
    expect(result).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(result.stderr).not.toContain('succeeded');
  });

  test('an API key that could not be printed is reported, and can be revoked', async () => {
    mkdirSync(join(folder, 'data'));
    const create = 'create --owner acme --name lost';
    const { code, stderr } = await shell(create, '> /dev/full', { file: 'infra/operator/keys.ts' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^The new key \w+ is lost\. .*ENOSPC.* -- revoke \w+\n$/),
    ]);
  });
});
