import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import type { Files } from './files.ts';

const folder = 'clients/web';
/** Files that the browser loads under these names. The other modules have a hash in their names. */
const entryPoints = {
  app: `${folder}/app.tsx`,
  page: `${folder}/styles/page.css`,
  uplot: 'uplot/dist/uPlot.min.css',
};
/** The styles, which the page itself contains: a browser shows it without another request. */
const STYLES = 'page.css';
/** The views whose modules the browser loads at once, not one after the other. */
const views = ['home', 'check', 'run', 'pages', 'trend', 'schedules', 'webhooks', 'comparison'];

/**
 * Returns the files of the web page: its modules as bundles, one for each view and for what views share. `<view>.page`
 * is the page that preloads the modules of a view. In it, the word VERSION stands for the version in the URLs of the files, and BASE for the path under which the service lies.
 */
export const webFiles = async (root: string): Promise<Files> => {
  const { outputFiles, metafile } = await build({
    entryPoints,
    plugins: [withCommon(await modulesOfPage(root))],
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
  const styles = outputFiles.find(({ path }) => basename(path) === STYLES)?.text;
  const pageOf = (view: string) => {
    const modules = modulesOf(metafile, view).map(
      (name) => `<link rel="modulepreload" href="BASE/assets/VERSION/${name}">`,
    );
    return page
      .replace('<!-- styles -->', () => `<style>${styles}</style>`)
      .replace('<!-- modules -->', modules.join(''));
  };
  return new Map<string, string | Uint8Array>([
    ...outputFiles
      .filter(({ path }) => basename(path) !== STYLES)
      .map((file) => [basename(file.path), file.contents] as const),
    ...(await Promise.all(copied)),
    ...views.map((view) => [`${view}.page`, pageOf(view)] as const),
  ]);
};

/** Number of views that use a module of the common file. */
const COMMON = 3;

/** Returns the modules that the page or several views use, and those that the browser loads by themselves, as paths. */
const modulesOfPage = async (root: string): Promise<{ common: string[]; loaded: ReadonlySet<string> }> => {
  const { metafile } = await build({
    entryPoints: [join(root, folder, 'app.tsx')],
    absWorkingDir: root,
    outdir: 'web',
    write: false,
    metafile: true,
    bundle: true,
    platform: 'browser',
    format: 'esm',
  });
  const uses = views.flatMap((view) => [...modulesBehind(metafile, `${folder}/${view}/${view}.tsx`)]);
  const counts = Map.groupBy(uses, (path) => path);
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const onDemand = imports.flatMap(({ kind, path }) => (kind === 'dynamic-import' ? [path] : []));
  const ofViews = [...counts].filter(([, { length }]) => length >= COMMON).map(([path]) => path);
  const common = new Set([...modulesBehind(metafile, `${folder}/app.tsx`), ...ofViews]);
  return {
    common: [...common].map((path) => join(root, path)),
    loaded: new Set([`${folder}/app.tsx`, ...onDemand].map((path) => join(root, path))),
  };
};

/** Returns the modules that a module imports, also by other modules. */
const modulesBehind = ({ inputs }: Metafile, path: string): Set<string> => {
  const found = new Set<string>();
  const add = (from: string) => {
    for (const { path: imported, kind } of inputs[from]?.imports ?? []) {
      if (kind !== 'import-statement' || found.has(imported)) continue;
      found.add(imported);
      add(imported);
    }
  };
  add(path);
  return found;
};

/** Lets each module that the browser loads import the common ones, so that these are one file. Many small files compress worse. */
const withCommon = ({ common, loaded }: Awaited<ReturnType<typeof modulesOfPage>>): Plugin => ({
  name: 'common',
  setup: ({ onLoad }) => {
    const imports = common.map((path) => `import ${JSON.stringify(path)};`).join('\n');
    onLoad({ filter: /clients[\\/].*\.tsx?$/ }, async ({ path }) =>
      loaded.has(path)
        ? { loader: path.endsWith('x') ? 'tsx' : 'ts', contents: `${await readFile(path, 'utf8')}\n${imports}` }
        : undefined,
    );
  },
});

/** Returns the names of the files that hold the modules of a view, and of those that these import. */
const modulesOf = ({ outputs }: Metafile, view: string): string[] => {
  const modules = [`${folder}/app.tsx`, `${folder}/${view}/${view}.tsx`];
  const found = new Set(modules.map((source) => pathOf(outputs, source)));
  for (const path of found) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement') found.add(imported);
  }
  return [...found].map((path) => basename(path));
};

const pathOf = (outputs: Metafile['outputs'], source: string): string => {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source);
  if (!found) throw new Error(`The page has no bundle of ${source}. Correct its path in infra/bundle/web.ts.`);
  return found[0];
};
