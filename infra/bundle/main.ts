import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';
import { packedChromium } from './chromium.ts';
import { type Files, inFolder, sizesOf, writeFiles } from './files.ts';
import { fontFiles } from './fonts.ts';
import { filesOfLinkedReleases, linkedReleases } from './lighthouse.ts';
import { viewerFiles } from './report-viewer.ts';
import { type Asset, checkSize, mb, partsOf } from './sizes.ts';
import { hashOfSources } from './sources.ts';
import { webFiles } from './web.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');

/**
 * Returns the size limit of an unzipped function: Lambda's for the audit, less for API functions, so that they start
 * fast. Most of `docs` are files that it reads on request.
 */
const maxBytes = (name: string): number => ({ 'run-audit': 250_000_000, docs: 3_000_000 })[name] ?? 1_500_000;

type Options = { out?: string; print?: (line: string) => void };

/**
 * Builds the deployed code: a folder `<out>/<name>` with the handler `index.handler` for each file of `functions/`.
 * Skips the build if the sources have not changed. Throws if a function exceeds its size limit.
 */
export const build = async ({ out = join(dist, 'functions'), print = () => {} }: Options = {}): Promise<void> => {
  const marker = join(out, 'sources.sha256');
  const sources = await hashOfSources(root, ['functions', 'shared', 'infra/bundle', 'clients']);
  if (existsSync(marker) && (await readFile(marker, 'utf8')) === sources) return print(`${out} is up to date.`);

  const startedAt = performance.now();
  await mkdir(dirname(out), { recursive: true });
  const partial = await mkdtemp(`${out}.partial-`); // a build that fails leaves the last one complete
  try {
    const names = await functionNames();
    const bundles = await bundle(root, new Map(names.flatMap(modulesOf)));
    for (const name of names) {
      const code = bundles.get(`${name}/index`) as Asset;
      const child = bundles.get(`${name}/child`);
      const asset = child ? await auditFunction(code, child) : await apiFunction(name, code);
      const { all, maps } = checkSize(name, asset, maxBytes(name));
      print(`${name.padEnd(16)} ${mb(all).padStart(7)} MB, of which source maps ${mb(maps)} MB`);
      await writeFiles(join(partial, name), asset.files);
    }
    await writeFile(join(partial, parse(marker).base), sources);
    await rm(out, { recursive: true, force: true });
    await rename(partial, out);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  print(`Built ${out} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
};

const functionNames = async (): Promise<string[]> =>
  (await readdir(join(root, 'functions'), { withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => parse(entry.name).name)
    .sort();

/** Returns the modules of a function's asset, with the source of each. */
const modulesOf = (name: string): [string, string][] =>
  name === 'run-audit'
    ? [
        [`${name}/index`, auditEntry],
        [`${name}/child`, "import './functions/auditor/child/child.ts';"],
      ]
    : [[`${name}/index`, `export { handler } from './functions/${name}.ts';`]];

const apiFunction = async (name: string, { files, parts }: Asset): Promise<Asset> => {
  const read = (await readBy[name]?.()) ?? new Map();
  return { files: new Map([...files, ...read]), parts: new Map([...parts, ...sizesOf(read)]) };
};

/** Files that an API function reads on request. */
const readBy: Record<string, () => Promise<Files>> = {
  'get-report': () => viewerFiles(root),
  docs: () => packageFiles('swagger-ui-dist', ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']),
  'web-page': () => pageFiles(),
};

/** Returns the files of the web page, where functions/lib/http/web-files.ts finds them. */
const pageFiles = async (): Promise<Files> => inFolder('web', await webFiles(root));

/** Returns files of a package, and its package.json, which says how to resolve their names. */
const packageFiles = async (name: string, paths: readonly string[]): Promise<Files> => {
  const folder = join('node_modules', name);
  const files = ['package.json', ...paths].map(
    async (path) => [path, await readFile(join(root, folder, path))] as const,
  );
  return inFolder(folder, new Map(await Promise.all(files)));
};

/** Returns the audit function's code, its auditor with each Lighthouse release, Chromium, and fonts. */
const auditFunction = async (index: Asset, child: Asset): Promise<Asset> => {
  const files = new Map([
    ...index.files,
    ...child.files,
    ...(await linkedReleases(root, '__dirname')),
    ...inFolder('chromium', await packedChromium(root, dist)),
    ...inFolder('fonts', await fontFiles(root)),
    ...filesOfLinkedReleases(root),
  ]);
  return { files, parts: partsOf(sizesOf(files)) };
};

/**
 * Entry of the audit function. It unpacks Chromium and starts an auditor while Lambda starts the instance. The source
 * does not do this itself, because importing a file must have no effect.
 */
const auditEntry = `
  import { handler, prepare } from './functions/run-audit.ts';
  Promise.resolve().then(prepare).catch(() => {}); // the first audit fails in the same way and logs the error
  export { handler };
`;

if (import.meta.main) {
  await build({ print: console.log }).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
