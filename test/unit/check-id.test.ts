import { expect, test } from 'vitest';
import type { Client } from '../../clients/api/client.ts';
import { checkIdOf } from '../../clients/cli/read/check-id.ts';

const checks = [
  { id: '71cce6bf-3f0d-4f1c-8a5e-0a3b5c1d2e3f', url: 'https://b.example/' },
  { id: '71cc0000-3f0d-4f1c-8a5e-0a3b5c1d2e3f', url: 'https://a.example/' },
  { id: 'beef0000-3f0d-4f1c-8a5e-0a3b5c1d2e3f', url: 'https://a.example/' },
];
const client = {
  list: async ({ url, limit }: { url?: string; limit?: number }) => ({
    checks: checks.filter((each) => url === undefined || each.url === url).slice(0, limit),
    nextCursor: null,
  }),
} as unknown as Pick<Client, 'list'>;
const idOf = (name: string) => checkIdOf(client, name, { signal: new AbortController().signal });

test.each([
  ['last', checks[0]?.id],
  ['https://a.example/', checks[1]?.id],
  ['beef', checks[2]?.id],
  ['71CCE6', checks[0]?.id],
  ['71cce6bf-3f', checks[0]?.id],
  ['00000000-3f0d-4f1c-8a5e-0a3b5c1d2e3f', '00000000-3f0d-4f1c-8a5e-0a3b5c1d2e3f'],
])('%s names a check', async (name, id) => {
  expect(await idOf(name)).toBe(id);
});

test.each([
  ['71cc', '2 checks have ids that start with 71cc. Give more of it.'],
  ['dead', 'None of the newest 100 checks has an id that starts with dead.'],
  ['https://c.example/', 'There is no check of https://c.example/.'],
  ['newest', '"newest" names no check. Give an id, the start of one, a URL, or last.'],
])('%s names no check, and the error says why', async (name, message) => {
  await expect(idOf(name)).rejects.toThrow(message);
});
