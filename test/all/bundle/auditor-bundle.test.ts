import { symlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkedScript, loadLinked } from '../../../functions/auditor/lighthouse/linked-release.ts';
import { childModule } from '../../../functions/auditor/parent/fork-child.ts';
import { auditorFolder, buildWhenIdle } from '../../../infra/local/auditor-bundle.ts';
import { auditVersions } from '../../../shared/audit-versions.ts';
import { auditorDir } from '../../support/auditor-dir.ts';
import { waitFor } from '../../support/service.ts';

/** The bundle of all tests, which the same command has built. */
const built = auditorDir();
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'auditor-bundle-'));
});
afterEach(() => rm(dir, { recursive: true }));

test('an idle service starts the build of its bundle, which replaces the bundle of other sources', async () => {
  const old = join(dir, 'auditor-0123456789abcdef');
  await mkdir(old);
  await mkdir(join(dir, 'chromium-1'));
  const [bundle, folder] = [await built, await auditorFolder(dir)];
  expect(childModule(folder)).toMatch(/functions\/auditor\/child\/child\.ts$/);

  const bundling = buildWhenIdle(folder, () => {}, 0);
  bundling.onJob('started');
  bundling.onJob('ended');
  symlinkSync(bundle, folder); // as if another process were faster, because all tests share one build
  await waitFor(async () => ((await readdir(dir)).includes(basename(old)) ? undefined : true));
  expect((await readdir(dir)).sort()).toEqual([basename(folder), 'chromium-1'].sort());
  expect(childModule(folder)).toBe(join(folder, 'child.mjs'));
  bundling.stop();
});

test('the bundle has each release of Lighthouse with its code cache, and the functions of pages import nothing', async () => {
  const folder = await built;
  for (const { package: name, core } of auditVersions) {
    const file = join(folder, `${name}.cjs`);
    expect(linkedScript(file).cachedDataRejected).toBe(false); // the code cache saves the compilation
    const { pageFunctions, ...exported }: { pageFunctions?: object } = loadLinked(file).load(
      `node_modules/${name}/${core}/lib/page-functions.js`,
    );
    const texts = Object.values(pageFunctions ?? exported).map(String);
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter((text) => text.includes('import_'))).toEqual([]); // a page has no imports
  }
});

test('an audit needs no bundle: a service that cannot build it says why, and goes on', async () => {
  const file = join(dir, 'file');
  await writeFile(file, '');
  const lines: string[] = [];
  const bundling = buildWhenIdle(join(file, 'auditor-0123456789abcdef'), (line) => void lines.push(line), 0);
  await waitFor(() => lines[0]);
  expect(lines).toEqual([
    expect.stringMatching(/^Lighthouse could not be bundled.* EEXIST: file already exists, mkdir/),
  ]);
  bundling.stop();
});
