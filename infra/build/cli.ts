import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Defines `require`, which CommonJS libraries call for Node's modules. */
const banner = `#!/usr/bin/env node
import{createRequire as newRequire}from'node:module';const require=newRequire(import.meta.url);`;

/** Builds the command line as a package of one file, without dependencies and for Node.js 20 and later. */
export const buildCli = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [join(root, 'clients/cli/main.ts')],
    outfile: join(folder, 'page-audit.mjs'),
    absWorkingDir: root,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: banner },
    legalComments: 'inline',
    logLevel: 'warning',
  });
  await chmod(join(folder, 'page-audit.mjs'), 0o755);
  // The file has all packages inside.
  const {
    private: _,
    dependencies: __,
    optionalDependencies: ___,
    ...manifest
  } = JSON.parse(await readFile(join(root, 'clients/cli/package.json'), 'utf8'));
  const published = { ...manifest, bin: { 'page-audit': 'page-audit.mjs' }, engines: { node: '>=20.11' } };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await copyFile(join(root, 'clients/README.md'), join(folder, 'README.md'));
};

if (import.meta.main) await buildCli(process.argv[2] ?? join(root, 'dist/cli'));
