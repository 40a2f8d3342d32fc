import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test.each([
  'audit-versions',
  'options/audit-options',
  'options/throttling',
  'regions',
  'service/plans',
  'service/routes',
])('the table shared/%s.ts loads no package, so that a page can import it', async (name) => {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
    entryPoints: [`shared/${name}.ts`],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
  });
  expect(Object.keys(metafile.inputs).filter((file) => !file.startsWith('shared/'))).toEqual([]);
});
