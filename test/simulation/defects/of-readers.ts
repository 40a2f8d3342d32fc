import type { Defects } from './defect.ts';

export const defectsOfReaders: Defects = {
  'a check that other owners can reach': {
    found: /by (anna|otto) got 20/,
    wrap: ({ store }) => {
      store.find = (checkId) => store.findOfAnyOwner(checkId);
    },
  },
  'a list of another owner': {
    found: /of another owner|lacks the check/,
    wrap: ({ lists }) => {
      const { checks } = lists;
      lists.checks = (owner, ...more) => checks(owner === 'anna' ? 'otto' : 'anna', ...more);
    },
  },
  'a series of another owner': {
    found: /of another owner|lacks the check/,
    wrap: ({ lists }) => {
      const { runs } = lists;
      lists.runs = (owner, ...more) => runs(owner === 'anna' ? 'otto' : 'anna', ...more);
    },
  },
  'a page of a list that skips a check': {
    found: /the list of .* lacks the check/,
    wrap: ({ lists }) => {
      const { checks } = lists;
      lists.checks = async (owner, { before, ...range }, ...more) => {
        const page = await checks(owner, { ...range, before }, ...more);
        return before ? { ...page, entries: page.entries.slice(1) } : page;
      };
    },
  },
  'an answer with another score': {
    found: /an answer shows/,
    wrap: ({ store }) => {
      const { find } = store;
      store.find = async (...of) => {
        const found = await find(...of);
        return found && { ...found, runs: found.runs.map((run) => ({ ...run, performance: run.performance && 1 })) };
      };
    },
  },
  'a wait that ends at once': {
    found: /a wait for .* ended after/,
    wrap: (parts) => {
      parts.wait = async (_request, { read }) => read();
    },
  },
  'links that survive their revocation': {
    found: /a dead link shows/,
    wrap: ({ links }) => {
      links.revoke = async () => true;
    },
  },
  'links that outlive their check': {
    found: /the secret of links .* is left of a check that is gone|the (run|mark) .* is left/,
    drops: ({ operation }, { sk }) => operation === 'DeleteItem' && sk === 'SHARE',
  },
  'a link that ends the links before it': {
    found: /a link of .* shows nothing/,
    wrap: ({ links }) => {
      const { secretOf } = links;
      links.secretOf = async (check) => {
        await links.revoke(check);
        return secretOf(check);
      };
    },
  },
};
