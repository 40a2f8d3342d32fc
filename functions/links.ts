import { CreateLinkBody, DEFAULT_LINK_LIFE, MAX_LINK_DAYS } from '../shared/links.ts';
import { shareToken } from './lib/checks/share-token.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { invalidInput, parseFields } from './lib/http/input.ts';
import { findCheck, type Lookup } from './lib/http/lookup.ts';
import { originOf } from './lib/http/origin.ts';
import type { Reply } from './lib/http/response.ts';
import type { SharingStore } from './lib/http/shared-check.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type LinkStore, linkStore } from './lib/store/links.ts';

/**
 * POST /v1/checks/{checkId}/links: returns a URL with which anyone can read this check for some days.
 * DELETE /v1/checks/{checkId}/links: ends all share links of a check.
 */
export const handler = http('links', (env) => {
  const db = openDb(env);
  const deps = { store: checkStore(db), links: linkStore(db) };
  const create = createLink({ ...deps, publicUrl: env.PUBLIC_URL });
  const end = deleteLinks(deps);
  return (request) => (request.method === 'DELETE' ? end(request) : create(request));
});

type Deps = {
  store: SharingStore;
  links: Pick<LinkStore, 'secretOf'>;
  publicUrl?: string | undefined;
  now?: () => Date;
};

export const createLink =
  ({ store, links, publicUrl, now = () => new Date() }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const days = daysIn(request.body ?? {});
    const origin = publicUrl ?? originOf(request);
    const { item } = await findCheck({ store, now }, request);
    const secret = await links.secretOf(item);
    const end = Math.floor(now().getTime() / 1000) + days * 24 * 3600;
    const expiresAt = Math.min(end, item.expiresAt ?? end);
    const url = `${origin}/checks/${item.id}#share=${shareToken(secret, item.id, expiresAt)}`;
    return { status: 201, body: { url, expiresAt: new Date(expiresAt * 1000).toISOString() } };
  };

const accepted = {
  expiresIn: `expiresIn must be a whole number of days from 1 to ${MAX_LINK_DAYS}, such as "7d".`,
};

/** Returns the number of days in the body. */
const daysIn = (body: unknown): number => {
  const { fields, errors } = parseFields(CreateLinkBody, accepted, body);
  if (errors.length > 0) throw invalidInput(errors);
  return Number.parseInt(fields.expiresIn ?? DEFAULT_LINK_LIFE, 10);
};

export const deleteLinks =
  ({ links, ...lookup }: Lookup & { links: Pick<LinkStore, 'revoke'> }) =>
  async (request: Request): Promise<Reply> => {
    const { item } = await findCheck(lookup, request);
    await links.revoke(item);
    return { status: 204 };
  };
