import type { Badge } from '../../../shared/badges.ts';
import type { Category, Device } from '../../../shared/options/audit-options.ts';
import type { Region } from '../../../shared/regions.ts';
import { type Context, withClient } from '../context.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { readersOf } from './offer.ts';

export type BadgeOptions = {
  category?: Category;
  device?: Device;
  region?: Region;
  label?: Record<string, string>;
  revoke?: string;
};

/** Makes, lists or revokes badges. Without a page, it prints a line for each badge. */
export const badge = (
  context: Context,
  url: string | undefined,
  { revoke, label: labels, ...filters }: BadgeOptions,
): Promise<number> => {
  if (!context.serviceUrl) {
    throw new UsageError('A badge needs a service that goes on. Set PAGE_AUDIT_URL to its URL.');
  }
  const { signal } = context;
  const isAlone = labels === undefined && Object.keys(filters).length === 0;
  if (url === undefined && !isAlone) throw new UsageError('Name the URL of the page: page-audit badge <url>.');
  if (url !== undefined && revoke !== undefined) throw new UsageError('Give a URL, or --revoke <id>.');
  return withClient(context, undefined, async (client) => {
    if (revoke !== undefined) {
      await client.badges.revoke(revoke, { signal });
      context.note(`The badge ${revoke} is revoked.`);
    } else if (url === undefined) {
      const { badges } = await client.badges.list({ signal });
      if (badges.length === 0) context.note('You have no badges. Make one: page-audit badge <url>.');
      await context.print(badges.map((each) => `${lineOf(each)}\n`).join(''));
    } else {
      const made = await client.badges.make({ url, labels, ...filters, signal });
      await context.print(`${made.markdown}\n`);
      context.note(
        `${readersOf(client.url)} can see the score of the page, until page-audit badge --revoke ${made.id} ends it.`,
      );
    }
    return exitCodes.good;
  });
};

const lineOf = ({ id, url, category, device, region, labels }: Badge): string => {
  const filters = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return [id, category, device, ...(region === null ? [] : [region]), ...filters, url].join('  ');
};
