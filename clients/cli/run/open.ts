import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import type { Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { linkOf } from '../formats/titles.ts';
import type { CheckResult } from './result.ts';

/** Most addresses that a command opens. */
const MAX_OPENED = 5;

/** Throws a UsageError if nobody would see a browser. */
export const requireTerminal = (open: boolean | undefined, context: Context): void => {
  if (open && !context.openAddress) throw new UsageError('--open needs a terminal. Use --output report.html.');
};

/** Shows the results in a browser: the report files if the command wrote some, else the pages of the service. */
export const openResults = async (
  results: readonly CheckResult[],
  { openAddress, note }: Pick<Context, 'openAddress' | 'note'>,
): Promise<void> => {
  const files = results.flatMap(({ reportFiles = {} }) => Object.values(reportFiles));
  const pages = results.flatMap((result) => linkOf(result) ?? []);
  const addresses = files.length > 0 ? files.map((file) => pathToFileURL(file).href) : pages;
  for (const address of addresses.slice(0, MAX_OPENED)) {
    await openAddress?.(address).catch(({ message }) =>
      note(`No browser could be started (${message}). Open ${address}`),
    );
  }
  if (addresses.length > MAX_OPENED) note(`--open shows the first ${MAX_OPENED} of ${addresses.length} results.`);
  if (addresses.length === 0) note('--open has nothing to show, because no run has a report.');
};

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'], // `start` would interpret the characters of a URL
};

/** Opens an address in the browser of the user. Resolves when the browser has started. */
export const openInBrowser = (address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
    const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
    child.once('error', reject);
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
