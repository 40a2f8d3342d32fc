import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from '../../infra/build.ts';
import type { Handler } from '../../infra/local/gateway.ts';

/** Builds the deployed functions once for all test files of a run, which share a temporary folder. */
export const buildFunctions = async (): Promise<void> => {
  const building = join(tmpdir(), 'building');
  const built = join(tmpdir(), 'built');
  while (!existsSync(built)) {
    const isFirst = await mkdir(building).then(
      () => true,
      () => false,
    );
    if (!isFirst) await sleep(100);
    else {
      try {
        if (!existsSync(built)) await build();
        await writeFile(built, '');
      } finally {
        await rmdir(building); // after a failure, the next file shows it too
      }
    }
  }
};

/** Returns the handler of a function that `npm run build` has written. */
export const builtHandler = async (name: string): Promise<Handler> =>
  (await import(new URL(`../../dist/functions/${name}/index.mjs`, import.meta.url).href)).handler;
