import { auditVersions } from '../../shared/audit-versions.ts';

/**
 * Modules of Lighthouse that are only for what we do not ask of it: other languages than English, HTML reports. Their
 * stand-ins export the same names.
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

/** What stands in for a module of Lighthouse, by its path or URL; undefined where it stands for itself. */
export const standInOf = (path: string): { format: 'module' | 'commonjs'; source: string } | undefined => {
  for (const { package: name, module } of auditVersions) {
    const standIn = standIns.find(({ file }) => path.endsWith(`/${name}/${file}`));
    if (standIn) return { format: FORMATS[module], source: standIn[module] };
  }
  return undefined;
};
const FORMATS = { esm: 'module', cjs: 'commonjs' } as const;
