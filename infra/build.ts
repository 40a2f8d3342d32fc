import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './build/bundle.ts';
import { packedChromium } from './build/chromium.ts';
import { type Files, filesIn, inFolder, sizesOf, writeFiles } from './build/files.ts';
import { lighthousePackages } from './build/lighthouse.ts';
import { viewerFiles } from './build/report-viewer.ts';
import { type Asset, checkSize, mb, partsOf } from './build/sizes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

/** Bytes unzipped. Of the audit function Lambda's own limit; an API function is to answer its first request soon. */
const maxBytes = (name: string): number => (name === 'run-audit' ? 250_000_000 : 1_500_000);

type Options = { out?: string; print?: (line: string) => void };

/**
 * Makes the code that is deployed: for each file of `functions/` a folder `<out>/<name>`, whose handler is `index.handler`.
 * Leaves `out` as it is where it was made of the same sources. Throws where a function is over its limit.
 */
export const build = async ({ out = join(dist, 'functions'), print = () => {} }: Options = {}): Promise<void> => {
  const marker = join(out, 'sources.sha256');
  const sources = await hashOfSources();
  if (existsSync(marker) && (await readFile(marker, 'utf8')) === sources) return print(`${out} is up to date.`);

  const startedAt = performance.now();
  await mkdir(dirname(out), { recursive: true });
  const partial = await mkdtemp(`${out}.partial-`); // so that a build that breaks off leaves the last one whole
  try {
    for (const name of await functionNames()) {
      const asset = name === 'run-audit' ? await auditFunction() : await apiFunction(name);
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
  print(`${out} was built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
};

const functionNames = async (): Promise<string[]> =>
  (await readdir(join(root, 'functions'), { withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => parse(entry.name).name)
    .sort();

const apiFunction = async (name: string): Promise<Asset> => {
  const { files, parts } = await bundle(root, 'index', `export { handler } from './functions/${name}.ts';`);
  const viewer: Files = name === 'get-report' ? await viewerFiles(root) : new Map();
  return { files: new Map([...files, ...viewer]), parts: new Map([...parts, ...sizesOf(viewer)]) };
};

/** The audit function: its own code and its auditor's, Chromium, and each Lighthouse release as a package. */
const auditFunction = async (): Promise<Asset> => {
  const index = await bundle(root, 'index', auditEntry);
  const child = await bundle(root, 'child', "import './functions/auditor/child.ts';");
  const files = new Map([
    ...index.files,
    ...child.files,
    ...inFolder('chromium', await packedChromium(root, dist)),
    ...(await lighthousePackages(root)),
  ]);
  return { files, parts: partsOf(sizesOf(files)) };
};

/**
 * Lambda gives a starting instance processor time before its first event: Chromium is unpacked and an auditor started then.
 * Not by the source, of which no file does anything when it is imported.
 */
const auditEntry = `
  import { handler, prepare } from './functions/run-audit.ts';
  Promise.resolve().then(prepare).catch(() => {}); // what fails here fails again in the first audit, which tells of it
  export { handler };
`;

/** Of all that an asset is made of: our sources, the packages by their lockfile, and this build with the Node that runs it. */
const hashOfSources = async (): Promise<string> => {
  const hash = createHash('sha256').update(process.version);
  hash.update(await readFile(join(root, 'package-lock.json'))).update(await readFile(fileURLToPath(import.meta.url)));
  for (const folder of ['functions', 'shared', 'infra/build']) {
    for (const [path, content] of await filesIn(join(root, folder)))
      hash.update(`\n${folder}/${path}\n`).update(content);
  }
  return hash.digest('hex');
};

if (import.meta.main) {
  await build({ print: console.log }).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
