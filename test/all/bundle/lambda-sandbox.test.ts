import { constants } from 'node:fs';
import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareChromium } from '../../../functions/auditor/host/chromium.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { noSandboxHere, startRunAudit } from '../../support/lambda-sandbox.ts';
import { unlessMissing } from '../../support/skips.ts';

const probeModule = new URL('../../support/lambda-probe.mjs', import.meta.url);

describe('the sandbox refuses what Lambda refuses', unlessMissing(noSandboxHere()), () => {
  let code: string;
  let sandbox: Awaited<ReturnType<typeof startRunAudit>>;
  beforeAll(async () => {
    code = await mkdtemp(join(tmpdir(), 'probe-'));
    await chmod(code, 0o755);
    await cp(probeModule, join(code, 'index.mjs'));
    const { executable } = await prepareChromium(testChromium());
    await cp(dirname(executable), join(code, 'chromium'), { recursive: true, mode: constants.COPYFILE_FICLONE });
    const koffi = dirname(createRequire(import.meta.url).resolve('@koromix/koffi-linux-x64')); // makes system calls
    await cp(koffi, join(code, 'koffi'), { recursive: true });
    sandbox = await startRunAudit(code);
  });
  afterAll(async () => {
    await sandbox?.[Symbol.asyncDispose]();
    await rm(code, { recursive: true });
  });
  const probe = (name: string, ...args: unknown[]) => sandbox.invoke({ probe: name, args });

  test.each([
    ['the code', '/var/task/file', 'EROFS'],
    ['the root folder', '/file', 'EROFS'],
    ['a home folder', '/home', 'EROFS'],
    ['shared memory', '/dev/shm/file', 'ENOENT'],
    ['settings of the kernel', '/proc/sys/kernel/pid_max', 'EACCES'],
  ])('a write to %s', async (_, path, code) => {
    expect(await probe('write', path)).toBe(code);
    expect(await probe('write', '/tmp/file')).toBe('written');
  });

  test('more than 1,024 files or processes, the rights of root, and other users', async () => {
    expect(await probe('limits')).toEqual({ files: 1024, processes: 1024 });
    expect(await probe('rights')).toEqual({ uid: 993, capabilities: '0000000000000000', home: null });
    expect(await probe('openFiles', 1100)).toBe('EMFILE');
  });

  // Public reports: tini (issues 218 and 227), chromedp (562), terraform-exec (172), ClickHouse (43589).
  test.each([
    ['a subreaper', [157, 36, 1]],
    ['a signal at the death of the parent', [157, 1, 9]],
    ['the promise to get no new privileges', [157, 38, 1]],
    ['a new user namespace', [272, 0x10000000]],
  ])('%s', async (_, call) => {
    expect(await probe('systemCall', ...call)).toBe('EPERM');
  });

  test("Chromium's zygote and its sandbox, and allows several processes without them", async () => {
    expect(await probe('chromium', '--no-sandbox', '--no-zygote')).toBe('started');
    expect(await probe('chromium', '--no-sandbox')).not.toBe('started');
    expect(await probe('chromium')).not.toBe('started');
  });

  test('fonts, programs and desktop libraries that Lambda lacks', async () => {
    const paths = ['/etc/fonts', '/usr/share/fonts', '/usr/bin', '/lib/x86_64-linux-gnu/libnss3.so', '/sys/fs/cgroup'];
    expect(await probe('existing', paths)).toEqual([]);
  });

  test('a parent that reaps the processes of others', async () => {
    expect(await probe('orphan')).toEqual({ state: 'Z', parent: 1 });
  });
});
