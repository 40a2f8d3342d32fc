import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { standInOf } from '../../functions/auditor/lighthouse/stand-ins.ts';
import { auditVersions } from '../../shared/audit-versions.ts';
import type { Files } from './files.ts';
import { linked } from './linked-lighthouse.ts';

/** Returns each release linked into one file, `<package>.cjs`. */
export const linkedReleases = async (root: string, folder: string): Promise<Files> => {
  const files: Files = new Map();
  for (const release of releasesIn(root)) {
    const modules = await importedFrom(root, entryPointsOf(release));
    files.set(`${release.name}.cjs`, await linked(root, modules, folder));
  }
  return files;
};

/**
 * Returns the files that linked releases read at run time instead of importing them. Lighthouse also lists the names of
 * its audits and gatherers, and resolves the name of one package.
 */
export const filesOfLinkedReleases = (root: string): Files => {
  const releases = releasesIn(root);
  const read = releases.flatMap(filesReadAtRunTime);
  const listed = releases.flatMap(auditsAndGatherersOf);
  const packages = new Set([...read, ...listed].flatMap(packageFilesOf));
  const contents: [string, string][] = [
    ...listed.map((path): [string, string] => [path, '']),
    ...read.map((path): [string, string] => [path, minified(path)]),
    ...[...packages].map((path): [string, string] => [path, packageFile(path)]),
  ];
  return new Map(contents.map(([path, content]) => [relative(root, path), content]));
};

type Release = { name: string; folder: string; core: string };

const releasesIn = (root: string): Release[] =>
  auditVersions.map((row) => {
    const folder = join(root, 'node_modules', row.package);
    return { name: row.package, folder, core: join(folder, row.core) };
  });

/**
 * Returns the entry points of a release: the modules that we import, and the modules that its config names by string.
 */
const entryPointsOf = (release: Release): string[] => [
  ...['index.js', 'config/desktop-config.js', 'config/config.js'].map((path) => join(release.core, path)),
  ...auditsAndGatherersOf(release),
];

const auditsAndGatherersOf = ({ core }: Release): string[] =>
  [join(core, 'audits'), join(core, 'gather', 'gatherers')]
    .flatMap(filesUnder)
    .filter((path) => path.endsWith('.js') && !path.endsWith('-test-audit.js'));

const filesReadAtRunTime = ({ folder, core }: Release): string[] => {
  const { resolve } = createRequire(join(folder, 'package.json'));
  return [
    join(folder, 'shared', 'localization', 'locales', 'en-US.json'),
    ...['axe-core/axe.min.js', 'js-library-detector/library/libraries.js', 'lighthouse-logger'].map((id) =>
      resolve(id),
    ),
    ...filesUnder(core).filter((path) => path.endsWith('.json') && !/\/(scripts|test)\//.test(path)),
  ];
};

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));

/** Returns every module that the entry points import, directly or indirectly, as Node resolves them. */
const importedFrom = async (root: string, entryPoints: string[]): Promise<Metafile['inputs']> => {
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
    external: ['@sentry/node', 'puppeteer-core'], // for error reporting, which is off, and for a browser of its own
    plugins: [standIn],
    logLevel: 'error',
  });
  return metafile.inputs;
};

const minified = (path: string): string => {
  const text = readFileSync(path, 'utf8');
  return path.endsWith('.json') ? JSON.stringify(JSON.parse(text)) : text;
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
