import { fileURLToPath } from 'node:url';
import { writeFiles } from '../../infra/bundle/files.ts';
import { webFiles } from '../../infra/bundle/web.ts';
import { oncePerRun } from './once-per-run.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles the web page once for all test files of a run. Returns the folder of its files. */
export const webDir = (): Promise<string> =>
  oncePerRun('web-page', async (dir) => writeFiles(dir, await webFiles(root)));
