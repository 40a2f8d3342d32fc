import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

type Manifest = { dependencies: Record<string, string>; optionalDependencies?: Record<string, string> };
const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const manifestOf = (folder: string): Manifest => read(`${folder}package.json`);
const [root, cli, action] = ['', 'clients/cli/', 'clients/action/'].map(manifestOf) as [Manifest, Manifest, Manifest];
const allOf = ({ dependencies, optionalDependencies }: Manifest) => ({ ...dependencies, ...optionalDependencies });

test('the workspaces of the command and the action name every package that they import', async () => {
  const { metafile } = await build({
    entryPoints: ['clients/action/main.ts', 'clients/cli/main.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external, path }) => external && !path.startsWith('node:')).map(({ path }) => path),
  );
  const names = new Set(imported.map((path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/')));
  expect(names.size).toBeGreaterThan(5);
  expect([...names].filter((name) => !Object.hasOwn({ ...allOf(cli), ...allOf(action) }, name))).toEqual([]);
});

test('a package of a workspace has an exact version, and that of the root if both name it', () => {
  for (const [name, version] of Object.entries({ ...allOf(cli), ...allOf(action) })) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
    expect(allOf(root)[name] ?? version, name).toBe(version);
  }
});
