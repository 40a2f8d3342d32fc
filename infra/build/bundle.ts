import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { Files } from './files.ts';
import { viewerFromFiles } from './report-viewer.ts';
import { type Asset, partsOf } from './sizes.ts';

/** Libraries that are CommonJS call `require` for Node's own modules. */
const banner = `import{createRequire as newRequire}from'node:module';const require=newRequire(import.meta.url);`;

/**
 * One entry with all that it imports as one module, `<name>.mjs`, and its source map. The same sources give the same bytes,
 * wherever the checkout and the asset are.
 */
export const bundle = async (root: string, name: string, source: string): Promise<Asset> => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: root, sourcefile: `${name}.ts`, loader: 'ts' },
    absWorkingDir: root,
    outfile: `dist/functions/any/${name}.mjs`, // names the sources in the map; nothing is written
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'], // of a package that has both forms, the one of which the unused parts can be left out
    banner: { js: banner },
    sourcemap: 'linked',
    sourcesContent: false, // places are enough for a stack trace, and Node reads the map on start
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
 * Leaves libraries out of the source map, which Node reads on start: it would be twice as long as the code. And leaves out
 * the languages of zod, which it imports for callers that choose one.
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
