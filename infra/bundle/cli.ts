import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const OLDEST_NODE = '22.13';
/** Refuses a Node.js that is too old, and defines `require`, which CommonJS libraries call for Node's modules. */
const banner = `#!/usr/bin/env node
const[major,minor]=process.versions.node.split('.').map(Number),[oldest,older]=[${OLDEST_NODE.replace('.', ',')}];
if(major<oldest||(major===oldest&&minor<older)){
console.error('This is Node.js '+process.versions.node+'. Install ${OLDEST_NODE} or later.');process.exit(4)}
import{createRequire as newRequire}from'node:module';const require=newRequire(import.meta.url);`;

/**
 * Builds the command line as a package of one file, without dependencies. Only a package with a
 * scope can be published, because the plain name could be anybody's.
 */
export const buildCli = async (folder: string, scope?: string): Promise<void> => {
  if (scope !== undefined && !/^@[a-z0-9][a-z0-9._-]*$/.test(scope)) {
    throw new Error(`${scope} is no scope of npm. Use one such as @acme: npm run build:cli -- dist/cli @acme`);
  }
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [join(root, 'clients/cli/main.ts')],
    outfile: join(folder, 'page-audit.mjs'),
    absWorkingDir: root,
    bundle: true,
    minify: true,
    platform: 'node',
    target: `node${OLDEST_NODE}`,
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
    name,
    ...manifest
  } = JSON.parse(await readFile(join(root, 'clients/cli/package.json'), 'utf8'));
  const published = {
    name: scope === undefined ? name : `${scope}/${name}`,
    ...manifest,
    ...(scope === undefined && { private: true }),
    bin: { 'page-audit': 'page-audit.mjs' },
    engines: { node: `>=${OLDEST_NODE}` },
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await copyFile(join(root, 'clients/cli/PACKAGE.md'), join(folder, 'README.md'));
};

if (import.meta.main) {
  await buildCli(process.argv[2] ?? join(root, 'dist/cli'), process.argv[3]).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
