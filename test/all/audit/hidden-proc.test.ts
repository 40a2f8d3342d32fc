import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Chromium, prepareChromium } from '../../../functions/auditor/host/chromium.ts';
import type { Guard } from '../../../shared/service/guards.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { startLocally } from '../../support/service.ts';
import { unlessMissing } from '../../support/skips.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;
const folder = temporaryFolder('hidden-proc');
const script = fileURLToPath(new URL('../../support/hidden-proc.sh', import.meta.url));
const hiding = (...mode: string[]) => ['unshare', '--mount', 'sh', script, ...mode];
const NOBODY = 64_322;

let chromium: Chromium;
beforeAll(async () => {
  chmodSync(folder, 0o755);
  chromium = await prepareChromium(testChromium());
});

/** Audits the sample page of a service. Returns what `/ready` says, the run, and the output of the service. */
const audited = async (env: Record<string, string>, by: string[]) => {
  const dataDir = join(folder, crypto.randomUUID());
  mkdirSync(dataDir, { mode: 0o700 });
  if (by.includes('setpriv')) chownSync(dataDir, NOBODY, NOBODY);
  const service = await startLocally(dataDir, { TMPDIR: dataDir, ...env }, by);
  try {
    const body = { url: `${service.url}/sample`, auditVersion: 'latest', regions: ['us-west1'] };
    const { id } = await service.post(body);
    const check = await service.until(id, ({ state }) => state === 'succeeded' || state === 'failed');
    const ready = (await (await fetch(`${service.url}/ready`)).json()) as { unguarded: Guard[] };
    return { run: check.runs[0], ready, output: service.output() };
  } finally {
    await service.stop();
  }
};

describe('a machine that hides its processes', unlessMissing(canMount ? undefined : 'rights to mount'), () => {
  test('without /proc, taskset and control groups, a page is audited, and the start names the missing guards', async () => {
    const real = join(folder, 'proc');
    mkdirSync(real);
    const browser = join(folder, 'chromium'); // finds /proc, without which Chromium starts no process
    const steps = [
      `mount --bind ${real} /proc`,
      'echo "$0 $0 1" > /proc/self/uid_map',
      'echo deny > /proc/self/setgroups',
      'echo "$0 $0 1" > /proc/self/gid_map',
      `exec ${chromium.executable} "$@"`,
    ];
    writeFileSync(
      browser,
      `case "$*" in *--version*) echo Chromium ${chromium.version}; exit ;; esac
exec unshare --user --keep-caps --mount sh -c '${steps.join(' && ')}' "$(id -u)" "$@"\n`,
      { mode: 0o755 },
    );
    const { run, ready, output } = await audited({ CHROMIUM: browser }, hiding('bare', real));
    expect(run).toMatchObject({
      state: 'succeeded',
      performance: expect.any(Number),
      environment: { contended: null },
    });
    const missing = ['memory', 'hangs', 'strays', 'files', 'load', 'cpus', 'resources', 'container'];
    expect(ready.unguarded).toEqual(expect.arrayContaining(missing));
    expect(output).toMatch(
      /Not guarded on this machine: (sandbox .*)?memory \(The memory of a browser has no limit\.\)/,
    );
  });

  test('a user who sees its own processes only gets an audit, and the guards of the renderers are missing', async () => {
    const user = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
    const env = { CHROMIUM: testChromium().chromium ?? '' };
    const { run, ready } = await audited(env.CHROMIUM ? env : {}, hiding('hidepid', ...user));
    expect(run).toMatchObject({ state: 'succeeded', performance: expect.any(Number) });
    expect(ready.unguarded).toEqual(expect.arrayContaining(['memory', 'hangs', 'load', 'cpus', 'container']));
    expect(ready.unguarded).not.toContain('strays');
  });
});
