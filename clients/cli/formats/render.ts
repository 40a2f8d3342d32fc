import type { CheckResult } from '../run/result.ts';
import type { View } from './terminal.ts';

type Format = (results: readonly CheckResult[], view: View) => string;

/** The output formats by name. Each loads its packages when it is used, so that the command starts fast. */
const formats = {
  text: async (): Promise<Format> => (await import('./text.ts')).textOf,
  json: async (): Promise<Format> => (await import('./json.ts')).jsonOf,
  markdown: async (): Promise<Format> => (await import('./markdown.ts')).markdownOf,
  junit: async (): Promise<Format> => (await import('./junit.ts')).junitOf,
  csv: async (): Promise<Format> => (await import('./csv.ts')).csvOf,
};

export type FormatName = keyof typeof formats;
export const formatNames = Object.keys(formats) as FormatName[];

/** Returns the results in a format. Only text depends on the terminal. */
export const render = async (results: readonly CheckResult[], name: FormatName, view: View): Promise<string> => {
  const format = await formats[name]();
  return format(results, view);
};
