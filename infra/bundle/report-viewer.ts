import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { type Files, inFolder } from './files.ts';

const folder = 'report-viewer';
const script = 'standalone.js';
const template = 'standalone-template.html';

/**
 * Returns the files of Lighthouse's report viewer. The function reads them for its first HTML report, not on every
 * start.
 */
export const viewerFiles = async (root: string): Promise<Files> => {
  const lighthouse = join(root, 'node_modules', 'lighthouse');
  return inFolder(
    folder,
    new Map([
      [script, await readFile(join(lighthouse, 'dist', 'report', script))],
      [template, await readFile(join(lighthouse, 'report', 'assets', template))],
    ]),
  );
};

/** Makes Lighthouse's report generator read those files. Removes the files for user flows, which we don't use. */
export const viewerFromFiles: Plugin = {
  name: 'viewer-beside',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/lighthouse\/report\/generator\/report-assets\.js$/ }, () => ({
      contents: `
        import { readFileSync } from 'node:fs';
        const read = (name) => readFileSync(new URL('./${folder}/' + name, import.meta.url), 'utf8');
        export const reportAssets = { REPORT_TEMPLATE: read('${template}'), REPORT_JAVASCRIPT: read('${script}') };
      `,
    }));
  },
};
