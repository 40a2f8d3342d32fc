import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import type { Files } from './files.ts';

const folder = 'clients/web';
/** Files that the browser loads under these names. The other modules have a hash in their names. */
const entryPoints = {
  app: `${folder}/app.tsx`,
  page: `${folder}/page.css`,
  uplot: 'uplot/dist/uPlot.min.css',
};
/** Modules of the first view. The browser loads them at once, not one after the other. */
const firstModules = [`${folder}/app.tsx`, `${folder}/views/home.tsx`];

/**
 * Returns the files of the web page: its modules as bundles, one for each view and for what views share. In `index.html`
 * the word VERSION stands for the version in the URLs of the files, and BASE for the path under which the service lies.
 */
export const webFiles = async (root: string): Promise<Files> => {
  const { outputFiles, metafile } = await build({
    entryPoints,
    absWorkingDir: root,
    outdir: 'web', // sets the names; esbuild writes no file
    chunkNames: '[name]-[hash]',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    minify: true,
    platform: 'browser',
    target: 'es2022',
    format: 'esm',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const copied = ['icon.svg', 'report-frame.html'].map(
    async (name) => [name, await readFile(join(root, folder, name))] as const,
  );
  const page = await readFile(join(root, folder, 'index.html'), 'utf8');
  const preloads = modulesOf(metafile).map((name) => `<link rel="modulepreload" href="BASE/assets/VERSION/${name}">`);
  return new Map<string, string | Uint8Array>([
    ...outputFiles.map((file) => [basename(file.path), file.contents] as const),
    ...(await Promise.all(copied)),
    ['index.html', page.replace('<!-- modules -->', preloads.join(''))],
  ]);
};

/** Returns the names of the files that hold the modules of the first view, and of those that these import. */
const modulesOf = ({ outputs }: Metafile): string[] => {
  const found = new Set(firstModules.map((source) => pathOf(outputs, source)));
  for (const path of found) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement') found.add(imported);
  }
  return [...found].map((path) => basename(path));
};

const pathOf = (outputs: Metafile['outputs'], source: string): string => {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source);
  if (!found) throw new Error(`The page has no bundle of ${source}. Correct its path in infra/build/web.ts.`);
  return found[0];
};
