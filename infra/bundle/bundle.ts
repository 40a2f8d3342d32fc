import { readFile } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { Files } from './files.ts';
import { viewerFromFiles } from './report-viewer.ts';
import { type Asset, partsOf } from './sizes.ts';

/** Defines `require`, which CommonJS libraries call for Node's modules. */
const banner = `import{createRequire as newRequire}from'node:module';const require=newRequire(import.meta.url);`;

/**
 * Bundles each entry and its imports into one module, with a source map. `sources` has the entries by the path of their
 * module without its extension. The same sources give the same bytes, independent of the folders of the checkout and
 * the asset. Parses a file once for all entries.
 */
export const bundle = async (root: string, sources: ReadonlyMap<string, string>): Promise<Map<string, Asset>> => {
  const { outputFiles, metafile } = await build({
    entryPoints: [...sources.keys()].map((path) => ({ in: `${ENTRY}:${path}`, out: path })),
    absWorkingDir: root,
    outdir, // sets the paths in the source map; esbuild writes no file
    outExtension: { '.js': '.mjs' },
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'], // esbuild removes unused code from ES modules only
    alias: { 'puppeteer-core': 'puppeteer-core/internal/puppeteer-core-browser.js' }, // without the code that starts browsers
    banner: { js: banner },
    sourcemap: 'linked',
    sourcesContent: false, // a stack trace needs positions only, and Node reads the map on start
    plugins: [entriesFrom(root, sources), viewerFromFiles, slimLibraries],
    legalComments: 'none',
    logLevel: 'warning',
  });
  return new Map(
    [...sources.keys()].map((path) => {
      const module = `${outdir}/${path}.mjs`;
      const written = outputFiles.filter((file) => relative(root, file.path).startsWith(module)); // the module and its map
      const inputs = Object.entries(metafile.outputs[module]?.inputs ?? {});
      const files: Files = new Map(written.map((file) => [basename(file.path), file.contents]));
      return [path, { files, parts: partsOf(inputs.map(([input, { bytesInOutput }]) => [input, bytesInOutput])) }];
    }),
  );
};
const outdir = 'dist/functions';

/** Lets esbuild read the entries from memory. */
const entriesFrom = (root: string, sources: ReadonlyMap<string, string>): Plugin => ({
  name: 'entries',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: new RegExp(`^${ENTRY}:`) }, ({ path }) => ({
      path: path.slice(ENTRY.length + 1),
      namespace: ENTRY,
    }));
    onLoad({ filter: /./, namespace: ENTRY }, ({ path }) => ({
      contents: sources.get(path) ?? '',
      resolveDir: root,
      loader: 'ts',
    }));
  },
});
const ENTRY = 'entry';

/**
 * Removes libraries from the source map, which Node reads on start. With them the map is twice as long as the code. Also
 * removes what no function uses: zod's languages except English, and widths of characters that no badge has. Of the sources of
 * credentials only the environment variables stay, the only one on Lambda.
 */
const slimLibraries: Plugin = {
  name: 'slim-libraries',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
    for (const [path, names] of Object.entries(unused)) {
      const error = `throw new Error('${path} is not in the bundle.');`;
      onLoad({ filter: new RegExp(`/node_modules/${path.replaceAll('.', '\\.')}$`) }, () => ({
        contents: names.map((name) => `export function ${name}() { ${error} }`).join('\n'),
      }));
    }
    onLoad({ filter: /\/credential-provider-node\/dist-es\/index\.js$/ }, ({ path }) => ({
      contents: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
      resolveDir: dirname(path),
    }));
    onLoad({ filter: /\/anafanafo\/data\/[^/]+\.json$/ }, async ({ path }) => ({
      contents: JSON.stringify(asciiOf(JSON.parse(await readFile(path, 'utf8')))),
      loader: 'json',
    }));
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${(await readFile(path, 'utf8')).replace(path.includes('/chrome-har/') ? OWN_REQUIRE : '', '')}\n//# sourceMappingURL=data:application/json;base64,${emptyMap}`,
    }));
  },
};
/** Returns the widths of ASCII characters. A width has the first and the last character of its range. */
const asciiOf = (widths: readonly [number, number, number][]) => widths.filter(([first]) => first < 128);

/** The `require` of chrome-har, through which esbuild can't see which files the library needs. */
const OWN_REQUIRE = 'const require = createRequire(import.meta.url);\n';

/** Modules of libraries that esbuild would keep although no function calls them, with their exports. */
const unused = {
  'zod/v4/classic/from-json-schema.js': ['fromJSONSchema'],
  'zod/v4/core/compile.js': ['INVALID', 'ZodCompileAsyncError', 'ZodCompileUnsupportedError', 'compile', 'withParser'],
};
// esbuild ignores a map without a mapping. This one is at column 16,777,216, where no library has code.
const emptyMap = Buffer.from(JSON.stringify({ version: 3, sources: [''], mappings: 'gggggBAAA' })).toString('base64');
