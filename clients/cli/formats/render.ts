import type { CheckResult } from '../run/result.ts';
import type { View } from './terminal.ts';

type Format = (results: readonly CheckResult[], view: View) => string;

type Row = { extension: string; load: () => Promise<Format> };

/** The output formats by name, and the extension of their files. Each loads its packages when it is used, so that the command starts fast. */
const formats = {
  text: { extension: '.txt', load: async () => (await import('./text.ts')).textOf },
  json: { extension: '.json', load: async () => (await import('./json.ts')).jsonOf },
  markdown: { extension: '.md', load: async () => (await import('./markdown.ts')).markdownOf },
  junit: { extension: '.xml', load: async () => (await import('./junit.ts')).junitOf },
  csv: { extension: '.csv', load: async () => (await import('./csv.ts')).csvOf },
} as const satisfies Record<string, Row>;

export type FormatName = keyof typeof formats;
export const formatNames = Object.keys(formats) as FormatName[];
/** Extensions of the files of formats. */
export const extensions: ReadonlyMap<string, FormatName> = new Map(
  formatNames.map((name) => [formats[name].extension, name]),
);

/** Returns the results in a format. Only text depends on the terminal. */
export const render = async (results: readonly CheckResult[], name: FormatName, view: View): Promise<string> => {
  const format: Format = await formats[name].load();
  return format(results, view);
};
