import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installedBrowser, programsIn } from '../../functions/auditor/host/installed-browser.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'installed-browser-'));
});
afterAll(() => rm(dir, { recursive: true }));

/** Writes a program that prints a version. It has no `#!`, so that it counts as a program. */
const program = async (name: string, prints: string, mode = 0o755): Promise<string> => {
  const path = join(dir, name);
  await writeFile(path, `echo '${prints}'\n`);
  await chmod(path, mode);
  return path;
};
const noPolicies: string[] = [];
const search = (...searched: string[]) => installedBrowser('auto', { searched, policyDirs: noPolicies });

test('a path of Chromium or Google Chrome is that browser', async () => {
  const path = await program('chrome', 'Google Chrome 156.0.8078.108 beta');
  expect(await installedBrowser(path)).toEqual({ executable: path, version: '156.0.8078.108' });
});

test.each<[string, () => Promise<string>, RegExp]>([
  ['is missing', async () => join(dir, 'missing'), /missing does not exist: use/],
  ['is a folder', async () => dir, / is no file: use/],
  ['is not executable', () => program('plain', 'Chromium 156.0.0.1', 0o644), / is not executable by the user/],
  [
    'is another program',
    () => program('firefox', 'Mozilla Firefox 145.0'),
    / is no Chromium \(Mozilla Firefox 145\.0\)/,
  ],
  ['is a snap', () => program('snapped', 'snap 2.63'), / is a snap, .* Install Google Chrome from its \.deb/],
  [
    'is a script that starts a snap',
    async () => {
      const path = await program('chromium-browser', '');
      await writeFile(path, '#!/bin/sh\nexec /snap/bin/chromium "$@"\n');
      return path;
    },
    / is a snap, .* Install Google Chrome from its \.deb/,
  ],
  ['prints nothing', () => program('silent', ''), / is no Chromium \(it prints no version\)/],
  ['is too old', () => program('old', 'Chromium 90.0.4430.212'), / is Chromium 90\.0\.4430\.212, which is too old/],
  [
    'is a script of something unknown',
    async () => {
      const path = await program('script', '');
      await writeFile(path, '#!/bin/sh\nexec chrome "$@"\n');
      return path;
    },
    / is a script, /,
  ],
  [
    'does not start',
    async () => {
      const path = await program('ill', '');
      await writeFile(path, 'echo libnss3.so is missing >&2; exit 127');
      return path;
    },
    / is no Chromium that starts \(libnss3\.so is missing\)/,
  ],
])('a path that %s ends the start with the path, the cause and what is accepted', async (_, make, cause) => {
  const path = await make();
  const { message } = await installedBrowser(path).then(
    () => expect.unreachable(),
    (error: Error) => error,
  );
  expect(message).toMatch(cause);
  expect(message).toMatch(/^CHROMIUM=\S+ .*: use the path of Chromium or Google Chrome \d+ or later, or auto .*\.$/);
  expect(message).toContain(path);
});

test('auto takes the newest version, and the headless shell of two with the same version', async () => {
  const older = await program('google-chrome', 'Google Chrome 155.0.8059.79');
  const newer = await program('chromium', 'Chromium 156.0.8078.108 built on Debian GNU/Linux 12');
  const shell = await program('chromium-headless-shell', 'Chromium 156.0.8078.108');
  expect(await search(older, newer)).toMatchObject({ executable: newer });
  expect(await search(older, newer, shell)).toMatchObject({ executable: shell });
  expect(await search(join(dir, 'missing'), older)).toMatchObject({ executable: older });
});

test.each(['chromium-browser', 'google-chrome-stable', 'chrome-headless-shell', 'chrome'])(
  'auto finds %s where it is the only browser in PATH',
  async (name) => {
    const folder = await mkdtemp(join(dir, 'path-'));
    const path = await program(join(basename(folder), name), 'Google Chrome 156.0.8078.108');
    expect(await search(...programsIn(`:${folder}`))).toMatchObject({ executable: path });
  },
);

test('auto says which browsers it found unusable, or that there is none', async () => {
  const old = await program('chromium', 'Chromium 90.0.4430.212');
  await expect(search(old)).rejects.toThrow(`CHROMIUM=auto found no usable browser (${old} is Chromium 90.0.4430.212`);
  await expect(search()).rejects.toThrow('CHROMIUM=auto found no browser: install chromium-headless-shell, or use');
});

test('a browser that obeys policies of the machine is refused, and the headless shell is not', async () => {
  const policies = join(dir, 'policies');
  await mkdir(policies);
  await writeFile(join(policies, 'proxy.json'), '{"ProxyMode": "direct"}');
  const host = { searched: [], policyDirs: [policies] };
  const chromium = await program('chromium', 'Chromium 156.0.8078.108');
  const shell = await program('chromium-headless-shell', 'Chromium 156.0.8078.108');
  await expect(installedBrowser(chromium, host)).rejects.toThrow(`obeys ${policies}/proxy.json`);
  expect(await installedBrowser(shell, host)).toMatchObject({ executable: shell });
});
