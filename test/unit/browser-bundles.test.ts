import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const filesIn = (folder: string) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`);

test.each(['clients/api', 'clients/words'])(
  '%s runs in a browser, and imports shared alone and no package',
  async (folder) => {
    const { metafile, errors } = await build({
      entryPoints: filesIn(folder),
      absWorkingDir: root,
      outdir: 'out',
      write: false,
      bundle: true,
      platform: 'browser',
      format: 'esm',
      metafile: true,
      logLevel: 'silent',
    });
    expect(errors).toEqual([]);
    const others = Object.keys(metafile.inputs).filter((file) => !file.startsWith(`${folder}/`));
    expect(others.filter((file) => !/^shared\/[\w/-]+\.ts$/.test(file))).toEqual([]);
  },
);

test('the web page has no zod, which would double its size', async () => {
  const { metafile } = await build({
    entryPoints: ['clients/web/app.tsx'],
    absWorkingDir: root,
    outdir: 'out',
    write: false,
    bundle: true,
    metafile: true,
    logLevel: 'silent',
  });
  const packages = Object.keys(metafile.inputs).flatMap((file) => /node_modules\/([^/]+)/.exec(file)?.[1] ?? []);
  expect([...new Set(packages)].sort()).toEqual(['preact', 'uplot']);
});
