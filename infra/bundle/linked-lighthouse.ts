import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Metafile, transform } from 'esbuild';
import { standInOf } from '../../functions/auditor/lighthouse/stand-ins.ts';

type Inputs = Metafile['inputs'];

/**
 * Links the modules of a Lighthouse release into one CommonJS file, which Node imports in a fraction of the time. Each
 * module keeps its scope and its names, because Lighthouse runs the text of its functions in the page. The file
 * exports a function that returns a module by its path. `folder` is a JavaScript expression for the folder of
 * `node_modules`, from which modules read their other files.
 */
export const linked = async (root: string, inputs: Inputs, folder: string): Promise<string> => {
  const modules = await Promise.all(Object.keys(inputs).map((path) => moduleText(root, path, inputs)));
  return `'use strict';\nconst root = ${folder};\nconst modules = {\n${modules.join('')}};\n${linker}`;
};

/** Returns one module: whether it is an ES module, the paths of its imports, and its code as a function. */
const moduleText = async (root: string, path: string, inputs: Inputs): Promise<string> => {
  const { format, imports = [] } = inputs[path] ?? {};
  const links = Object.fromEntries(imports.flatMap((to) => (to.external ? [] : [[to.original, to.path]])));
  const text = standInOf(`/${path}`)?.source ?? (await readFile(join(root, path), 'utf8'));
  const code = path.endsWith('.json')
    ? `module.exports=${JSON.stringify(JSON.parse(text))}`
    : await asFunctionBody(withoutImportedNames(path, text.replace(MODULE_MAP, 'modulesByPath')), format === 'esm');
  const parameters = 'exports,require,module,__filename,__dirname,importMeta,modulesByPath';
  return `${JSON.stringify(path)}:[${format === 'esm'},${JSON.stringify(links)},function(${parameters}){${code}\n}],\n`;
};

/** Lighthouse's own placeholder for a map of the modules that it otherwise imports by computed path. */
const MODULE_MAP = /new Map\(\/\* BUILD_REPLACE_BUNDLED_MODULES \*\/\)/;

/** Makes the import of `Util` a local variable in the functions for pages, because the page defines that name. */
const withoutImportedNames = (path: string, text: string): string =>
  path.endsWith('/lib/page-functions.js')
    ? text.replace(/import \{Util\} from (.*);/, 'import {Util as imported} from $1; const Util = imported;')
    : text;

const asFunctionBody = async (text: string, isEsm: boolean): Promise<string> => {
  const { code } = await transform(text, {
    ...(isEsm && { format: 'cjs', define: { 'import.meta': 'importMeta' } }),
    platform: 'node',
    target: 'node24',
    minifyWhitespace: true,
    legalComments: 'none',
  });
  return code;
};

/** Loads a module once, as Node does. An ES module imports the exports of a CommonJS module as its default export. */
const linker = `
const { createRequire } = require('node:module');
const { dirname, join, posix } = require('node:path');
const { pathToFileURL } = require('node:url');
const loaded = new Map();
const load = (path) => {
  const known = loaded.get(path);
  if (known) return known.exports;
  const [isEsm, links, run] = modules[path];
  const file = join(root, path);
  const module = { exports: {} };
  loaded.set(path, module);
  const requireLinked = (name) => {
    const target = links[name];
    if (name === 'puppeteer-core') return {}; // the auditor passes a page
    if (!target) return require(name);
    const exported = load(target);
    return isEsm && !modules[target][0] ? { __esModule: true, ...exported, default: exported } : exported;
  };
  requireLinked.resolve = (name) => createRequire(file).resolve(name);
  const find = (name) => [name, name + '.js'].map((each) => posix.join(dirname(path), each)).find((each) => each in modules);
  const modulesByPath = { has: (name) => find(name) !== undefined, get: (name) => find(name) && load(find(name)) };
  const importMeta = { url: pathToFileURL(file).href };
  run.call(module.exports, module.exports, requireLinked, module, file, dirname(file), importMeta, modulesByPath);
  return module.exports;
};
module.exports = { load, loadFrom: (path, name) => load(modules[path][1][name]) };
`;
