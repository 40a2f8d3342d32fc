import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { NoSandboxError, requireSandbox, requireStart } from '../../functions/auditor/host/sandbox.ts';
import { type SandboxSetting, sandboxUse } from '../../functions/auditor/parent/sandbox-use.ts';
import { log } from '../../functions/lib/log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const user = process.getuid?.() === 0 ? { uid: 64_321, gid: 64_321 } : undefined;
const folder = temporaryFolder('sandbox');
chmodSync(folder, 0o755);

/** Returns a browser that runs this script. */
const browserOf = (name: string, script: string) => {
  const executable = join(folder, name);
  writeFileSync(executable, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { executable, env: { PATH: '/usr/bin:/bin' }, fonts: '' };
};

test('a browser that answers from its sandbox is accepted, and killed', async () => {
  await requireSandbox(browserOf('good', 'head -c 1 <&3 >&4; exec sleep 60'), user, 'page-audit-test-');
});

test('a browser that exits without its sandbox is refused with the way out', async () => {
  const browser = browserOf('bad', 'echo "[1:1] FATAL: No usable sandbox! See docs" >&2; exit 1');
  await expect(requireSandbox(browser, user, 'page-audit-test-')).rejects.toThrow(
    /does not start in its sandbox.* or set SANDBOX=optional\. The cause: No usable sandbox\.$/,
  );
});

test('a browser that exits in its sandbox for another cause is refused with its last messages', async () => {
  const script = 'for i in $(seq 100); do echo "[1:1:ERROR] no bus" >&2; done; echo "no libfoo.so.1 here" >&2; exit 1';
  await expect(requireSandbox(browserOf('noisy', script), user, 'page-audit-test-')).rejects.toThrow(
    /The cause: [\s\S]*no libfoo\.so\.1 here$/,
  );
});

test.runIf(user)('root without other users has no sandbox', async () => {
  const browser = browserOf('any', 'exit 0');
  await expect(requireSandbox(browser, undefined, 'page-audit-test-')).rejects.toThrow('Audits would run as root');
});

test('a browser that tells its version and does not start is refused with its last messages', async () => {
  const script =
    'case "$*" in *--version*) echo "Chromium 156.0.7000.0";; *) echo "no libfoo.so.1 here" >&2; exit 1;; esac';
  await expect(requireStart(browserOf('silent', script), user, 'page-audit-test-')).rejects.toThrow(
    /^Chromium does not start on this machine: no libfoo\.so\.1 here$/,
  );
  await requireStart(browserOf('fine', 'head -c 1 <&3 >&4; exec sleep 60'), user, 'page-audit-test-');
});

const works = async () => {};
const lacks = async () => {
  throw new NoSandboxError('No usable sandbox.');
};
const isSlow = async () => {
  throw new Error('Chromium did not start within 30 s.');
};
const browser = [{ executable: '/none', env: {}, fonts: '' }, undefined, ''] as const;

test.each<[SandboxSetting, typeof works, string]>([
  ['tested', works, 'required'],
  ['tested', lacks, 'none'],
  ['required', works, 'required'],
  ['optional', works, 'optional'],
  ['optional', lacks, 'optional'],
])('with the setting %s, the start decides how audits use the sandbox', async (setting, outcome, expected) => {
  const sandbox = sandboxUse(setting, outcome);
  await sandbox.test(...browser);
  expect(sandbox.now()).toBe(expected);
});

test.each<[SandboxSetting, typeof works]>([
  ['required', lacks],
  ['tested', isSlow], // which says nothing about the sandbox
])('with the setting %s, a failed test refuses to audit', async (setting, outcome) => {
  await expect(sandboxUse(setting, outcome).test(...browser)).rejects.toThrow();
});

test('a sandbox that has worked once is required from then on', async () => {
  let outcome = works;
  const sandbox = sandboxUse('tested', () => outcome());
  await sandbox.test(...browser);
  outcome = lacks;
  await expect(sandbox.test(...browser)).rejects.toThrow('No usable sandbox.');
  sandbox.record(false);
  expect(sandbox.now()).toBe('required');
});

test('with the setting optional, the first audit without the sandbox is logged once', () => {
  const logged = vi.spyOn(log, 'error').mockImplementation(() => {});
  const sandbox = sandboxUse('optional', works);
  for (const worked of [null, false, false]) sandbox.record(worked);
  expect(logged.mock.calls).toEqual([
    ['Audits run without the sandbox of Chromium. SANDBOX=required refuses them.', expect.anything()],
  ]);
  expect(sandbox.now()).toBe('none');
  logged.mockRestore();
});
