import { build } from '../../infra/bundle/main.ts';
import type { Handler } from '../../infra/local/gateway.ts';
import { oncePerRun } from './once-per-run.ts';

/** Builds the deployed functions once for all test files of a run. */
export const buildFunctions = async (): Promise<void> => {
  await oncePerRun('built-functions', () => build());
};

/** Returns the handler of a function that `npm run build` has written. */
export const builtHandler = async (name: string): Promise<Handler> =>
  (await import(new URL(`../../dist/functions/${name}/index.mjs`, import.meta.url).href)).handler;
