import type { RegionList, VersionList } from '../../../shared/service/offer.ts';
import { isLoopback } from '../../words/urls.ts';
import { type Context, withClient } from '../context.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { signed, table, type View, wrap } from '../formats/terminal.ts';
import { checkIdOf } from './check-id.ts';

type Options = { format: 'text' | 'json'; data?: string };

/** Prints the regions of the service. */
export const regions = (context: Context, { format, data }: Options): Promise<number> =>
  withClient(context, data, async (client) => {
    const list = await client.regions(context);
    await context.print(format === 'json' ? asJson(list) : regionText(list, context.view));
    return exitCodes.good;
  });

/** Prints the versions of Lighthouse that the service offers. */
export const offeredVersions = (context: Context, { format, data }: Options): Promise<number> =>
  withClient(context, data, async (client) => {
    const list = await client.versions(context);
    await context.print(format === 'json' ? asJson(list) : versionText(list, context.view));
    return exitCodes.good;
  });

/** Prints a link with which anyone can read a check for some days. */
export const share = (context: Context, check: string, { expires }: { expires?: string }): Promise<number> => {
  if (!context.serviceUrl) {
    throw new UsageError('A link needs a service that goes on. Set PAGE_AUDIT_URL to its URL.');
  }
  return withClient(context, undefined, async (client) => {
    const { url, expiresAt } = await client.share(await checkIdOf(client, check, context), {
      expiresIn: expires,
      signal: context.signal,
    });
    await context.print(`${url}\n`);
    context.note(`${readersOf(url)} can read the check until ${expiresAt}.`);
    return exitCodes.good;
  });
};

/** Returns who can use a link: those who have it, or only those on this machine. */
export const readersOf = (url: string): string =>
  isLoopback(url) ? 'The link works on this machine only. Anyone on it' : 'Anyone with the link';

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const regionText = ({ regions: rows }: RegionList, view: View): string =>
  textOf(
    [
      ['region', 'place', 'AWS region', 'state'],
      ...rows.map(({ id, place, awsRegion, available, pausedAt }) => [
        id,
        place,
        awsRegion,
        stateOf({ available, pausedAt }),
      ]),
    ],
    view,
  );

const stateOf = ({ available, pausedAt }: Pick<RegionList['regions'][number], 'available' | 'pausedAt'>): string => {
  if (pausedAt !== null) return `paused since ${pausedAt}`;
  return available ? 'available' : 'audits do not succeed';
};

const versionText = ({ versions }: VersionList, view: View): string =>
  textOf(
    [
      ['version', 'also named', 'categories'],
      ...versions.map(({ version, aliases, categories }) => [version, aliases.join(', '), categories.join(', ')]),
    ],
    view,
  );

/** Returns a table, or a line for each row if the terminal is too narrow for it. */
const textOf = (rows: readonly string[][], view: View): string => {
  const lines =
    table(rows, view) ??
    rows
      .slice(1)
      .flatMap(([name = '', ...cells]) => [
        ...wrap(name, view.width),
        ...cells.flatMap((cell) => signed(' ', cell, view)),
      ]);
  return lines.map((line) => `${line}\n`).join('');
};
