import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Item, TableCall } from '../embedded-table.ts';
import { unpackText } from '../page-promises.ts';
import { contexts } from '../timeline.ts';
import { alterPacked, type Defects } from './defect.ts';
import { attribute, inDays } from './of-checks.ts';

type Page = { results: { id: string }[]; erased: object[] };
const isPage = ({ pk }: Item) => String(pk).startsWith('LATEST#'); // a query has no key

/** Changes the newest results of a page in each write. */
const results = (change: (page: Page) => Page) => ({
  alters: (call: TableCall, key: Item) => {
    if (isPage(key)) alterPacked(call, 'results', change);
  },
});

export const defectsOfPages: Defects = {
  'a page that shows the check that has closed last': {
    found: /the newest results of .* are not those of its series/,
    seed: 4,
    ...results((page) => {
      for (const { id } of page.results) if (!arrivals.has(id)) arrivals.set(id, arrivals.size);
      const arrival = ({ id }: { id: string }) => arrivals.get(id) as number;
      return { ...page, results: page.results.toSorted((a, b) => arrival(b) - arrival(a)) };
    }),
  },
  'an erased check that keeps its place': {
    found: /the newest results of .* are not those of its series|no list has the page|has a check that is gone/,
    seed: 17,
    drops: (call, key) => isPage(key) && erases(call),
  },
  'an erased check whose place nobody takes': {
    found: /the newest results of .* are not those of its series/,
    seed: 12,
    ...results((page) => (page.erased.length > 0 ? { ...page, results: [] } : page)),
  },
  'a page that outlives its trend': {
    found: /outlives its trend|LATEST#\S+ \S+ does not expire after 0 days/,
    seed: 2,
    ...attribute(isPage, 'expiresAt', inDays(402)),
  },
  'newest results that are written after the close': {
    found: /no list has the page|the newest results of .* are not those of its series|the pages of \w+ lack the run/,
    seed: 10,
    wrap: ({ db }) => {
      const { client } = db;
      const late: UpdateCommand[] = [];
      const isWorker = /^worker/.test(contexts.getStore()?.process.name ?? '');
      const send = async (command: UpdateCommand) => {
        const { Key, ExpressionAttributeNames: names = {} } = command.input;
        const isUpdate = isWorker && command instanceof UpdateCommand;
        if (isUpdate && String(Key?.pk).startsWith('LATEST#')) {
          late.push(command);
          return {};
        }
        const answer = await client.send(command);
        if (isUpdate && Key?.sk === 'CHECK' && '#completedAt' in names)
          for (const each of late.splice(0)) await client.send(each).catch(() => {});
        return answer;
      };
      db.client = Object.create(client, { send: { value: send } });
    },
  },
  'a page in the list of another owner': {
    found: /LATEST#\S+ \S+ is in the list/,
    seed: 1,
    ...attribute(isPage, 'list', () => ({ S: 'PAGES#anna' })),
  },
  'pages that all owners see': {
    found: /a list of \w+ has the check .* of another owner|the pages of \w+ lack/,
    seed: 25,
    wrap: ({ pages }) => {
      const { list } = pages;
      pages.list = (_, ...more) => list('anna', ...more);
    },
  },
  'a list of pages without one of them': {
    found: /the pages of \w+ lack the run/,
    seed: 8,
    wrap: ({ pages }) => {
      const { list } = pages;
      pages.list = async (...of) => {
        const found = await list(...of);
        return { ...found, results: found.results.slice(1) };
      };
    },
  },
};

const erases = ({ input }: TableCall): boolean => {
  const values = Object.values((input.ExpressionAttributeValues ?? {}) as Record<string, { B?: string }>);
  return values.some(({ B }) => B && ((unpackText(B) as Partial<Page>).erased ?? []).length > 0);
};

/** When a result was seen first, by its id. */
const arrivals = new Map<string, number>();
