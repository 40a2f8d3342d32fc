import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { build, type Plugin, transform } from 'esbuild';
import { standInOf } from '../../functions/auditor/lighthouse-stand-ins.ts';
import { auditVersions } from '../../shared/audit-versions.ts';
import type { Files } from './files.ts';

/**
 * Returns the files of the Lighthouse packages that an audit can import, without comments. Files keep their names and
 * folders, because Lighthouse imports by computed path and identifies its messages by file.
 */
export const lighthousePackages = async (root: string): Promise<Files> => {
  const releases = auditVersions.map((row) => {
    const folder = join(root, 'node_modules', row.package);
    return { folder, core: join(folder, row.core) };
  });
  const imported = await importedFrom(root, releases.flatMap(entryPointsOf));
  const paths = [...new Set([...imported, ...releases.flatMap(filesReadAtRunTime)])].sort();
  const sources = await Promise.all(paths.map(async (path) => [relative(root, path), await minified(path)] as const));
  const packages = new Set(paths.flatMap(packageFilesOf));
  return new Map([...sources, ...[...packages].map((path) => [relative(root, path), packageFile(path)] as const)]);
};

type Release = { folder: string; core: string };

/**
 * Returns the entry points of a release: the modules that we import, and the modules that its config names by string.
 */
const entryPointsOf = ({ core }: Release): string[] => {
  const named = [join(core, 'audits'), join(core, 'gather', 'gatherers')].flatMap(filesUnder);
  return [
    join(core, 'index.js'),
    join(core, 'config', 'desktop-config.js'),
    join(core, 'config', 'config.js'),
    ...named.filter((path) => path.endsWith('.js') && !path.endsWith('-test-audit.js')),
  ];
};

/** Returns the files that Lighthouse reads at run time instead of importing them. */
const filesReadAtRunTime = ({ folder, core }: Release): string[] => {
  const { resolve } = createRequire(join(folder, 'package.json'));
  return [
    join(folder, 'shared', 'localization', 'locales', 'en-US.json'),
    ...['axe-core/axe.min.js', 'js-library-detector/library/libraries.js'].map((id) => resolve(id)),
    ...filesUnder(core).filter((path) => path.endsWith('.json') && !/\/(scripts|test)\//.test(path)),
  ];
};

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));

/** Returns every file that the entry points import, directly or indirectly, as Node resolves them. */
const importedFrom = async (root: string, entryPoints: string[]): Promise<string[]> => {
  const standIn: Plugin = {
    name: 'stand-ins',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        const found = standInOf(path);
        return found && { contents: found.source };
      });
    },
  };
  const { metafile } = await build({
    entryPoints,
    absWorkingDir: root,
    bundle: true,
    splitting: true, // otherwise esbuild would copy shared modules into each entry
    write: false,
    outdir: 'nowhere',
    metafile: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['main'],
    conditions: ['module-sync'],
    external: ['@sentry/node'], // Lighthouse imports it only for error reporting, which is off
    plugins: [standIn],
    logLevel: 'error',
  });
  return Object.keys(metafile.inputs).map((path) => join(root, path));
};

/**
 * Returns a module without comments and white space. Keeps names, because Lighthouse runs the text of its functions in
 * the page.
 */
const minified = async (path: string): Promise<string> => {
  const text = standInOf(path)?.source ?? readFileSync(path, 'utf8');
  if (path.endsWith('.json')) return JSON.stringify(JSON.parse(text));
  const { code } = await transform(text, { minifyWhitespace: true, legalComments: 'none', target: 'esnext' });
  return code;
};

/** Returns the package.json files that affect the import of a file: its package's and those in subfolders. */
const packageFilesOf = (path: string): string[] => {
  const folders: string[] = [];
  for (let at = dirname(path); basename(at) !== 'node_modules'; at = dirname(at)) folders.push(at);
  return folders.map((folder) => join(folder, 'package.json')).filter((file) => existsSync(file));
};

const packageFile = (path: string): string => {
  const { name, version, type, main, exports, imports } = JSON.parse(readFileSync(path, 'utf8'));
  return JSON.stringify({ name, version, type, main, exports, imports });
};
