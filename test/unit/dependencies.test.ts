import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { SERVICE_VERSION } from '../../shared/service/version.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as Record<string, Record<string, string>>;

/** Packages for development. Lighthouse depends on axe-core itself, and its bundle gets that copy. */
const developing = Object.keys(manifest.devDependencies ?? {}).filter((name) => name !== 'axe-core');

/** Files that start a process of `npm start`, `page-audit`, the action or an operator's command. */
const entryPoints = [
  'infra/local/main.ts',
  'infra/local/command-service.ts',
  'infra/local/build-auditor.ts',
  'functions/auditor/child/child.ts',
  'clients/cli/main.ts',
  'clients/action/main.ts',
  'infra/operator/keys.ts',
  'infra/operator/open.ts',
];

test('npm start and page-audit use packages of `dependencies` only, which `npm audit --omit=dev` covers', async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: 'dist',
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  const files = Object.keys(metafile.inputs);
  expect(files.length).toBeGreaterThan(100);
  const quoted = developing.map((name) => [name, new RegExp(`['"]${name}['"/]`)] as const);
  const used = files.flatMap((file) => {
    const lines = readFileSync(root + file, 'utf8')
      .split('\n')
      .filter((line) => !/^(import|export) type /.test(line));
    return quoted.filter(([, name]) => name.test(lines.join('\n'))).map(([name]) => `${name} in ${file}`);
  });
  expect(used).toEqual([]);
});

test('the service names the version of its package', () => {
  expect(manifest.version).toBe(SERVICE_VERSION);
});

test('the web page loads preact and uPlot, and no other package, such as zod', async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['clients/web/app.tsx'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
  });
  const packages = Object.keys(metafile.inputs).map((file) => /^node_modules\/([^/]+)/.exec(file)?.[1]);
  expect([...new Set(packages)].filter((name) => name !== undefined).sort()).toEqual(['preact', 'uplot']);
});
