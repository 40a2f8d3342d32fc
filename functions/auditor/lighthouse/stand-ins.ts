import { auditVersions } from '../../../shared/audit-versions.ts';

type Source = { format: 'module' | 'commonjs'; source: string };

/**
 * Replacements for Lighthouse modules that an audit does not need: languages other than English, and HTML reports. Each
 * replacement exports the same names as its module.
 */
const standIns: { file: string; esm: string; cjs: string }[] = [
  {
    file: 'shared/localization/locales.js',
    esm: `import fs from 'node:fs';
const english = JSON.parse(fs.readFileSync(new URL('./locales/en-US.json', import.meta.url), 'utf8'));
export const locales = { 'en-US': english, en: english };`,
    cjs: `const english = require('./locales/en-US.json'); module.exports = { 'en-US': english, en: english };`,
  },
  {
    file: 'report/generator/report-assets.js',
    esm: 'export const reportAssets = {};',
    cjs: 'module.exports = {};',
  },
];

/** Replacement for an index of 640 modules. It exports the functions that Lighthouse imports. */
const lodash: Source = {
  format: 'module',
  source: ['get', 'isEqual', 'set'].map((name) => `export { default as ${name} } from './${name}.js';`).join('\n'),
};

/** Returns the replacement for a module of Lighthouse or lodash, by the path or URL of the module. */
export const standInOf = (path: string): Source | undefined => {
  if (path.endsWith('/node_modules/lodash-es/lodash.js')) return lodash;
  for (const { package: name, module } of auditVersions) {
    const standIn = standIns.find(({ file }) => path.endsWith(`/${name}/${file}`));
    if (standIn) return { format: FORMATS[module], source: standIn[module] };
  }
  return undefined;
};
const FORMATS = { esm: 'module', cjs: 'commonjs' } as const;
