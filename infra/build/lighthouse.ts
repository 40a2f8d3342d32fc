import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { build, type Plugin, transform } from 'esbuild';
import { standInOf } from '../../functions/auditor/lighthouse-stand-ins.ts';
import { auditVersions } from '../../shared/audit-versions.ts';
import type { Files } from './files.ts';

/**
 * The Lighthouse packages as they are installed, less what an audit does not read: of each package the files that can be
 * imported from its audits and gatherers, without comments. Files keep their names and folders, which Lighthouse uses at
 * run time: it imports by computed path, and names its messages by file.
 */
export const lighthousePackages = async (root: string): Promise<Files> => {
  const releases = auditVersions.map((row) => join(root, 'node_modules', row.package));
  const imported = await importedFrom(root, releases.flatMap(entryPointsOf));
  const paths = [...new Set([...imported, ...releases.flatMap(filesReadAtRunTime)])].sort();
  const sources = await Promise.all(paths.map(async (path) => [relative(root, path), await minified(path)] as const));
  const packages = new Set(paths.flatMap(packageFilesOf));
  return new Map([...sources, ...[...packages].map((path) => [relative(root, path), packageFile(path)] as const)]);
};

/** What Lighthouse is entered by: the modules that we import, and what its config names by string. */
const entryPointsOf = (release: string): string[] => {
  const core = coreOf(release);
  const named = [join(core, 'audits'), join(core, 'gather', 'gatherers')].flatMap(filesUnder);
  return [
    join(core, 'index.js'),
    join(core, 'config', 'desktop-config.js'),
    ...(isLighthouse9(release) ? [] : [join(core, 'config', 'config.js')]),
    ...named.filter((path) => path.endsWith('.js') && !path.endsWith('-test-audit.js')),
  ];
};

/** What Lighthouse reads as a file, not as a module. */
const filesReadAtRunTime = (release: string): string[] => {
  const { resolve } = createRequire(join(release, 'package.json'));
  return [
    join(release, 'shared', 'localization', 'locales', 'en-US.json'),
    ...['axe-core/axe.min.js', 'js-library-detector/library/libraries.js'].map((id) => resolve(id)),
    ...filesUnder(coreOf(release)).filter((path) => path.endsWith('.json') && !/\/(scripts|test)\//.test(path)),
  ];
};

const coreOf = (release: string): string => join(release, isLighthouse9(release) ? 'lighthouse-core' : 'core');
const isLighthouse9 = (release: string): boolean => basename(release) === 'lighthouse-9';

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));

/** Every file that the entries import, directly or not, by Node's own rules of resolution. */
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
    splitting: true, // else each entry would be built with all that it imports
    write: false,
    outdir: 'nowhere',
    metafile: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['main'],
    conditions: ['module-sync'],
    external: ['@sentry/node'], // imported only where error reporting is turned on
    plugins: [standIn],
    logLevel: 'error',
  });
  return Object.keys(metafile.inputs).map((path) => join(root, path));
};

/** A module without comments and white space. Names stay: Lighthouse sends the text of its functions to the page. */
const minified = async (path: string): Promise<string> => {
  const text = standInOf(path)?.source ?? readFileSync(path, 'utf8');
  if (path.endsWith('.json')) return JSON.stringify(JSON.parse(text));
  const { code } = await transform(text, { minifyWhitespace: true, legalComments: 'none', target: 'esnext' });
  return code;
};

/** The package.json files that say how a file is imported: its package's, and those of folders within. */
const packageFilesOf = (path: string): string[] => {
  const folders: string[] = [];
  for (let at = dirname(path); basename(at) !== 'node_modules'; at = dirname(at)) folders.push(at);
  return folders.map((folder) => join(folder, 'package.json')).filter((file) => existsSync(file));
};

const packageFile = (path: string): string => {
  const { name, version, type, main, exports, imports } = JSON.parse(readFileSync(path, 'utf8'));
  return JSON.stringify({ name, version, type, main, exports, imports });
};
