import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { Files } from './files.ts';
import { viewerFromFiles } from './report-viewer.ts';
import { type Asset, partsOf } from './sizes.ts';

/** Defines `require`, which CommonJS libraries call for Node's modules. */
const banner = `import{createRequire as newRequire}from'node:module';const require=newRequire(import.meta.url);`;

/**
 * Bundles an entry and its imports into one module, `<name>.mjs`, with a source map. The same sources give the same
 * bytes, independent of the folders of the checkout and the asset.
 */
export const bundle = async (root: string, name: string, source: string): Promise<Asset> => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: root, sourcefile: `${name}.ts`, loader: 'ts' },
    absWorkingDir: root,
    outfile: `dist/functions/any/${name}.mjs`, // sets the paths in the source map; esbuild writes no file
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'], // esbuild removes unused code from ES modules only
    banner: { js: banner },
    sourcemap: 'linked',
    sourcesContent: false, // a stack trace needs positions only, and Node reads the map on start
    plugins: [viewerFromFiles, slimLibraries],
    legalComments: 'none',
    logLevel: 'warning',
  });
  const files: Files = new Map();
  for (const { path, contents } of outputFiles) files.set(basename(path), contents);
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return { files, parts: partsOf(inputs.map(([path, { bytesInOutput }]) => [path, bytesInOutput])) };
};

/**
 * Removes libraries from the source map, which Node reads on start. With them the map is twice as long as the code.
 * Also removes all languages of zod except English.
 */
const slimLibraries: Plugin = {
  name: 'slim-libraries',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${emptyMap}`,
    }));
  },
};
const emptyMap = Buffer.from(JSON.stringify({ version: 3, sources: [''], mappings: 'AAAA' })).toString('base64');
