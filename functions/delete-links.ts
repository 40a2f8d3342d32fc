import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { findCheck, type Lookup } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type LinkStore, linkStore } from './lib/store/links.ts';

/** DELETE /v1/checks/{checkId}/links: ends all share links of a check. */
export const handler = http('delete-links', (env) => {
  const db = openDb(env);
  return deleteLinks({ store: checkStore(db), links: linkStore(db) });
});

type Deps = Lookup & { links: Pick<LinkStore, 'revoke'> };

export const deleteLinks =
  ({ links, ...lookup }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const { item } = await findCheck(lookup, request);
    await links.revoke(item);
    return { status: 204 };
  };
