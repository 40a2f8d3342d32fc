import type { Handler } from '../../infra/local/gateway.ts';

/** Returns the handler of a function that `npm run build` has written. */
export const builtHandler = async (name: string): Promise<Handler> =>
  (await import(new URL(`../../dist/functions/${name}/index.mjs`, import.meta.url).href)).handler;
